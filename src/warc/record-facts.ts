/** What a record says of itself, in our forms, whoever wrote it. */
import type { Instant } from "../base/clock.ts";
import { header, type RawHeaders } from "../model/fetch-result.ts";
import { KNOWN, type ParsedUrl, parseUrl, type UrlLimits } from "../model/url.ts";
import { checkPayloadDigest, sha1InBase32 } from "./digests.ts";
import { answerIn } from "./http.ts";
import type { WarcRecord } from "./reader.ts";
import { sha1Digest } from "./record.ts";

/** Others archive longer URLs than we would ask for. */
const ANY_LENGTH: UrlLimits = { ...KNOWN, maxLength: 65_536 };

/** The URL that a record is about; null when there is none that one could visit. Some put it into angle brackets. */
export function targetOf(fields: RawHeaders, name = "warc-target-uri"): ParsedUrl | null {
  const text =
    header(fields, name)
      ?.trim()
      .replace(/^<(.*)>$/, "$1") ?? "";
  const parsed = text === "" ? null : parseUrl(text, undefined, ANY_LENGTH);
  return parsed?.ok ? parsed.value : null;
}

/** Null when it has none. Digits beyond milliseconds are dropped. */
export function instantOf(fields: RawHeaders, name = "warc-date"): Instant | null {
  const at = Date.parse((header(fields, name) ?? "").replace(/(\.\d{3})\d+/, "$1"));
  return Number.isNaN(at) ? null : at;
}

/** `sha1:BASE32` of the payload: as the record says when it says so truly, else computed. Of a revisit, what it says. */
export function payloadDigest(record: WarcRecord): string | null {
  const said = header(record.fields, "warc-payload-digest");
  const ours = said === null ? null : sha1InBase32(said);
  if (record.type === "revisit") return ours;
  if (ours !== null && checkPayloadDigest(record) === "right") return ours;
  if (record.checks !== null) return record.checks.payloadDigest;
  return sha1Digest(answerIn(record.fields, record.block).body);
}
