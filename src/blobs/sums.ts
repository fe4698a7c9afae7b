/** Check sums as S3 tells them: of a whole object, and of one that was put in parts. */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

export interface Sums {
  readonly bytes: number;
  /** Hex. */
  readonly md5: string;
  /** Big-endian, base64. */
  readonly crc32: string;
}

export function sumsOf(bytes: Uint8Array): Sums {
  return { bytes: bytes.length, md5: createHash("md5").update(bytes).digest("hex"), crc32: crcText(crc32(bytes)) };
}

export function crcText(crc: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc);
  return bytes.toString("base64");
}

/** What is known of an object before it is put. */
export interface Expected {
  readonly bytes: number;
  /** Of its parts, in order; one where it is put as a whole. */
  readonly parts: readonly Sums[];
}

/** What a server tells of an object. */
export interface Told {
  readonly bytes: number;
  readonly etag: string | undefined;
  /** CRC32 in base64; of parts together with `-N` behind it. */
  readonly crc32: string | undefined;
}

/**
 * "unknown" where what the server tells does not decide it: its tag is no MD5 (it encrypts), or it counts other parts. For
 * an object in parts, both sums are those of the parts' sums, with the number of parts.
 */
export function compare({ bytes, parts }: Expected, told: Told): "right" | "wrong" | "unknown" {
  if (told.bytes !== bytes) return "wrong";
  const [first] = parts;
  const many = parts.length > 1 ? `-${parts.length}` : "";
  const joined = (encoding: "hex" | "base64", sum: (part: Sums) => string) =>
    Buffer.concat(parts.map((part) => Buffer.from(sum(part), encoding)));
  if (told.crc32 !== undefined && told.crc32.replace(/^[^-]*/, "") === many) {
    const crc = many === "" ? first!.crc32 : crcText(crc32(joined("base64", (part) => part.crc32))) + many;
    return told.crc32 === crc ? "right" : "wrong";
  }
  const md5 =
    many === ""
      ? first!.md5
      : createHash("md5")
          .update(joined("hex", (part) => part.md5))
          .digest("hex") + many;
  return told.etag?.replaceAll('"', "").toLowerCase() === md5 ? "right" : "unknown";
}
