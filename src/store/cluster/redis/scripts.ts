/**
 * The verbs: one Lua file each, that runs in one slot as one step, with what it shares with others before it. All together are one
 * library of functions, which each master of the cluster is given once.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** What stands before all verbs. */
const SHARED = ["verb", "shard", "table", "filter", "seen", "hosts", "sets", "keep", "delay", "short", "cash", "ended"];

/** Each verb, and what stands before it alone. */
const VERBS = {
  create: [],
  open: [],
  admit: [],
  lease: [],
  look: [],
  fence: [],
  settle: [],
  release: [],
  reclaim: [],
  revisit: [],
  schedule: [],
  due: [],
  tell: [],
  cold: [],
  spill: [],
  unspill: [],
  pointed: [],
  top: [],
  take: [],
  recall: [],
  renew: [],
  beat: [],
  swap: [],
  turn: ["address"],
  give: ["address"],
  post: [],
  collect: [],
  count: [],
} as const satisfies Record<string, readonly string[]>;

export type Verb = keyof typeof VERBS;

export interface Library {
  /** As Redis is given it. It says nothing of running when memory is short, and so Redis runs none of its functions then. */
  readonly text: string;
  readonly functionOf: (verb: Verb) => string;
}

const read = (name: string): string => readFileSync(new URL(`../lua/${name}.lua`, import.meta.url), "utf8");
/** Names in it are its own. */
const block = (names: readonly string[]): string => ["do", ...names.map(read), "end"].join("\n");

/** Its name carries the hash of its text, so that two versions of Trawl may work on one cluster. */
export function loadLibrary(): Library {
  const verbs = Object.entries(VERBS).map(([verb, before]) => block([...before, verb]));
  const body = [...SHARED.map(read), ...verbs].join("\n");
  const name = `trawl_${createHash("sha256").update(body).digest("hex").slice(0, 12)}`;
  return {
    text: `#!lua name=${name}\nlocal LIBRARY = "${name}"\n${body}`,
    functionOf: (verb) => `${name}_${verb}`,
  };
}
