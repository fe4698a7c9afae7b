/** HTTP messages as the blocks of request, response and revisit records hold them. */
import { header, type RawHeaders } from "../model/fetch-result.ts";
import { parseFields } from "./fields.ts";

export interface HttpMessage {
  readonly startLine: string;
  /** [name, value, ...], Latin-1. */
  readonly rawHeaders: RawHeaders;
  /** All bytes behind the head. */
  readonly body: Buffer;
}

/** Never fails: what has no head is all start line. */
export function parseHttp(block: Buffer): HttpMessage {
  const { firstLine, fields, end } = parseFields(block, 0, "latin1");
  return { startLine: firstLine, rawHeaders: fields, body: block.subarray(end) };
}

/** The answer that a record of type response, revisit or resource holds; a resource is an answer without a head. */
export function answerIn(fields: RawHeaders, block: Buffer): HttpMessage {
  const type = header(fields, "content-type") ?? "";
  if (!/^application\/http\b/i.test(type)) {
    const rawHeaders = type === "" ? [] : ["Content-Type", type];
    return { startLine: "HTTP/1.1 200 OK", rawHeaders, body: block };
  }
  const message = parseHttp(block);
  return { ...message, body: payloadOf(message) };
}

/** The body with chunked transfer-encoding removed, where it is declared and really there: others archive it as it came. */
export function payloadOf(message: HttpMessage): Buffer {
  const coding = header(message.rawHeaders, "transfer-encoding");
  if (coding === null || !/\bchunked\b/i.test(coding)) return message.body;
  return dechunk(message.body) ?? message.body;
}

/** RFC 9112 section 7.1; null when the bytes are not chunked. A cut end is taken as far as it goes. */
function dechunk(body: Buffer): Buffer | null {
  const chunks: Buffer[] = [];
  let at = 0;
  while (at < body.length) {
    const lineEnd = body.indexOf("\r\n", at, "latin1");
    if (lineEnd < 0) return null;
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(body.toString("latin1", at, lineEnd));
    if (size === null) return null;
    const length = Number.parseInt(size[1]!, 16);
    if (length === 0) break;
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
  return Buffer.concat(chunks);
}
