/** A crawl on a disk that is too small, and then grows: it stops with one sentence, and goes on, until it is done. */
import { spawnSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { canonical, checkArchive, fetchedIn, trawl } from "../e2e/trawl.ts";
import { standingOf } from "./invariants.ts";
import { crawlCommand, type Round } from "./round.ts";

export interface DiskReport {
  /** Times that the disk was full. */
  readonly full: number;
  readonly faults: readonly string[];
}

/** Only root may mount; whoever is not gets null. `kib`: how large the disk is at first, and how much it grows each time. */
export async function growingDisk(
  { web, pages, dir, delayMs }: Pick<Round, "web" | "pages" | "dir" | "delayMs">,
  kib: number,
): Promise<DiskReport | null> {
  await mkdir(dir, { recursive: true });
  if (!mount(["-t", "tmpfs", "-o", `size=${kib}k`, "tmpfs", dir])) return null;
  try {
    const to = join(dir, "crawl");
    const faults: string[] = [];
    let admitted: ReadonlySet<string> = new Set();
    let full = 0;
    for (let size = kib; full < 50; size += kib) {
      const run = await trawl(crawlCommand({ web, dir: to, delayMs }));
      if (run.code === 0) break;
      full++;
      const says = run.stderr.trimEnd().split("\n").at(-1) ?? "";
      if (run.code !== 3) faults.push(`${size} KiB: exit code ${run.code}: ${run.stderr}`);
      if (!/full|no room|no space/i.test(says)) faults.push(`${size} KiB: does not say that the disk is full: ${says}`);
      if (!mount(["-o", `remount,size=${size + kib}k`, dir])) faults.push("the disk could not grow");
      const standing = await standingOf(to, admitted);
      faults.push(...standing.faults.map((fault) => `${size} KiB: ${fault}`));
      admitted = standing.admitted;
    }
    const got = canonical(fetchedIn(to));
    for (const page of pages) if (!got.has(page)) faults.push(`${page} was never fetched`);
    faults.push(...(await checkArchive(to)).faults, ...(await standingOf(to, admitted)).faults);
    return { full, faults };
  } finally {
    spawnSync("umount", [dir]);
  }
}

const mount = (args: readonly string[]): boolean => spawnSync("mount", args).status === 0;
