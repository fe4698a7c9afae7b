/**
 * What the records of one capture say: response, revisit or resource, request, metadata, conversions.
 *
 * A response's block is the head as received, to the byte, and the body with transfer-encoding removed and
 * content-encoding kept. A field that would make a reader misparse that body is renamed, not lost: `Transfer-Encoding`
 * always, and `Content-Length` where it is not the length of the body that follows (cut, unread, HEAD and 304 answers),
 * become `X-Archive-Orig-...`; and the empty line behind it is CRLF. What came over HTTP/2 has no head of bytes: it gets one of HTTP/1.1, as all readers
 * expect, and says so in `WARC-Protocol: h2`. What came by no HTTP is a resource: its block is the content alone (WARC 1.1, section 6.4).
 */
import { isIP } from "node:net";
import type { Truncation } from "../model/capture.ts";
import { type FetchResponse, header } from "../model/fetch-result.ts";
import type { ArchiveNote, Conversion, Revisit } from "../ports/archive.ts";
import { newRecordId, oneLine, type RecordFields } from "./record.ts";

/** The status line and fields of a response as they are archived, with the empty line. Latin-1. "" for a resource. */
export function responseHead(response: FetchResponse): string {
  if (response.httpVersion === null) return "";
  if (response.rawHead != null)
    return response.rawHead
      .replace(FRAMING, (line, name, value) =>
        misleads(name, value, response.body.length) ? `X-Archive-Orig-${line}` : line,
      )
      .replace(END, "\r\n\r\n");
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

/** A field that says how long a message is, wherever lenient readers may find one. */
const FRAMING = /(?<=[\r\n])(transfer-encoding|content-length)[ \t]*:([^\r\n]*)/gi;

/** Readers of archives look for the end of a head as HTTP writes it. */
const END = /\r?\n\r?\n$/;

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

export interface MainIds {
  readonly id: string;
  readonly warcinfoId: string;
}

export interface MainDigests {
  readonly payloadDigest: string;
  readonly blockDigest: string;
}

/** Of a resource or a response, or of a revisit when the note names an original. */
export function mainFields(
  response: FetchResponse,
  note: ArchiveNote,
  ids: MainIds,
  digests: MainDigests,
): RecordFields {
  const { revisit = null } = note;
  const isResource = response.httpVersion === null;
  return {
    type: isResource ? "resource" : revisit === null ? "response" : "revisit",
    ...ids,
    at: response.startedAt,
    targetUri: response.href,
    // A name stands there where a proxy looked it up: whom it connected to is not known.
    ...(isIP(response.address) === 0 ? {} : { address: response.address }),
    protocols: protocolsOf(response),
    cipher: response.tls?.cipher,
    ...digests,
    ...(revisit === null ? { truncated: truncationOf(response) } : revisitFields(revisit)),
    identifiedType: isResource ? null : note.identifiedType,
    robotsCopy: note.robotsId,
    via: note.via,
    contentType: isResource ? header(response.rawHeaders, "content-type") : "application/http;msgtype=response",
  };
}

/** WARC 1.1, section 6.7. */
function revisitFields({ profile, original }: Revisit): Partial<RecordFields> {
  return {
    profile: `http://netpreserve.org/warc/1.1/revisit/${profile}`,
    refersToTargetUri: original.href,
    refersToDate: original.at,
  };
}

function protocolsOf({ httpVersion, tls }: FetchResponse): string[] {
  if (httpVersion === null) return [];
  const http = httpVersion === "2" ? "h2" : `http/${httpVersion}`;
  return tls === undefined ? [http] : [http, tls.protocol];
}

export function requestFields(response: FetchResponse, mainId: string, blockDigest: string): RecordFields {
  return {
    type: "request",
    id: newRecordId(),
    at: response.startedAt,
    targetUri: response.href,
    concurrentTo: mainId,
    blockDigest,
    contentType: "application/http;msgtype=request",
  };
}

export function metadataFields(response: FetchResponse, mainId: string, blockDigest: string): RecordFields {
  return {
    type: "metadata",
    id: newRecordId(),
    at: response.startedAt,
    targetUri: response.href,
    concurrentTo: mainId,
    blockDigest,
    contentType: "application/warc-fields",
  };
}

export function conversionFields(
  response: FetchResponse,
  { type }: Conversion,
  ids: MainIds,
  blockDigest: string,
): RecordFields {
  return {
    type: "conversion",
    id: newRecordId(),
    at: response.startedAt,
    targetUri: response.href,
    warcinfoId: ids.warcinfoId,
    refersTo: ids.id,
    blockDigest,
    contentType: type,
  };
}
