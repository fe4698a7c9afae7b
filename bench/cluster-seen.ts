/**
 * What a seen URL takes in Redis, for each way to remember it: so many URLs, in so many shards, by `MEMORY USAGE`.
 *
 *   npx node bench/cluster-seen.ts [URLS=1000000] [SHARDS=64]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directoryBlobs } from "../src/blobs/directory.ts";
import { openCluster } from "../src/store/cluster/backend.ts";
import { Connection } from "../src/store/cluster/redis/connection.ts";
import type { SharedSeen } from "../src/store/cluster/shards/seen-filter.ts";
import { TestClock, url } from "../test/conformance/frontier-world.ts";
import { redisCluster } from "../test/services/redis-cluster.ts";
import { bytesByKind } from "./redis-costs.ts";

const URLS_A_HOST = 50;
const BATCH = 5_000;
const ERROR = 1e-4;

/** By its name, for `capacity` URLs. */
export function seenBy(kind = "exact", capacity = 10_000_000): SharedSeen {
  return kind === "bloom" || kind === "scalable-bloom" ? { kind, capacity, error: ERROR } : { kind: "exact" };
}

async function bytesOf(seen: SharedSeen, urls: number, shards: number): Promise<string> {
  const blobs = await mkdtemp(join(tmpdir(), "bench-seen-"));
  try {
    await using cluster = await redisCluster({ masters: 1, replicas: 0 });
    await using connection = await Connection.open({ nodes: cluster.nodes });
    const name = "seen";
    const parts = { name, shards, seen, clock: new TestClock(), blobs: directoryBlobs(blobs) };
    await using backend = await openCluster(connection, { ...parts, firstCash: () => 0 });
    for (let n = 0; n < urls; n += BATCH)
      await backend.add(
        Array.from({ length: BATCH }, (_, i) =>
          url(`www.host-number-${Math.floor((n + i) / URLS_A_HOST)}.example`, `section/an-article-${n + i}.html`),
        ),
      );
    const kinds = await bytesByKind(connection, name);
    const kind = kinds.get(seen.kind === "exact" ? ":seen" : ":filter:*")!;
    const lost = urls - (await backend.pending()).queued;
    const rate = seen.kind === "exact" ? "" : `, ${lost} lost, ${(await backend.refused!()).toFixed(1)} expected`;
    return `${(kind.bytes / urls).toFixed(2)} bytes a URL, ${kind.keys} keys of ${(kind.bytes / kind.keys).toFixed(0)}${rate}`;
  } finally {
    await rm(blobs, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [urls = 1_000_000, shards = 64] = process.argv.slice(2).map(Number);
  console.log(`npx node bench/cluster-seen.ts ${urls} ${shards}`);
  for (const [what, seen] of [
    ["exact", seenBy()],
    ["bloom, said rightly", seenBy("bloom", urls)],
    ["scalable-bloom, said rightly", seenBy("scalable-bloom", urls)],
    ["bloom, a tenth said", seenBy("bloom", urls / 10)],
    ["scalable-bloom, a tenth said", seenBy("scalable-bloom", urls / 10)],
  ] as const)
    console.log(`${what.padEnd(30)} ${await bytesOf(seen, urls, shards)}`);
}
