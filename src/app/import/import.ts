/**
 * `trawl import`: archives, ours or anybody's, become a crawl's directory, as if it had fetched what they hold. It may be
 * killed and begun again, and repeated: what is there already is left alone.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { temporaryFolder } from "../../base/temporary.ts";
import { Duplicates } from "../../crawl/duplicates.ts";
import { leaveUnscheduled } from "../../crawl/schedule.ts";
import type { Backend } from "../../ports/frontier.ts";
import { openEmbedded } from "../../store/embedded/backend.ts";
import { recordAt } from "../../warc/read-at.ts";
import { readRecords } from "../../warc/reader.ts";
import { repairArchive } from "../../warc/repair.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import { productToken } from "../config/user-agent.ts";
import { makeDir } from "../dir/crawl-dir.ts";
import { writeIndex } from "../dir/index-file.ts";
import { openPages } from "../dir/pages-file.ts";
import { promiseNothing } from "../inspect/report/paces.ts";
import { readingOf } from "../run/compose.ts";
import type { Fault } from "../run/fault.ts";
import { UsageError } from "../usage-error.ts";
import { counted } from "../wording.ts";
import { type ImportCounts, Importer } from "./commit.ts";
import { bringIn, type Examined, examine, nameFor } from "./intake.ts";
import { type Group, type PlanCounts, readPlan, writePlan } from "./plan.ts";

export interface ImportOptions {
  /** Absolute paths. */
  readonly files: readonly string[];
  readonly dir: string;
  /** Refer to files whose records can be read alone, instead of copying them. */
  readonly link: boolean;
  /** As of a crawl: how bodies are read. */
  readonly reading: Pick<CrawlConfig, "handlers" | "nearDuplicates" | "assets" | "maxBody" | "userAgent">;
  readonly fault: Fault;
  /** "examined": bytes of files; "read": captures. What it throws ends the import, which goes on when it is begun again. */
  onProgress(step: "examined" | "read", done: number, total: number): void;
}

export interface ImportReport {
  readonly files: { readonly taken: number; readonly repacked: number; readonly known: number };
  readonly records: number;
  readonly plan: PlanCounts;
  readonly counts: ImportCounts;
  /** URLs to visit: of these the archives end with a redirect to the same URL. */
  readonly left: number;
  /** Damage found in the files: how often, and the first in words. */
  readonly faults: number;
  readonly told: readonly string[];
}

const GROUPS_AT_ONCE = 64;
const TOLD = 20;
const READ_MS = 60_000;
const LEASE_MS = 1e12;
/** "yes" until an import is through; then how many URLs it has left to visit. */
const IMPORTING = "importing";
const FILE_FACT = "imported:";

/** Throws a `UsageError` when the directory is a crawl with URLs to visit, an `ArchiveError` when its archive is damaged. */
export async function importArchives(options: ImportOptions): Promise<ImportReport> {
  const { dir, fault } = options;
  await makeDir(dir);
  const backend = openEmbedded(dir, {
    ...{ clock: systemClock, leaseMs: LEASE_MS, fault },
    ...{ hostConcurrency: Number.MAX_SAFE_INTEGER, hostShare: Number.MAX_SAFE_INTEGER },
  });
  try {
    const toVisit = await pendingIn(backend);
    const importing = await backend.fact(IMPORTING);
    // Each would be leased, so they must be few: those that an import has left.
    if (importing !== "yes" && toVisit > (Number(importing) || 0))
      throw new UsageError(
        "directory",
        `the crawl in ${dir} has ${counted(toVisit, "URL")} to visit; import into a directory of its own`,
      );
    if ((await backend.fact("startedAt")) === null) await backend.setFact("startedAt", String(systemClock.now()));
    await backend.setFact(IMPORTING, "yes");
    await promiseNothing(backend);
    await leaveUnscheduled(backend);
    const archive = join(dir, "archive");
    await makeDir(archive);
    await repairArchive(archive, await backend.marks());
    const report = await importInto(backend, archive, options);
    await writeIndex(dir, backend);
    const left = await pendingIn(backend);
    await backend.setFact(IMPORTING, String(left));
    return { ...report, left };
  } finally {
    await backend[Symbol.asyncDispose]();
  }
}

async function pendingIn(backend: Backend): Promise<number> {
  const { queued, leased, delayed } = await backend.pending();
  return queued + leased + delayed;
}

async function importInto(
  backend: Backend,
  archive: string,
  options: ImportOptions,
): Promise<Omit<ImportReport, "left">> {
  const { files, dir, fault, onProgress } = options;
  const told: string[] = [];
  const taken = { taken: 0, repacked: 0, known: 0 };
  let faults = 0;
  let records = 0;
  const fresh: { readonly name: string; readonly examined: Examined }[] = [];
  let done = 0;
  for (const path of files) {
    const examined = await examine(path, (bytes) => onProgress("examined", done + bytes, 0));
    done += examined.bytes;
    records += examined.records;
    faults += examined.faults.length;
    told.push(...examined.faults.slice(0, TOLD - told.length));
    if (examined.records === 0) continue;
    const name = await placed(examined, backend, archive, options);
    if (name === null) taken.known++;
    else {
      fresh.push({ name, examined });
      if (examined.sound) taken.taken++;
      else taken.repacked++;
    }
  }

  await using temporary = await temporaryFolder("import");
  const plan = join(temporary.path, "plan");
  const planned = await writePlan(
    recordsOf(
      archive,
      fresh.map(({ name }) => name),
    ),
    plan,
  );
  const { handlers, nearDuplicates, assets, maxBody, userAgent } = options.reading;
  const agent = productToken(userAgent) ?? "";
  await using pages = await openPages(dir, backend);
  await using reading = await readingOf({ handlers, nearDuplicates, text: false, markdown: false }, agent);
  const importer = new Importer({
    ...{ backend, pages, reading, agent, assets, readMs: READ_MS, clock: systemClock, log: silentLog },
    duplicates: await Duplicates.of(backend.contents()),
    recordAt: (place) => recordAt(archive, place),
    limits: { maxBytes: maxBody, maxRatio: 1_100 },
  });
  let seen = 0;
  let later: Group[] = [];
  const take = async (groups: readonly Group[], isLast: boolean): Promise<void> => {
    later.push(...(await importer.take(groups, isLast)));
    for (const { captures } of groups) seen += captures.length;
    onProgress("read", seen, planned.captures);
    fault("imported");
  };
  await inBatches(readPlan(plan), (groups) => take(groups, false));
  // Revisits that waited for others: as long as that helps, then as they are.
  for (let before = Number.POSITIVE_INFINITY; later.length > 0; ) {
    const groups = later;
    const isLast = groups.length >= before;
    before = groups.length;
    later = [];
    await inBatches(groups, (some) => take(some, isLast));
  }
  await importer.end();
  for (const { name, examined } of fresh)
    await backend.setFact(FILE_FACT + examined.digest, JSON.stringify({ name, done: true }));
  return { files: taken, records, plan: planned, counts: importer.counts, faults, told };
}

/** Brings a file into the archive; its name there, or null when all of it is in the state already. */
async function placed(
  examined: Examined,
  backend: Backend,
  archive: string,
  { link, fault }: ImportOptions,
): Promise<string | null> {
  const fact = FILE_FACT + examined.digest;
  const known = JSON.parse((await backend.fact(fact)) ?? "null") as { name: string; done: boolean } | null;
  if (known?.done) return null;
  const marks = await backend.marks();
  const name = known?.name ?? nameFor(examined, (one) => marks.has(one));
  if (marks.has(name)) return name;
  await backend.setFact(fact, JSON.stringify({ name, done: false }));
  await bringIn(examined, archive, name, link, async (mark) => {
    fault("import copy");
    await backend.commit({ settled: [], hosts: [], robots: [], marks: [mark] });
    fault("import mark");
  });
  return name;
}

async function* recordsOf(archive: string, names: readonly string[]) {
  for (const name of names) {
    const path = join(archive, name);
    const { size: bytes } = await stat(path);
    for await (const record of readRecords(createReadStream(path), { bytes })) yield { file: name, record };
  }
}

async function inBatches(
  groups: AsyncIterable<Group> | Iterable<Group>,
  take: (groups: readonly Group[]) => Promise<void>,
): Promise<void> {
  let batch: Group[] = [];
  for await (const group of groups) {
    batch.push(group);
    if (batch.length < GROUPS_AT_ONCE) continue;
    await take(batch);
    batch = [];
  }
  if (batch.length > 0) await take(batch);
}
