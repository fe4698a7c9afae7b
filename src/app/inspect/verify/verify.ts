/** `trawl verify`: every record read, every digest recomputed, and archive, state, index and pages held against each other. */
import { join } from "node:path";
import { type Instant, systemClock } from "../../../base/clock.ts";
import { temporaryFolder } from "../../../base/temporary.ts";
import { INDEX_FILE } from "../../dir/index-file.ts";
import { PAGES_FILE } from "../../dir/pages-file.ts";
import type { Remains } from "../../place/view.ts";
import { counted } from "../../wording.ts";
import { type ArchiveCounts, inClaimOrder, verifyArchive } from "./archive.ts";
import { Agreement, type ClaimCounts, readClaims, writeClaims } from "./claims.ts";
import { Findings } from "./findings.ts";
import { type LeftOver, leftOverIn } from "./left-over.ts";
import { verifyPages } from "./pages.ts";
import { underWayIn } from "./under-way.ts";

export interface Verification {
  readonly archive: ArchiveCounts;
  readonly claims: ClaimCounts;
  /** Whether there was a state to hold the archive against. */
  readonly hasState: boolean;
  /** Null for a crawl in a directory. */
  readonly leftOver: LeftOver | null;
  /** Lines of pages.jsonl; null when there is none, or no state to hold them against. */
  readonly pages: number | null;
  readonly faults: number;
  /** The first faults, in words. */
  readonly told: readonly string[];
  /** What is remarkable and no fault. */
  readonly notes: readonly string[];
}

/** Called with bytes of the archive read so far, and to be read. */
export type OnProgress = (done: number, total: number) => void;

/** Without a state, records and index alone are checked. Nothing is changed. `now`: by the clock of this machine. */
export async function verify(
  crawl: Remains,
  onProgress: OnProgress,
  now: Instant = systemClock.now(),
): Promise<Verification> {
  const { dir, state, archive } = crawl;
  const findings = new Findings();
  const damage = crawl.damage();
  for (const words of damage) findings.fault(`state.db: ${words}`);
  // A damaged table may give anything, or throw: then the archive is checked by itself.
  const sound = damage.length === 0 ? state : null;
  if (sound === null) findings.note("without a sound state.db, records and index alone were checked");

  const { lost } = await crawl.standing();
  if (lost !== undefined) findings.fault(`${lost}: what it knew of their pages is gone`);

  const underWay = await underWayIn(crawl, now);
  await using temporary = await temporaryFolder("verify");
  const path = join(temporary.path, "claims");
  // Before the archive is looked at: in there is all that the state speaks of by now, also while the crawl runs.
  const claims = await writeClaims(
    path,
    { state: sound, index: dir === null ? null : join(dir, INDEX_FILE) },
    findings,
  );
  const marks = (await sound?.marks()) ?? null;
  const files = inClaimOrder(await archive.files(marks), marks, underWay, findings);
  const stored = files.flatMap(({ store }) => store ?? []);
  if (stored.length > 0) findings.note(`${counted(stored.length, "file")} read from ${stored[0]!.name}`);
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const agreement = new Agreement(claims, sound !== null, findings);
  const onBytes = (done: number): void => onProgress(done, total);
  const read = await verifyArchive(files, readClaims(path), agreement, underWay, findings, onBytes);
  if (dir !== null) agreement.end();
  if (claims.lost > 0) findings.note(`${counted(claims.lost, "revisit")} of bodies that were never here`);
  const pages =
    sound === null || dir === null
      ? null
      : await verifyPages(
          join(dir, PAGES_FILE),
          marks?.get(PAGES_FILE) ?? 0,
          join(temporary.path, "pages"),
          sound,
          findings,
        );
  const leftOver = marks === null ? null : await leftOverIn(crawl, marks, underWay);
  const { faults, told, notes } = findings;
  return { archive: read, claims, hasState: sound !== null, leftOver, pages, faults, told, notes };
}
