/**
 * The runner behind `npm run cases [set...]`: outside test vectors, read from where they are kept, never copied here. A
 * row that is answered otherwise on purpose is listed in docs/decisions/0009, by its id; it says of a set whether all are.
 */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

export interface CaseResult {
  readonly passed: number;
  /** One sentence a failed row: its id, what was expected, what came. */
  readonly failed: readonly string[];
  /** True when there is one right answer: a failed row fails the run. */
  readonly binding: boolean;
}

export interface CaseSet {
  readonly name: string;
  run(casesDir: string): Promise<CaseResult>;
}

const SHOWN = 10;

const here = import.meta.dirname;
const casesDir = process.env.TRAWL_CASES ?? path.resolve(here, "../../../shared/cases");
process.exitCode = await main(process.argv.slice(2));

async function main(wanted: readonly string[]): Promise<number> {
  if (!existsSync(casesDir)) {
    console.error(`no outside cases at ${casesDir}: set TRAWL_CASES to the folder that holds them`);
    return 2;
  }
  const sets = (await allSets()).filter(({ name }) => wanted.length === 0 || wanted.some((w) => name.startsWith(w)));
  if (sets.length === 0) {
    console.error(`no set is called ${wanted.join(" or ")}`);
    return 2;
  }
  const listed = await readFile(path.join(here, "../../docs/decisions/0009-outside-cases.md"), "utf8");
  let broken = 0;
  for (const set of sets) {
    const { passed, failed, binding } = await set.run(casesDir);
    if (binding && failed.length > 0) broken++;
    const unlisted = failed.filter((row) => !isListed(row, listed)).length;
    const differs = unlisted === 0 ? "as decided" : `differs, ${unlisted} not in decision 9`;
    const mark = failed.length === 0 ? "ok" : binding ? "FAILED" : differs;
    console.log(
      `${set.name.padEnd(34)} ${String(passed).padStart(5)} passed ${String(failed.length).padStart(4)} failed  ${binding ? "binding" : "policy "}  ${mark}`,
    );
    const all = process.env.TRAWL_CASES_ALL !== undefined;
    for (const row of all ? failed : failed.slice(0, SHOWN)) console.log(`    ${row}`);
    if (!all && failed.length > SHOWN)
      console.log(`    ... and ${failed.length - SHOWN} more (TRAWL_CASES_ALL=1 shows them)`);
  }
  return broken === 0 ? 0 : 1;
}

/** A row begins with its id: "robots-0471 ...", "w3lib-encoding-072: ...". */
function isListed(row: string, decision: string): boolean {
  return decision.includes(`\`${/^[^\s:]+/.exec(row)![0]}\``);
}

async function allSets(): Promise<CaseSet[]> {
  const sets: CaseSet[] = [];
  for (const file of (await readdir(here)).sort()) {
    if (!file.endsWith(".ts") || file === "run.ts" || file === "rows.ts") continue;
    const module: { sets?: readonly CaseSet[] } = await import(pathToFileURL(path.join(here, file)).href);
    sets.push(...(module.sets ?? []));
  }
  return sets;
}
