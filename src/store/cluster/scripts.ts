/** The verbs: one Lua file each, that runs in one slot as one step, with what it shares with others before it. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** A shard, what has been seen in it, its hosts. */
const ALL = ["shard", "seen", "hosts"] as const;

/** What stands before each verb. */
const VERBS = {
  open: [...ALL, "delay"],
  admit: [...ALL, "short", "cash"],
  lease: [...ALL, "short"],
  look: ALL,
  fence: ["shard", "seen"],
  settle: [...ALL, "delay"],
  release: ALL,
  reclaim: ALL,
  revisit: [...ALL, "ended"],
  schedule: [...ALL, "ended"],
  due: ["shard"],
  tell: ALL,
  cold: ALL,
  spill: ALL,
  unspill: ALL,
  top: ALL,
  take: [],
  beat: [],
  swap: [],
  turn: ["address"],
  give: ["address"],
  post: [],
  collect: [],
} as const satisfies Record<string, readonly string[]>;

export type Verb = keyof typeof VERBS;

export interface Script {
  readonly text: string;
  /** By which Redis knows it once it has run. */
  readonly sha1: string;
}

/**
 * Redis runs such a script only when it has the memory for it. Without this line one that finds none on its way is broken
 * off, and what it has done until then stands.
 */
const ATOMIC = "#!lua";

/**
 * While a slot moves from one master to another, some of its keys are with one of them and some with the other. A script
 * that meets one that is elsewhere is broken off there, and what it has done until then stands; or, sent after them, takes
 * it for empty. Redis answers a question about two keys that are nowhere only when all keys of the slot are here.
 */
const WHOLE = `if type(redis.pcall("EXISTS", KEYS[1] .. ":-", KEYS[1] .. ":--")) == "table" then
  return redis.error_reply("TRYAGAIN the slot is on its way to another master")
end`;

const read = (name: string): string => readFileSync(new URL(`./lua/${name}.lua`, import.meta.url), "utf8");

export function loadScripts(): Readonly<Record<Verb, Script>> {
  const scripts = Object.entries(VERBS).map(([verb, before]) => {
    const text = [ATOMIC, WHOLE, `local VERB = "${verb}"`, ...[...before, verb].map(read)].join("\n");
    return [verb, { text, sha1: createHash("sha1").update(text).digest("hex") }];
  });
  return Object.fromEntries(scripts) as Record<Verb, Script>;
}
