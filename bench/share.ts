/**
 * Which share of a crawl's CPU time is spent in one folder of the sources, and in what it calls:
 *
 *   node --cpu-prof --cpu-prof-dir=PROF bin/trawl.js crawl URL ...
 *   node bench/share.ts PROF src/warc
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const [dir, folder] = process.argv.slice(2);
if (dir === undefined || folder === undefined) throw new Error("node bench/share.ts PROFILES FOLDER");

let busy = 0;
let inside = 0;
const byFunction = new Map<string, number>();
for (const name of (await readdir(dir)).filter((one) => one.endsWith(".cpuprofile")))
  count(JSON.parse(await readFile(join(dir, name), "utf8")) as Profile, folder);
const ms = (micros: number): string => `${Math.round(micros / 1000)} ms`;
console.log(`${ms(busy)} in all, ${ms(inside)} in ${folder}: ${((100 * inside) / busy).toFixed(1)} %`);
for (const [name, micros] of [...byFunction].sort((a, b) => b[1] - a[1]).slice(0, 8))
  console.log(`  ${name}: ${ms(micros)}`);

function count({ nodes, samples, timeDeltas }: Profile, within: string): void {
  /** Of each node the outermost function in the folder that it was called by, itself included. */
  const owners = new Map<number, string | null>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const visit = (id: number, owner: string | null): void => {
    const { callFrame, children = [] } = byId.get(id)!;
    const own = owner ?? (callFrame.url.includes(`/${within}/`) ? callFrame.functionName : null);
    owners.set(id, own);
    for (const child of children) visit(child, own);
  };
  visit(nodes[0]!.id, null);
  for (const [i, id] of samples.entries()) {
    if (byId.get(id)!.callFrame.functionName === "(idle)") continue;
    busy += timeDeltas[i]!;
    const owner = owners.get(id) ?? null;
    if (owner === null) continue;
    inside += timeDeltas[i]!;
    byFunction.set(owner, (byFunction.get(owner) ?? 0) + timeDeltas[i]!);
  }
}
