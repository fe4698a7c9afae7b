/** Reads every record of an archive, checks it, and holds it against what state and index claim to be there. */

import { ascii } from "../../../base/sorted-lines.ts";
import { header } from "../../../model/fetch-result.ts";
import { checkRecord } from "../../../warc/check.ts";
import { OPEN_SUFFIX } from "../../../warc/growing-file.ts";
import { readRecords, type WarcRecord } from "../../../warc/reader.ts";
import { payloadDigest, targetOf } from "../../../warc/record-facts.ts";
import { type ArchiveFile, committedBytes, IS_ARCHIVE } from "../../dir/archive-files.ts";
import { counted, size } from "../../wording.ts";
import type { Agreement, Claim } from "./claims.ts";
import type { Findings } from "./findings.ts";
import type { UnderWay } from "./under-way.ts";

export interface ArchiveCounts {
  files: number;
  /** Of them, read. */
  bytes: number;
  records: number;
  /** By WARC-Type. */
  readonly byType: Map<string, number>;
  /** Digests that were recomputed, and right. */
  blocks: number;
  payloads: number;
  /** Responses, revisits and resources that nothing refers to. */
  unclaimed: number;
  /** Those that nothing refers to yet, since their crawlers are at it. */
  unsettled: number;
}

/** Says what is wrong, or remarkable, with the files themselves; gives them in the order of claims. */
export function inClaimOrder(
  files: readonly ArchiveFile[],
  marks: ReadonlyMap<string, number> | null,
  { isGrowing }: Pick<UnderWay, "isGrowing">,
  findings: Findings,
): readonly ArchiveFile[] {
  const left = new Map(marks ?? []);
  let open = 0;
  for (const { name, path, size: whole } of files) {
    const committed = left.get(name) ?? (marks === null ? whole : 0);
    left.delete(name);
    if (path.endsWith(OPEN_SUFFIX)) open++;
    if (committed > whole) findings.fault(`${name} has ${whole} of the ${committed} bytes that were committed`);
    if (committed < whole && !isGrowing(name))
      findings.note(`${name} ends with ${size(whole - committed)} that no commit speaks of`);
  }
  if (open > 0) findings.note(`${counted(open, "file")} still open: the crawl is running, or was killed`);
  for (const [name, bytes] of left)
    if (IS_ARCHIVE.test(name) && bytes > 0) findings.fault(`archive file ${name} is gone`);
  const key = ({ name }: ArchiveFile): string => ascii(JSON.stringify(name));
  return [...files].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Called now and then with the bytes read so far. */
export type OnBytes = (bytes: number) => void;

export async function verifyArchive(
  files: readonly ArchiveFile[],
  claims: AsyncIterator<readonly Claim[]>,
  agreement: Agreement,
  underWay: Pick<UnderWay, "mayBeSettled">,
  findings: Findings,
  onBytes: OnBytes,
): Promise<ArchiveCounts> {
  const counts: ArchiveCounts = {
    files: files.length,
    bytes: 0,
    records: 0,
    byType: new Map(),
    blocks: 0,
    payloads: 0,
    unclaimed: 0,
    unsettled: 0,
  };
  const claimed = new Claimed(claims, agreement, findings);
  await claimed.start();
  for (const file of files) {
    if (file.bytes === 0) continue;
    await claimed.passFilesBefore(file.name);
    for await (const record of readRecords(committedBytes(file), file)) {
      const where = `${file.name} at ${record.offset}`;
      onBytes(counts.bytes + record.offset);
      if (record.kind === "damage") {
        findings.fault(`${where}: ${record.what} (${size(record.length)} passed over)`);
        continue;
      }
      tally(record, where, counts, findings);
      const found = await claimed.take(file.name, record.offset);
      if (found !== null) holdAgainst(found, record, where, findings);
      else if (!/^(response|revisit)$/.test(record.type) && !isOurResource(record)) continue;
      else if (underWay.mayBeSettled(file.name, record)) counts.unsettled++;
      else counts.unclaimed++;
    }
    counts.bytes += file.bytes;
  }
  await claimed.passAll();
  return counts;
}

/** Others keep what they like in resources: urn:, screenshot: ... */
const isOurResource = ({ type, fields }: WarcRecord): boolean => type === "resource" && targetOf(fields) !== null;

function tally(record: WarcRecord, where: string, counts: ArchiveCounts, findings: Findings): void {
  const { block, payload, faults } = checkRecord(record);
  for (const fault of faults) findings.fault(`${where}: ${fault}`);
  counts.records++;
  counts.byType.set(record.type, (counts.byType.get(record.type) ?? 0) + 1);
  if (block === "right") counts.blocks++;
  if (payload === "right") counts.payloads++;
}

function holdAgainst(claims: readonly Claim[], record: WarcRecord, where: string, findings: Findings): void {
  const fault = (by: Claim["by"], words: string): void => findings.fault(`${where}: ${words} in the ${BY_WORDS[by]}`);
  for (const { by, length, digest, url, revisit } of claims) {
    const types = revisit ? ["revisit"] : ["response", "resource"];
    if (!types.includes(record.type)) fault(by, `is a ${record.type} record, a ${types[0]}`);
    else if (!isOf(url, record)) fault(by, "is of another URL than");
    else if (length !== record.length) fault(by, `has ${record.length} bytes, ${length}`);
    else if (!hasDigest(digest, record)) fault(by, "has another digest than");
  }
}

/** What was imported may be written in another form than ours: in angle brackets, with a port that goes without saying. */
function isOf(url: string, { fields }: WarcRecord): boolean {
  return header(fields, "warc-target-uri") === url || targetOf(fields)?.href === url;
}

/** Or with a digest of another kind, or with none. */
function hasDigest(digest: string, record: WarcRecord): boolean {
  return header(record.fields, "warc-payload-digest") === digest || (payloadDigest(record) ?? digest) === digest;
}

const BY_WORDS: { readonly [B in Claim["by"]]: string } = {
  capture: "state",
  robots: "state",
  index: "index",
};

/** The claims, taken from as the records go by; those that no record answers to are faults. */
class Claimed {
  readonly #claims: AsyncIterator<readonly Claim[]>;
  readonly #agreement: Agreement;
  readonly #findings: Findings;
  #next: readonly Claim[] | null = null;

  constructor(claims: AsyncIterator<readonly Claim[]>, agreement: Agreement, findings: Findings) {
    this.#claims = claims;
    this.#agreement = agreement;
    this.#findings = findings;
  }

  async start(): Promise<void> {
    const next = await this.#claims.next();
    this.#next = next.done ? null : next.value;
    if (this.#next !== null) this.#agreement.at(this.#next);
  }

  /** The claims of the record at `offset`, or null; those before it have no record. */
  async take(file: string, offset: number): Promise<readonly Claim[] | null> {
    while (this.#next !== null && this.#next[0]!.file === file && this.#next[0]!.offset < offset) await this.#pass();
    const claims = this.#next;
    if (claims === null || claims[0]!.file !== file || claims[0]!.offset !== offset) return null;
    await this.start();
    return claims;
  }

  /** Of files that are not there, and behind the last record of those that are. */
  async passFilesBefore(file: string): Promise<void> {
    const limit = ascii(JSON.stringify(file));
    while (this.#next !== null && ascii(JSON.stringify(this.#next[0]!.file)) < limit) await this.#pass();
  }

  async passAll(): Promise<void> {
    while (this.#next !== null) await this.#pass();
  }

  async #pass(): Promise<void> {
    const { file, offset, by, url } = this.#next![0]!;
    this.#findings.fault(`${file} at ${offset}: no record is there; the ${BY_WORDS[by]} says ${url}`);
    await this.start();
  }
}
