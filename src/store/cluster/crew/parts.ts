/**
 * What the crawlers of a crawl keep for each other of when pages are visited again, by shard, in two hashes:
 * trawl:{CRAWL}:scheduled, by which rules a shard is scheduled, and trawl:{CRAWL}:samples, the ids that stand for its pages.
 */
import type { Parts, Sample, Scheduled } from "../../../ports/parts.ts";
import { pairs } from "../crawl/crawl.ts";
import { crawlKey } from "../crawl/facts.ts";
import type { Connection } from "../redis/connection.ts";
import type { Members } from "./members.ts";

export interface PartsOptions {
  /** The crawl. */
  readonly name: string;
  readonly shards: number;
  readonly state: { endedIn(shard: number): ReturnType<Parts["ended"]> };
  /** Null for one that only looks: all is its own then, and nothing that it says is heard. */
  readonly members: Pick<Members, "prefers" | "others" | "count"> | null;
}

/** In front of the rules of a shard that is scheduled as a whole, and of one that is not. */
const WHOLE = "all ";
const PARTLY = "some ";
/** Fields written or asked for in one go: a command that is longer keeps all others waiting. */
const AT_ONCE = 256;

export function clusterParts(connection: Connection, { name, shards, state, members }: PartsOptions): Parts {
  const scheduledKey = `${crawlKey(name)}:scheduled`;
  const samplesKey = `${crawlKey(name)}:samples`;
  const set = async (key: string, fields: readonly (readonly [string, string])[]): Promise<void> => {
    for (let from = 0; from < fields.length; from += AT_ONCE)
      await connection.command(key, ["HSET", key, ...fields.slice(from, from + AT_ONCE).flat()]);
  };
  return {
    count: shards,
    of: (id) => id % shards,
    isMine: (part) => members?.prefers(part) ?? true,
    tell: (pages) => members?.count(pages),
    get others() {
      return (members?.others ?? []).reduce((sum, { pages }) => sum + pages, 0);
    },
    ended: (part) => state.endedIn(part),
    async scheduled() {
      const all = pairs(await connection.command(scheduledKey, ["HGETALL", scheduledKey]));
      return new Map(all.map(([shard, text]) => [Number(shard), scheduledIn(text)]));
    },
    setScheduled: (parts) =>
      set(
        scheduledKey,
        Array.from(parts, ([part, { rules, isWhole }]) => [String(part), (isWhole ? WHOLE : PARTLY) + rules]),
      ),
    async samples(parts) {
      const found = new Map<number, Sample>();
      for (let from = 0; from < parts.length; from += AT_ONCE) {
        const some = parts.slice(from, from + AT_ONCE);
        const texts = await connection.command(samplesKey, ["HMGET", samplesKey, ...some.map(String)]);
        for (const [nth, text] of (texts as (string | null)[]).entries())
          if (text !== null) found.set(some[nth]!, sampleIn(text));
      }
      return found;
    },
    keepSamples: (samples) =>
      set(
        samplesKey,
        Array.from(samples, ([part, { zeros, ids }]) => [String(part), [zeros, ...ids].join(" ")]),
      ),
  };
}

function scheduledIn(text: string): Scheduled {
  const isWhole = text.startsWith(WHOLE);
  return { rules: text.slice((isWhole ? WHOLE : PARTLY).length), isWhole };
}

function sampleIn(text: string): Sample {
  const [zeros, ...ids] = text.split(" ").map(Number);
  return { zeros: zeros!, ids };
}
