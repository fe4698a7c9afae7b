/** What a record of an archive, ours or anybody's, says for the state. */

import { hashText } from "../../base/hash.ts";
import type { Truncation } from "../../model/capture.ts";
import { type FetchResponse, header, type RawHeaders } from "../../model/fetch-result.ts";
import type { UrlName } from "../../model/link.ts";
import type { ParsedUrl } from "../../model/url.ts";
import { contentCodings, decodeBody } from "../../net/decode.ts";
import { urlKey } from "../../policy/url-key.ts";
import { answerIn } from "../../warc/http.ts";
import type { WarcRecord } from "../../warc/reader.ts";
import { instantOf, targetOf } from "../../warc/record-facts.ts";

/** By what the state finds it: the fingerprint of its key. */
export function nameOf({ host, parts }: Pick<ParsedUrl, "host" | "parts">): UrlName {
  const [fpHi, fpLo] = hashText(urlKey(parts));
  return { host, fpHi, fpLo };
}

const CAPTURES: ReadonlySet<string> = new Set(["response", "revisit", "resource"]);

/** Whether the record is a capture of a URL that one could visit. */
export function isCapture(record: WarcRecord): boolean {
  if (!CAPTURES.has(record.type) || targetOf(record.fields) === null || instantOf(record.fields) === null) return false;
  const isHttp = /^application\/http\b/i.test(header(record.fields, "content-type") ?? "");
  if (record.type === "resource") return !isHttp;
  if (record.type === "revisit") return isHttp || record.blockLength === 0;
  return isHttp && statusIn(answerIn(record.fields, record.block).startLine) !== null;
}

/** What a metadata record says that the state keeps. */
export interface Beside {
  readonly via: string | null;
  readonly depth: number | null;
  readonly fetchMs: number | null;
}

export function besideOf(block: Buffer): Beside {
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(\\S+)`, "im").exec(text)?.[1] ?? null;
  const text = block.toString("utf8");
  const number = (value: string | null) => (value !== null && /^\d{1,9}$/.test(value) ? Number(value) : null);
  const hops = field("hopsFromSeed");
  return {
    via: field("via"),
    // Heritrix writes a letter a hop; R, a redirect, brings nobody further from the seed.
    depth: number(field("depth")) ?? (hops === null || !/^[A-Z]+$/.test(hops) ? null : hops.replaceAll("R", "").length),
    fetchMs: number(field("fetchTimeMs")),
  };
}

/** What a reader is to know of a body. */
export interface ReadLimits {
  readonly maxBytes: number;
  readonly maxRatio: number;
}

const CUTS: ReadonlySet<string> = new Set<Truncation>(["length", "time", "disconnect", "unspecified"]);

const cutOf = (fields: RawHeaders): Truncation | null => {
  const cut = header(fields, "warc-truncated")?.trim().toLowerCase() ?? null;
  return cut === null ? null : CUTS.has(cut) ? (cut as Truncation) : "unspecified";
};

const statusIn = (startLine: string): RegExpExecArray | null =>
  /^HTTP\/(\d(?:\.\d)?)\s+(\d{3})\s*(.*)$/i.exec(startLine);

/** The answer as the crawl had it. `original`: the one that a revisit refers to. Null when the head is no answer's. */
export async function responseOf(
  record: Pick<WarcRecord, "fields" | "block" | "type">,
  url: ParsedUrl,
  { fetchMs }: Pick<Beside, "fetchMs">,
  original: Pick<FetchResponse, "rawHeaders" | "body"> | null,
  limits: ReadLimits,
): Promise<FetchResponse | null> {
  const { fields, type } = record;
  const answer = answerIn(fields, record.block);
  // Some revisits have no head at all: that of the original stands for it.
  const headless = type === "revisit" && answer.startLine.trim() === "";
  const line = statusIn(headless ? "HTTP/1.1 200 OK" : answer.startLine);
  if (line === null) return null;
  const rawHeaders = headless && original !== null ? original.rawHeaders : asReceived(answer.rawHeaders);
  const status = Number(line[2]);
  const body = type === "revisit" ? (status === 304 || original === null ? NOTHING : original.body) : answer.body;
  const truncated = cutOf(fields);
  const decoded = await decodeBody(body, contentCodings(rawHeaders), truncated === null, limits);
  const startedAt = instantOf(fields)!;
  return {
    kind: "response",
    href: url.href,
    address: header(fields, "warc-ip-address")?.trim() ?? "",
    startedAt,
    endedAt: startedAt + (fetchMs ?? 0),
    requestHead: "",
    status,
    statusText: line[3]!,
    httpVersion: type === "resource" ? null : line[1] === "1.0" ? "1.0" : line[1]!.startsWith("2") ? "2" : "1.1",
    rawHeaders,
    body,
    decoded: decoded.bytes,
    bodyRead: !(truncated === "unspecified" && body.length === 0),
    truncated,
    decodeError: decoded.error,
  };
}

const NOTHING = new Uint8Array(0);

/** The fields that our archive renames, under their own names again. */
function asReceived(rawHeaders: RawHeaders): RawHeaders {
  return rawHeaders.map((text, i) => (i % 2 === 0 ? text.replace(/^X-Archive-Orig-/i, "") : text));
}
