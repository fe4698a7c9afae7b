/** Checks the digests that a record gives against its bytes. */
import { createHash, type Hash, hash } from "node:crypto";
import { header, type RawHeaders } from "../model/fetch-result.ts";
import { parseHttp, payloadOf } from "./http.ts";
import { base32 } from "./record.ts";

/** "unknown": an algorithm or a notation that we do not know, or a payload that is not in this record (revisit). */
export type DigestCheck = "right" | "wrong" | "absent" | "unknown";

/** Of a record that is too long to be held: what was found as its bytes went by. */
export interface RunningChecks {
  readonly block: DigestCheck;
  readonly payload: DigestCheck;
  /** `sha1:BASE32` of the payload. */
  readonly payloadDigest: string;
}

/** What is digested of a record. */
export interface Digested {
  readonly type: string;
  readonly fields: RawHeaders;
  readonly block: Buffer;
  /** Null when the block is here. */
  readonly checks: RunningChecks | null;
}

export function checkBlockDigest(record: Digested): DigestCheck {
  if (record.checks !== null) return record.checks.block;
  return check(header(record.fields, "warc-block-digest"), [record.block]);
}

/**
 * The payload is the block, and for HTTP the body with transfer-encoding removed; archives that digested a chunked body as
 * it came are taken as right too, since it is the same bytes that are attested.
 */
export function checkPayloadDigest(record: Digested): DigestCheck {
  if (record.checks !== null) return record.checks.payload;
  const digest = header(record.fields, "warc-payload-digest");
  if (digest === null) return "absent";
  if (record.type === "revisit") return "unknown";
  if (!isHttp(record.fields)) return check(digest, [record.block]);
  const message = parseHttp(record.block);
  return check(digest, [payloadOf(message), message.body]);
}

const isHttp = (fields: RawHeaders): boolean => /^application\/http\b/i.test(header(fields, "content-type") ?? "");

/** Digests block and payload as they go by. A payload whose chunks would have to be taken off is not checked. */
export class RunningDigests {
  readonly #block: RunningDigest;
  readonly #payload: RunningDigest;
  readonly #sha1 = createHash("sha1");
  readonly #isChecked: boolean;

  /** `beginning`: of the block, with all of an HTTP head. */
  constructor(type: string, fields: RawHeaders, beginning: Buffer) {
    this.#block = new RunningDigest(header(fields, "warc-block-digest"));
    this.#payload = new RunningDigest(header(fields, "warc-payload-digest"));
    const message = isHttp(fields) ? parseHttp(beginning) : null;
    this.#isChecked =
      type !== "revisit" && (message === null || header(message.rawHeaders, "transfer-encoding") === null);
    this.#block.update(beginning);
    this.#takePayload(message === null ? beginning : message.body);
  }

  update(bytes: Buffer): void {
    this.#block.update(bytes);
    this.#takePayload(bytes);
  }

  end(): RunningChecks {
    const payload = this.#payload.end();
    return {
      block: this.#block.end(),
      payload: this.#isChecked || payload === "absent" ? payload : "unknown",
      payloadDigest: `sha1:${base32(this.#sha1.digest())}`,
    };
  }

  #takePayload(bytes: Buffer): void {
    this.#payload.update(bytes);
    this.#sha1.update(bytes);
  }
}

/** Against what a record gives. */
class RunningDigest {
  readonly #said: Said | DigestCheck;
  readonly #hash: Hash | null;

  constructor(digest: string | null) {
    this.#said = saidBy(digest);
    this.#hash = typeof this.#said === "string" ? null : createHash(this.#said.algorithm);
  }

  update(bytes: Buffer): void {
    this.#hash?.update(bytes);
  }

  end(): DigestCheck {
    if (typeof this.#said === "string") return this.#said;
    return this.#said.isOf(this.#hash!.digest()) ? "right" : "wrong";
  }
}

const ALGORITHMS: Readonly<Record<string, { readonly name: string; readonly bytes: number }>> = {
  md5: { name: "md5", bytes: 16 },
  sha1: { name: "sha1", bytes: 20 },
  "sha-1": { name: "sha1", bytes: 20 },
  sha256: { name: "sha256", bytes: 32 },
  "sha-256": { name: "sha256", bytes: 32 },
};

/** A digest that can be checked. */
interface Said {
  readonly algorithm: string;
  isOf(hashed: Buffer): boolean;
}

/** `algorithm:value`, the value in base 32, hex or base 64: told apart by its length. */
function saidBy(digest: string | null): Said | "absent" | "unknown" {
  if (digest === null) return "absent";
  const [, label, value] = /^\s*([a-z0-9-]+):(\S+)\s*$/i.exec(digest) ?? [];
  const algorithm = ALGORITHMS[label?.toLowerCase() ?? ""];
  if (algorithm === undefined || value === undefined) return "unknown";
  const isOf = notationOf(value, algorithm.bytes);
  return isOf === null ? "unknown" : { algorithm: algorithm.name, isOf };
}

function check(digest: string | null, candidates: readonly Buffer[]): DigestCheck {
  const said = saidBy(digest);
  if (typeof said === "string") return said;
  return candidates.some((bytes) => said.isOf(hash(said.algorithm, bytes, "buffer"))) ? "right" : "wrong";
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
