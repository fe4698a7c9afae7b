/** The verbs: one Lua file each, that runs in one shard as one step. Each begins with what they share. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const VERBS = ["open", "seen", "admit", "lease", "look", "settle", "release", "keep", "rows", "take"] as const;
export type Verb = (typeof VERBS)[number];

export interface Script {
  readonly text: string;
  /** By which Redis knows it once it has run. */
  readonly sha1: string;
}

const read = (name: string): string => readFileSync(new URL(`./lua/${name}.lua`, import.meta.url), "utf8");

export function loadScripts(): Readonly<Record<Verb, Script>> {
  const shared = read("shard");
  const script = (verb: Verb): Script => {
    const text = `${shared}\n${read(verb)}`;
    return { text, sha1: createHash("sha1").update(text).digest("hex") };
  };
  return Object.fromEntries(VERBS.map((verb) => [verb, script(verb)])) as Record<Verb, Script>;
}
