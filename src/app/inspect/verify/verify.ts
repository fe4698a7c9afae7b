/** `trawl verify`: every record read, every digest recomputed, and archive, state, index and pages held against each other. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReadOnlyState } from "../../../store/embedded/read-only.ts";
import { archiveFiles } from "../../dir/archive-files.ts";
import { INDEX_FILE } from "../../dir/index-file.ts";
import { PAGES_FILE } from "../../dir/pages-file.ts";
import { storeOf } from "../../dir/store.ts";
import { counted } from "../../wording.ts";
import { type ArchiveCounts, inClaimOrder, verifyArchive } from "./archive.ts";
import { Agreement, type ClaimCounts, readClaims, writeClaims } from "./claims.ts";
import { Findings } from "./findings.ts";
import { verifyPages } from "./pages.ts";

export interface Verification {
  readonly archive: ArchiveCounts;
  readonly claims: ClaimCounts;
  /** Lines of pages.jsonl; null when there is no state to hold them against. */
  readonly pages: number | null;
  readonly faults: number;
  /** The first faults, in words. */
  readonly told: readonly string[];
  /** What is remarkable and no fault. */
  readonly notes: readonly string[];
}

/** Called with bytes of the archive read so far, and to be read. */
export type OnProgress = (done: number, total: number) => void;

/** `state` null: there is none, so records and index alone are checked. Nothing in `dir` is changed. */
export async function verify(dir: string, state: ReadOnlyState | null, onProgress: OnProgress): Promise<Verification> {
  const findings = new Findings();
  const damage = state?.damage() ?? [];
  for (const words of damage) findings.fault(`state.db: ${words}`);
  // A damaged table may give anything, or throw: then the archive is checked by itself.
  const sound = damage.length === 0 ? state : null;
  if (sound === null) findings.note("without a sound state.db, records and index alone were checked");

  const temporary = await mkdtemp(join(tmpdir(), "trawl-verify-"));
  try {
    const marks = (await sound?.marks()) ?? null;
    await using store = await storeOf(dir);
    const files = inClaimOrder(await archiveFiles(join(dir, "archive"), marks, store), marks, findings);
    const stored = files.filter((file) => file.store !== undefined).length;
    if (stored > 0) findings.note(`${counted(stored, "file")} read from ${store!.name}`);
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const path = join(temporary, "claims");
    const claims = await writeClaims(path, { state: sound, index: join(dir, INDEX_FILE) }, findings);
    const agreement = new Agreement(claims, sound !== null, findings);
    const onBytes = (done: number): void => onProgress(done, total);
    const archive = await verifyArchive(files, readClaims(path), agreement, findings, onBytes);
    agreement.end();
    if (claims.lost > 0) findings.note(`${counted(claims.lost, "revisit")} of bodies that were never here`);
    const pages =
      sound === null
        ? null
        : await verifyPages(
            join(dir, PAGES_FILE),
            marks?.get(PAGES_FILE) ?? 0,
            join(temporary, "pages"),
            sound,
            findings,
          );
    const { faults, told, notes } = findings;
    return { archive, claims, pages, faults, told, notes };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
