/** Which of so many shards a host is in, for ever. */
import { hashText } from "../../../base/hash.ts";
import type { HostKey } from "../../../model/host.ts";

export const shardOf = (host: HostKey, shards: number): number => hashText(host)[0] % shards;
