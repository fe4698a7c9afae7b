/** What can be told of a record from itself: whether it is well formed, and whether its bytes are those it vouches for. */
import { header } from "../model/fetch-result.ts";
import { checkBlockDigest, checkPayloadDigest, type DigestCheck } from "./digests.ts";
import type { Flaw, WarcRecord } from "./reader.ts";

export interface RecordCheck {
  readonly block: DigestCheck;
  readonly payload: DigestCheck;
  /** In words; none when the record is sound. */
  readonly faults: readonly string[];
}

const FLAW_WORDS: { readonly [F in Flaw]: string } = {
  trailer: "two line ends are missing behind it",
  "shared-member": "shares its gzip member or zstd frame with other records",
  "split-member": "spans several gzip members or zstd frames",
};

/** Types whose records speak of a URL (WARC 1.1, section 5.12). */
const ABOUT_A_URL: ReadonlySet<string> = new Set(["response", "resource", "request", "revisit", "conversion"]);

export function checkRecord(record: WarcRecord): RecordCheck {
  const faults = record.flaws.map((flaw) => FLAW_WORDS[flaw]);
  const field = (name: string): string => header(record.fields, name) ?? "";
  if (record.type === "") faults.push("has no WARC-Type");
  if (!/^<\S+>$/.test(field("warc-record-id"))) faults.push("has no valid WARC-Record-ID");
  if (Number.isNaN(Date.parse(field("warc-date")))) faults.push("has no valid WARC-Date");
  if (ABOUT_A_URL.has(record.type) && field("warc-target-uri") === "") faults.push("has no WARC-Target-URI");
  if (record.type === "revisit" && field("warc-profile") === "") faults.push("has no WARC-Profile");
  const block = checkBlockDigest(record);
  const payload = checkPayloadDigest(record);
  if (block === "wrong") faults.push("its block is not the one that was digested");
  if (payload === "wrong") faults.push("its payload is not the one that was digested");
  return { block, payload, faults };
}
