/**
 * WARC 1.1 records as text: header fields and heads of blocks (ISO 28500:2017,
 * https://iipc.github.io/warc-specs/specifications/warc-format/warc-1.1/).
 *
 * A response's block is the head as received and the body with transfer-encoding removed and content-encoding kept.
 * A field that would make a reader misparse that body is renamed, not lost: `Transfer-Encoding` always, and
 * `Content-Length` where it is not the length of the body that follows (cut, unread, HEAD and 304 answers), become
 * `X-Archive-Orig-...`. What came over HTTP/2 gets a status line of HTTP/1.1, as all readers expect, and says so in
 * `WARC-Protocol: h2`.
 */
import { hash, randomUUID } from "node:crypto";
import { isIP } from "node:net";
import type { Instant } from "../base/clock.ts";
import type { Truncation } from "../model/capture.ts";
import type { FetchResponse } from "../model/fetch-result.ts";
import type { ArchiveNote } from "../ports/archive.ts";

export type RecordType = "warcinfo" | "response" | "request" | "revisit" | "metadata" | "resource" | "conversion";

/** What the warcinfo record at the head of each file says of the crawl. */
export interface WarcInfo {
  /** "trawl/1.2.3" */
  readonly software: string;
  /** How robots.txt is treated: "obey" or "ignore". */
  readonly robots: string;
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

let lastDate: { readonly at: Instant; readonly text: string } = { at: 0, text: new Date(0).toISOString() };

/** WARC-Date with milliseconds, as version 1.1 allows. The records of a capture share it, so the last one is kept. */
function warcDate(at: Instant): string {
  if (lastDate.at !== at) lastDate = { at, text: new Date(at).toISOString() };
  return lastDate.text;
}

const LINE_BREAK = /[\r\n\0]/;

/** A line break inside a field would start a field of its own: it becomes a space. */
function oneLine(text: string): string {
  return LINE_BREAK.test(text) ? text.replace(/[\r\n\0]+/g, " ") : text;
}

export interface RecordFields {
  readonly type: RecordType;
  readonly id: string;
  readonly at: Instant;
  readonly contentType: string;
  readonly targetUri?: string;
  readonly address?: string;
  readonly warcinfoId?: string;
  readonly concurrentTo?: string;
  readonly protocol?: string;
  readonly payloadDigest?: string;
  readonly blockDigest?: string;
  readonly identifiedType?: string | null;
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
    line("WARC-Protocol", fields.protocol) +
    line("WARC-Payload-Digest", fields.payloadDigest) +
    line("WARC-Block-Digest", fields.blockDigest) +
    line("WARC-Identified-Payload-Type", fields.identifiedType) +
    line("WARC-Truncated", fields.truncated) +
    (fields.robotsCopy ? `Trawl-Robots-Copy: ${fields.robotsCopy}\r\n` : "") +
    line("Trawl-Via", fields.via)
  }Content-Type: ${fields.contentType}\r\nContent-Length: ${blockLength}\r\n\r\n`;
}

/** The status line and fields of a response as they are archived, with the empty line. Latin-1. */
export function responseHead(response: FetchResponse): string {
  const version = response.httpVersion === "1.0" ? "1.0" : "1.1";
  const fields = response.rawHeaders;
  let head = `HTTP/${version} ${response.status} ${oneLine(response.statusText)}\r\n`;
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = oneLine(fields[i]!);
    const value = oneLine(fields[i + 1]!);
    head += `${misleads(name, value, response.body.length) ? "X-Archive-Orig-" : ""}${name}: ${value}\r\n`;
  }
  return `${head}\r\n`;
}

function misleads(name: string, value: string, bodyLength: number): boolean {
  switch (name.length) {
    case "Transfer-Encoding".length:
      return name.toLowerCase() === "transfer-encoding";
    case "Content-Length".length:
      return name.toLowerCase() === "content-length" && value.trim() !== String(bodyLength);
    default:
      return false;
  }
}

/** The cut that the record must own up to: a body that was left unread is a cut too. */
export function truncationOf(response: FetchResponse): Truncation | null {
  return response.truncated ?? (response.bodyRead ? null : "unspecified");
}

export function responseFields(
  response: FetchResponse,
  note: ArchiveNote,
  ids: { readonly id: string; readonly warcinfoId: string },
  digests: { readonly payloadDigest: string; readonly blockDigest: string },
): RecordFields {
  return {
    type: "response",
    ...ids,
    at: response.startedAt,
    targetUri: response.href,
    // A name stands there where a proxy looked it up: whom it connected to is not known.
    ...(isIP(response.address) === 0 ? {} : { address: response.address }),
    ...(response.httpVersion === "2" ? { protocol: "h2" } : {}),
    ...digests,
    identifiedType: note.identifiedType,
    truncated: truncationOf(response),
    robotsCopy: note.robotsId,
    via: note.via,
    contentType: "application/http;msgtype=response",
  };
}

export function requestFields(response: FetchResponse, responseId: string, blockDigest: string): RecordFields {
  return {
    type: "request",
    id: newRecordId(),
    at: response.startedAt,
    targetUri: response.href,
    concurrentTo: responseId,
    blockDigest,
    contentType: "application/http;msgtype=request",
  };
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
