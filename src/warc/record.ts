/**
 * WARC 1.1 records as text: header fields, identifiers, digests (ISO 28500:2017,
 * https://iipc.github.io/warc-specs/specifications/warc-format/warc-1.1/).
 */
import { hash, randomUUID } from "node:crypto";
import type { Instant } from "../base/clock.ts";
import type { Truncation } from "../model/capture.ts";

export type RecordType = "warcinfo" | "response" | "request" | "revisit" | "metadata" | "resource" | "conversion";

/** What the warcinfo record at the head of each file says of the crawl. */
export interface WarcInfo {
  /** "trawl/1.2.3" */
  readonly software: string;
  /** How robots.txt is treated: "obey" or "ignore". */
  readonly robots?: string;
  readonly userAgent?: string;
  /** Who answers for the crawl: a name, a mail address, a page. */
  readonly operator?: string;
  readonly description?: string;
  /** The name of the crawl. */
  readonly isPartOf?: string;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Base 32 (RFC 4648 section 6), padded only by being of whole 5-byte groups, as SHA-1's 20 bytes are. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(held >>> bits) & 31];
    }
  }
  return bits > 0 ? text + ALPHABET[(held << (5 - bits)) & 31] : text;
}

/** `sha1:BASE32`: the form of digests that archives share. */
export function sha1Digest(bytes: Uint8Array): string {
  return `sha1:${base32(hash("sha1", bytes, "buffer"))}`;
}

export function newRecordId(): string {
  return `<urn:uuid:${randomUUID()}>`;
}

/** With milliseconds, as version 1.1 allows. */
const dateText = (at: Instant): string => new Date(at).toISOString();

let lastDate: { readonly at: Instant; readonly text: string } = { at: 0, text: dateText(0) };

/** The records of a capture share their WARC-Date, so the last one is kept. */
function warcDate(at: Instant): string {
  if (lastDate.at !== at) lastDate = { at, text: dateText(at) };
  return lastDate.text;
}

const LINE_BREAK = /[\r\n\0]/;

/** A line break inside a field would start a field of its own: it becomes a space. */
export function oneLine(text: string): string {
  return LINE_BREAK.test(text) ? text.replace(/[\r\n\0]+/g, " ") : text;
}

export interface RecordFields {
  readonly type: RecordType;
  readonly id: string;
  readonly at: Instant;
  /** Null: not known, and not said. */
  readonly contentType: string | null;
  readonly targetUri?: string;
  readonly address?: string;
  readonly warcinfoId?: string;
  readonly concurrentTo?: string;
  readonly refersTo?: string;
  readonly refersToTargetUri?: string;
  readonly refersToDate?: Instant;
  /** revisit only: what makes it one, as a URI. */
  readonly profile?: string;
  /** "http/1.1", "h2", "tls/1.3" (https://github.com/iipc/warc-specifications/issues/42). */
  readonly protocols?: readonly string[];
  readonly cipher?: string | undefined;
  readonly payloadDigest?: string;
  readonly blockDigest?: string;
  readonly identifiedType?: string | null;
  /** Of a text, as a language tag: Common Crawl's field. */
  readonly identifiedLanguage?: string | null;
  readonly truncated?: Truncation | null;
  /** warcinfo only: the file's own name. */
  readonly filename?: string;
  /** Our own fields, which other readers pass over. */
  readonly robotsCopy?: number;
  readonly via?: string | null;
}

/** Version line, fields and the empty line, for a block of `blockLength` bytes. ASCII. */
export function recordHeader(fields: RecordFields, blockLength: number): string {
  const line = (name: string, value: string | null | undefined) => (value ? `${name}: ${oneLine(value)}\r\n` : "");
  return `WARC/1.1\r\nWARC-Type: ${fields.type}\r\nWARC-Record-ID: ${fields.id}\r\nWARC-Date: ${warcDate(fields.at)}\r\n${
    line("WARC-Filename", fields.filename) +
    line("WARC-Target-URI", fields.targetUri) +
    line("WARC-IP-Address", fields.address) +
    line("WARC-Warcinfo-ID", fields.warcinfoId) +
    line("WARC-Concurrent-To", fields.concurrentTo) +
    line("WARC-Refers-To", fields.refersTo) +
    line("WARC-Refers-To-Target-URI", fields.refersToTargetUri) +
    (fields.refersToDate === undefined ? "" : `WARC-Refers-To-Date: ${dateText(fields.refersToDate)}\r\n`) +
    line("WARC-Profile", fields.profile) +
    (fields.protocols?.map((protocol) => line("WARC-Protocol", protocol)).join("") ?? "") +
    line("WARC-Cipher-Suite", fields.cipher) +
    line("WARC-Payload-Digest", fields.payloadDigest) +
    line("WARC-Block-Digest", fields.blockDigest) +
    line("WARC-Identified-Payload-Type", fields.identifiedType) +
    line("WARC-Identified-Content-Language", fields.identifiedLanguage) +
    line("WARC-Truncated", fields.truncated) +
    (fields.robotsCopy ? `Trawl-Robots-Copy: ${fields.robotsCopy}\r\n` : "") +
    line("Trawl-Via", fields.via)
  }${line("Content-Type", fields.contentType)}Content-Length: ${blockLength}\r\n\r\n`;
}

/** The block of a metadata record: `application/warc-fields`, UTF-8. `fields`: [name, value, ...]. */
export function fieldsBlock(fields: readonly string[]): string {
  let block = "";
  for (let i = 0; i + 1 < fields.length; i += 2) block += `${fields[i]}: ${oneLine(fields[i + 1]!)}\r\n`;
  return block;
}

/** The block of a warcinfo record: `application/warc-fields`, UTF-8. */
export function warcinfoBlock(info: WarcInfo): string {
  const line = (name: string, value: string | undefined) => (value ? `${name}: ${oneLine(value)}\r\n` : "");
  return (
    line("software", info.software) +
    line("format", "WARC File Format 1.1") +
    line("conformsTo", "http://iipc.github.io/warc-specs/specifications/warc-format/warc-1.1/") +
    line("robots", info.robots) +
    line("http-header-user-agent", info.userAgent) +
    line("operator", info.operator) +
    line("isPartOf", info.isPartOf) +
    line("description", info.description)
  );
}
