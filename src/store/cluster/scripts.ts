/** The verbs: one Lua file each, that runs in one slot as one step. Those of one kind begin with what they share. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** By the file that stands before each. */
const KINDS = {
  shard: ["open", "seen", "admit", "lease", "look", "settle", "release", "keep", "rows"],
  address: ["turn", "give"],
} as const;
/** They stand for themselves. */
const ALONE = ["take", "beat"] as const;
export type Verb = (typeof KINDS)[keyof typeof KINDS][number] | (typeof ALONE)[number];

export interface Script {
  readonly text: string;
  /** By which Redis knows it once it has run. */
  readonly sha1: string;
}

const read = (name: string): string => readFileSync(new URL(`./lua/${name}.lua`, import.meta.url), "utf8");

export function loadScripts(): Readonly<Record<Verb, Script>> {
  const scripts: [Verb, Script][] = ALONE.map((verb) => [verb, script(read(verb))]);
  for (const [kind, verbs] of Object.entries(KINDS)) {
    const shared = read(kind);
    for (const verb of verbs) scripts.push([verb, script(`${shared}\n${read(verb)}`)]);
  }
  return Object.fromEntries(scripts) as Record<Verb, Script>;
}

const script = (text: string): Script => ({ text, sha1: createHash("sha1").update(text).digest("hex") });
