/** One crawl that is killed again and again, and looked at each time; at its end it must hold what an unbroken one holds. */
import { existsSync } from "node:fs";
import { stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { spoolSlot } from "../../src/app/dir/spool.ts";
import { systemClock } from "../../src/base/clock.ts";
import { openEmbedded } from "../../src/store/embedded/backend.ts";
import { ask, canonical, checkArchive, endsIn, startTrawl, trawl } from "../e2e/trawl.ts";
import { random } from "../web/random.ts";
import type { SpawnedWeb } from "../web/spawn.ts";
import { standingOf } from "./invariants.ts";

/**
 * moment: at a random moment. point: between two steps of a commit. wal: at a random moment, and SQLite's log of what is
 * not in its file yet loses its tail, as when the power fails.
 */
export type KillKind = "moment" | "point" | "wal";

export interface Round {
  readonly web: SpawnedWeb;
  /** Pages that an unbroken crawl fetches, canonical. */
  readonly pages: ReadonlySet<string>;
  readonly dir: string;
  /** So long that a run that is killed within it gets through a page or two of each host, and enough is left for all kills. */
  readonly delayMs: number;
  readonly kills: number;
  readonly kinds: readonly KillKind[];
  readonly seed: number;
}

export interface RoundReport {
  readonly killed: Readonly<Record<KillKind, number>>;
  readonly faults: readonly string[];
}

/** Steps of the store's transactions, and of what stands before and after them. */
const POINTS = [
  ...["begin", "visit", "links", "settle", "robots", "mark", "hosts", "chunks", "journal"],
  ...["before commit", "after commit", "pages", "spool", "ended"],
];

const ONCE_A_RUN: ReadonlySet<string> = new Set(["spool", "ended"]);
const PAGES_TO_A_POINT = 15;
const UNKNOWN_FILE = /^\S+\.unknown was left open$/;

export function crawlCommand(
  { web, dir, delayMs }: Pick<Round, "web" | "dir" | "delayMs">,
  ...more: string[]
): string[] {
  return [
    ...["crawl", `${web.origin(0)}/`, "--scope", "any", "--delay", `${delayMs}ms`, "--dir", dir, ...more],
    ...["--allow-net", web.allowNet, "--dns", web.dns],
  ];
}

export async function killAgainAndAgain(round: Round): Promise<RoundReport> {
  const { web, dir, kills, kinds } = round;
  const chance = random(round.seed, "kills");
  const killed = { moment: 0, point: 0, wal: 0 };
  const faults: string[] = [];
  let admitted: ReadonlySet<string> = new Set();
  let done = 0;
  for (let attempt = 0; attempt < kills * 4 && done < kills; attempt++) {
    const kind = kinds[chance.int(0, kinds.length - 1)]!;
    const name = POINTS[chance.int(0, POINTS.length - 1)]!;
    const point = `${name}:${ONCE_A_RUN.has(name) ? 1 : chance.int(1, 12)}`;
    if (attempt > 0 && (point === "spool:1" || chance.int(0, 2) === 0))
      await spool(dir, `${web.origin(chance.int(0, 9))}/`);
    if (chance.int(0, 3) === 0) await comeBack(dir, chance);
    const before = visitsIn(dir);
    // A run that is to die at a point does not go far: enough is left for the kills to come.
    const options = { env: { TRAWL_TORTURE_KILL_AT: point } };
    const { process, ended } =
      kind === "point"
        ? startTrawl(crawlCommand(round, "--limit", String(before + PAGES_TO_A_POINT)), options)
        : startTrawl(crawlCommand(round));
    if (kind !== "point") {
      await atWork(dir, before, process.pid!);
      await sleep(chance.int(0, round.delayMs));
      process.kill("SIGKILL");
    }
    const run = await ended;
    if (run.signal !== "SIGKILL") {
      if (run.code !== 0) faults.push(`attempt ${attempt}: exit code ${run.code}: ${run.stderr}`);
      continue;
    }
    killed[kind]++;
    done++;
    if (kind === "wal" && (await cutWal(dir, chance.int(0, 1_000_000)))) admitted = new Set();
    const standing = await standingOf(dir, admitted);
    admitted = standing.admitted;
    const how = kind === "point" ? `at ${point}` : kind;
    faults.push(...standing.faults.map((fault) => `kill ${done} (${how}): ${fault}`));
  }
  if (done < kills) faults.push(`only ${done} of ${kills} kills hit`);

  const last = await trawl(crawlCommand(round));
  if (last.code !== 0) faults.push(`the last run: exit code ${last.code}: ${last.stderr}`);
  const got = canonical(pagesIn(dir));
  for (const page of round.pages) if (!got.has(page)) faults.push(`${page} was never fetched`);
  for (const page of got) if (!round.pages.has(page)) faults.push(`${page} was fetched, and not by the unbroken crawl`);
  for (const { href } of ask(dir, "SELECT url.href FROM urls JOIN url USING (id) WHERE state <> 'ended'"))
    faults.push(`${href} has not ended`);
  // A file that the state has forgotten, with the tail of its log, is put aside and not removed.
  const unsound = (await checkArchive(dir)).faults.filter((fault) => !(killed.wal > 0 && UNKNOWN_FILE.test(fault)));
  faults.push(...unsound, ...(await standingOf(dir, admitted)).faults);
  return { killed, faults };
}

/** What was fetched, also when it came back since and had not changed. */
function pagesIn(dir: string): string[] {
  return [...endsIn(dir)].filter(([, end]) => end === "fetched" || end === "not-modified").map(([href]) => href);
}

async function spool(dir: string, href: string): Promise<void> {
  await spoolSlot(dir).add({ urls: [href], priority: null }, Date.now());
}

/** Queues some of the URLs again that have ended, as a schedule does between two runs. */
async function comeBack(dir: string, chance: ReturnType<typeof random>): Promise<void> {
  if (!existsSync(join(dir, "state.db"))) return;
  await using backend = openEmbedded(dir, { clock: systemClock });
  const ended = (await Array.fromAsync(backend.urls({ endedOnly: true }))).filter(() => chance.int(0, 3) === 0);
  await backend.revisit(ended.map(({ id }) => ({ id, priority: chance.int(0, 2) })));
}

/** Cuts the log somewhere in its later half, so that the beginning of the crawl stays; false when there is none. */
async function cutWal(dir: string, at: number): Promise<boolean> {
  const wal = join(dir, "state.db-wal");
  const size = (await stat(wal).catch(() => null))?.size ?? 0;
  if (size === 0) return false;
  await truncate(wal, Math.ceil(size / 2) + (at % Math.ceil(size / 2)));
  return true;
}

/** Waits until the run has recorded a visit of its own, then it is at work; or until it has ended. */
async function atWork(dir: string, before: number, pid: number): Promise<void> {
  for (let i = 0; i < 800 && alive(pid); i++) {
    if (visitsIn(dir) > before) return;
    await sleep(25);
  }
}

/** Visits recorded so far; 0 while there is no state yet. */
function visitsIn(dir: string): number {
  try {
    return ask(dir, "SELECT count(*) AS n FROM visit WHERE attempt > 0")[0]!.n as number;
  } catch {
    return 0;
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
