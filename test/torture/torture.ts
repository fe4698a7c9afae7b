/**
 * `npm run torture [-- KILLS [SEED]]`: kills the real process KILLS times (200 unless told), at random moments, between the steps of a
 * commit, and with the tail of SQLite's log lost; now and then some of what has ended comes back; then crawls on disks that
 * are too small. After each: nothing admitted is lost, nothing ends more often than it comes, archive, index and pages are
 * sound, counters equal a full count. Exit code 1 on any fault. Several crawls go on at a time, since each waits for its
 * hosts most of the time; what a seed stands for is the same.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { canonical, fetchedIn, tempDir, trawl } from "../e2e/trawl.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { growingDisk } from "./full-disk.ts";
import { crawlCommand, killAgainAndAgain } from "./round.ts";

const KILLS_A_ROUND = 20;
const DELAY_MS = 400;
/** A crawl at work takes less than half a core. */
const AT_ONCE = 2 * availableParallelism();
const DISKS_KIB = [400, 1_000, 2_500];

const [kills = 200, seed = Date.now() % 100_000] = process.argv.slice(2).map(Number);
await using web = await spawnFakeWeb({ hosts: 12, pagesPerHost: 40, addresses: 12 });
await using dir = await tempDir();
const whole = join(dir.path, "whole");
const first = await trawl(crawlCommand({ web, dir: whole, delayMs: DELAY_MS }));
if (first.code !== 0) throw new Error(first.stderr);
const pages = canonical(fetchedIn(whole));
console.log(`A crawl of ${pages.size} pages, to be killed ${kills} times; seed ${seed}.`);

const started = Date.now();
const sum = { moment: 0, point: 0, wal: 0 };
let faults = 0;
const tell = (what: string, found: readonly string[]): void => {
  faults += found.length;
  console.log(`${what}: ${found.length === 0 ? "sound" : `${found.length} FAULTS`}`);
  for (const fault of found) console.log(`  ${fault}`);
};
async function kill(round: number): Promise<void> {
  const before = (round - 1) * KILLS_A_ROUND;
  const report = await killAgainAndAgain({
    ...{ web, pages, dir: join(dir.path, `round-${round}`), delayMs: DELAY_MS },
    ...{
      kills: Math.min(KILLS_A_ROUND, kills - before),
      kinds: ["moment", "point", "point", "wal"],
      seed: seed + round,
    },
  });
  for (const kind of ["moment", "point", "wal"] as const) sum[kind] += report.killed[kind];
  tell(`round ${round}`, report.faults);
}

async function fill(kib: number): Promise<void> {
  const report = await growingDisk({ web, pages, dir: join(dir.path, `disk-${kib}`), delayMs: 20 }, kib);
  if (report === null) console.log("The full disk is left out: only root can mount one.");
  else tell(`a disk that grows by ${kib} KiB, full ${report.full} times`, report.faults);
}

const work = [
  ...DISKS_KIB.map((kib) => () => fill(kib)), // the longest of all
  ...Array.from({ length: Math.ceil(kills / KILLS_A_ROUND) }, (_, i) => () => kill(i + 1)),
].values();
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (const piece of work) await piece();
  }),
);
const seconds = Math.round((Date.now() - started) / 1_000);
console.log(
  `${sum.moment} kills at random moments, ${sum.point} between steps, ${sum.wal} with the log cut, in ${seconds} s: ${faults} faults.`,
);
process.exitCode = faults === 0 ? 0 : 1;
