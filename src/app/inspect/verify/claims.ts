/**
 * What state and index claim to be in the archive, sorted as the archive is read: by file and offset. So all three are
 * held against each other in one pass, in bounded memory, however large the crawl is.
 */
import { open } from "node:fs/promises";
import { hashText } from "../../../base/hash.ts";
import { ascii, writeSorted } from "../../../base/sorted-lines.ts";
import type { Capture } from "../../../model/capture.ts";
import type { ReadOnlyState } from "../../../ports/read-only.ts";
import { cdxEntry, cdxjLine, REVISIT_MIME } from "../../../warc/cdxj.ts";
import { bodyPlace } from "../../dir/bodies.ts";
import { counted } from "../../wording.ts";
import type { Findings } from "./findings.ts";

export interface Claim {
  /** A capture in the state, a copy of robots.txt in the state, a line of the index. */
  readonly by: "capture" | "robots" | "index";
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  /** `sha1:BASE32` of the payload. */
  readonly digest: string;
  readonly url: string;
  /** The body is in another record. */
  readonly revisit: boolean;
  /** Of captures their number in the state, of lines their number in the index. */
  readonly ordinal: number;
  /** Of the index line that the claim is, or should be. */
  readonly line: string;
}

/** How many claims there are of each kind. */
export interface ClaimCounts {
  captures: number;
  /** Of the captures, those whose body is in another record. */
  revisits: number;
  /** Of the revisits, those whose body was never here. */
  lost: number;
  robots: number;
  /** Null when there is no index. */
  indexed: number | null;
}

/**
 * Writes the claims to `path`, sorted. `state` null: the index alone. Lines of the index that are out of order or say
 * nothing are faults.
 */
export async function writeClaims(
  path: string,
  { state, index }: { readonly state: ReadOnlyState | null; readonly index: string | null },
  findings: Findings,
): Promise<ClaimCounts> {
  const counts: ClaimCounts = { captures: 0, revisits: 0, lost: 0, robots: 0, indexed: null };
  await writeSorted(claimLines(state, index, counts, findings), path);
  return counts;
}

async function* claimLines(
  state: ReadOnlyState | null,
  index: string | null,
  counts: ClaimCounts,
  findings: Findings,
): AsyncGenerator<string> {
  for await (const visit of state?.captures() ?? []) {
    const ordinal = counts.captures++;
    const capture = visit.capture!;
    const claim = { by: "capture" as const, url: visit.href, ordinal, line: cdxjLine(cdxEntry(visit)!) };
    yield print({ ...claim, ...place(capture) });
    if (capture.revisitOf === undefined) continue;
    counts.revisits++;
    if ((await bodyPlace(capture, state!)) !== null) continue;
    // Imported, and its body was in none of the files: the state has never claimed to have it.
    if (capture.revisitOf === visit.urlId) counts.lost++;
    else findings.fault(`the body of ${visit.href} should be with URL ${capture.revisitOf}, and is not`);
  }
  for await (const { capture, href } of state?.robotsCopies() ?? []) {
    if (capture === null) continue;
    const ordinal = counts.robots++;
    yield print({ by: "robots", url: href, ordinal, line: "", ...place(capture) });
  }
  if (index === null) return;
  const file = await open(index).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return null;
    throw cause;
  });
  if (file === null) return;
  counts.indexed = 0;
  let last = "";
  for await (const text of file.readLines({ encoding: "latin1" })) {
    const ordinal = ++counts.indexed;
    if (text < last) findings.fault(`index line ${ordinal} is out of order`);
    last = text;
    const claim = claimOf(text, ordinal);
    if (claim === null) findings.fault(`index line ${ordinal} is no entry of an index`);
    else yield print(claim);
  }
}

const place = ({ response: { file, offset, length }, digest, revisitOf }: Capture) => ({
  ...{ file, offset, length, digest },
  revisit: revisitOf !== undefined,
});

/** Null when the line says no place. */
function claimOf(text: string, ordinal: number): Claim | null {
  const facts = factsOf(text);
  const { filename: file, digest, url } = facts ?? {};
  const [offset, length] = [Number(facts?.offset ?? Number.NaN), Number(facts?.length ?? Number.NaN)];
  if (typeof file !== "string" || typeof digest !== "string" || typeof url !== "string") return null;
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0) return null;
  const revisit = facts?.mime === REVISIT_MIME;
  return { by: "index", file, offset, length, digest, url, revisit, ordinal, line: `${text}\n` };
}

function factsOf(text: string): Record<string, unknown> | null {
  try {
    const facts: unknown = JSON.parse(text.slice(text.indexOf(" {") + 1));
    return typeof facts === "object" && facts !== null ? { ...facts } : null;
  } catch {
    return null;
  }
}

/** Fields whose order is that of the archive come first, in texts that sort as numbers do. */
function print({ by, file, offset, length, digest, url, revisit, ordinal, line }: Claim): string {
  const [hi, lo] = hashText(line);
  const at = String(offset).padStart(16, "0");
  return `${ascii(JSON.stringify([file, at, by, length, digest, url, revisit, ordinal, `${hi}-${lo}`]))}\n`;
}

/** The claims in order, those of one place together. */
export async function* readClaims(path: string): AsyncGenerator<readonly Claim[]> {
  const file = await open(path);
  let held: Claim[] = [];
  for await (const text of file.readLines()) {
    const [name, at, by, length, digest, url, revisit, ordinal, line] = JSON.parse(text);
    const claim: Claim = { by, file: name, offset: Number(at), length, digest, url, revisit, ordinal, line };
    if (held.length > 0 && (held[0]!.file !== claim.file || held[0]!.offset !== claim.offset)) {
      yield held;
      held = [];
    }
    held.push(claim);
  }
  if (held.length > 0) yield held;
}

/** Holds state and index against each other, place by place. */
export class Agreement {
  readonly #findings: Findings;
  readonly #counts: ClaimCounts;
  readonly #hasState: boolean;
  /** Captures that the index lacks: how many, and the first. */
  #lacked = 0;
  #firstLacked = Number.POSITIVE_INFINITY;
  #lastIndexed = -1;

  constructor(counts: ClaimCounts, hasState: boolean, findings: Findings) {
    this.#counts = counts;
    this.#hasState = hasState;
    this.#findings = findings;
  }

  /** All that is claimed of one place. */
  at(claims: readonly Claim[]): void {
    const capture = claims.find(({ by }) => by === "capture");
    const lines = claims.filter(({ by }) => by === "index");
    const where = `${claims[0]!.file} at ${claims[0]!.offset}`;
    if (lines.length > 1) this.#findings.fault(`${where} is in the index ${lines.length} times`);
    if (capture === undefined) {
      if (this.#hasState && lines.length > 0) this.#findings.fault(`${where} is in the index, and not in the state`);
    } else if (lines.length > 0) {
      this.#lastIndexed = Math.max(this.#lastIndexed, capture.ordinal);
      if (lines[0]!.line !== capture.line) this.#findings.fault(`${where}: the index says other than the state`);
    } else {
      this.#lacked++;
      this.#firstLacked = Math.min(this.#firstLacked, capture.ordinal);
    }
  }

  /** An index is written when a run ends: that it lacks the latest captures is no fault, that it has gaps is one. */
  end(): void {
    if (!this.#hasState) return;
    if (this.#counts.indexed === null) {
      if (this.#counts.captures > 0)
        this.#findings.note("there is no index yet: it is written when the crawl ends or is stopped");
    } else if (this.#lacked > 0 && this.#firstLacked > this.#lastIndexed) {
      const lacked = counted(this.#lacked, "capture");
      this.#findings.note(`the index ends before the last ${lacked}: the crawl's command writes it anew`);
    } else if (this.#lacked > 0) {
      this.#findings.fault(`${counted(this.#lacked, "capture")} of the state missing in the index`);
    }
  }
}
