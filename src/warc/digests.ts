/** Checks the digests that a record gives against its bytes. */
import { hash } from "node:crypto";
import { header } from "../model/fetch-result.ts";
import { parseHttp, payloadOf } from "./http.ts";
import type { WarcRecord } from "./reader.ts";
import { base32 } from "./record.ts";

/** "unknown": an algorithm or a notation that we do not know, or a payload that is not in this record (revisit). */
export type DigestCheck = "right" | "wrong" | "absent" | "unknown";

export function checkBlockDigest(record: WarcRecord): DigestCheck {
  return check(header(record.fields, "warc-block-digest"), [record.block]);
}

/**
 * The payload is the block, and for HTTP the body with transfer-encoding removed; archives that digested a chunked body as
 * it came are taken as right too, since it is the same bytes that are attested.
 */
export function checkPayloadDigest(record: WarcRecord): DigestCheck {
  const digest = header(record.fields, "warc-payload-digest");
  if (digest === null) return "absent";
  if (record.type === "revisit") return "unknown";
  const isHttp = /^application\/http\b/i.test(header(record.fields, "content-type") ?? "");
  if (!isHttp) return check(digest, [record.block]);
  const message = parseHttp(record.block);
  return check(digest, [payloadOf(message), message.body]);
}

const ALGORITHMS: Readonly<Record<string, { readonly name: string; readonly bytes: number }>> = {
  md5: { name: "md5", bytes: 16 },
  sha1: { name: "sha1", bytes: 20 },
  "sha-1": { name: "sha1", bytes: 20 },
  sha256: { name: "sha256", bytes: 32 },
  "sha-256": { name: "sha256", bytes: 32 },
};

/** `algorithm:value`, the value in base 32, hex or base 64: told apart by its length. */
function check(digest: string | null, candidates: readonly Buffer[]): DigestCheck {
  if (digest === null) return "absent";
  const [, label, value] = /^\s*([a-z0-9-]+):(\S+)\s*$/i.exec(digest) ?? [];
  const algorithm = ALGORITHMS[label?.toLowerCase() ?? ""];
  if (algorithm === undefined || value === undefined) return "unknown";
  const print = notationOf(value, algorithm.bytes);
  if (print === null) return "unknown";
  return candidates.some((bytes) => print(hash(algorithm.name, bytes, "buffer"))) ? "right" : "wrong";
}

/** A SHA-1 in whatever notation as `sha1:BASE32`; null for other algorithms and what is no digest. */
export function sha1InBase32(digest: string): string | null {
  const [, label, value = ""] = /^\s*([a-z0-9-]+):(\S+)\s*$/i.exec(digest) ?? [];
  if (ALGORITHMS[label?.toLowerCase() ?? ""]?.name !== "sha1") return null;
  if (/^[a-z2-7]{32}$/i.test(value)) return `sha1:${value.toUpperCase()}`;
  const isHex = /^[0-9a-f]{40}$/i.test(value);
  if (!isHex && !/^[\w+/-]{27}=?$/.test(value)) return null;
  return `sha1:${base32(Buffer.from(value, isHex ? "hex" : "base64"))}`;
}

function notationOf(value: string, bytes: number): ((hashed: Buffer) => boolean) | null {
  const bare = value.replace(/=+$/, "");
  if (value.length === bytes * 2) return (hashed) => hashed.toString("hex") === value.toLowerCase();
  if (bare.length === Math.ceil((bytes * 8) / 5)) return (hashed) => base32(hashed) === bare.toUpperCase();
  if (bare.length === Math.ceil((bytes * 8) / 6)) {
    return (hashed) => hashed.toString("base64url") === bare.replaceAll("+", "-").replaceAll("/", "_");
  }
  return null;
}
