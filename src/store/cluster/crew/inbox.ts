/**
 * What people ask of a crawl that many share: `trawl add`, `pause` and `resume` put it into Redis, and each crawler looks
 * there. An addition is taken by one crawler and goes when its URLs are admitted; one whose crawler has died is taken by
 * another. So it may be admitted twice, which changes nothing.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { additionIn } from "../../../model/addition.ts";
import type { Href } from "../../../model/url.ts";
import type { Inbox, InboxSlot } from "../../../ports/inbox.ts";
import type { Connection } from "../redis/connection.ts";

/** How often a crawler looks, in ms. */
const LOOK_EVERY_MS = 250;
/** Who takes longer than this, in ms, to admit what he took is taken for dead. */
const TAKEN_MS = 60_000;
/** More are so many additions: a crawler admits one in one go, and others may help. */
const MOST_URLS = 1_000;

const keyOf = (name: string): string => `trawl:{${name}}:inbox`;

/** The inbox of the crawl `name` as others see it. @throws ClusterError */
export function clusterSlot(connection: Connection, name: string): InboxSlot {
  const key = keyOf(name);
  return {
    async add({ urls, priority }) {
      for (let from = 0; from < urls.length; from += MOST_URLS) {
        const addition = JSON.stringify({ urls: urls.slice(from, from + MOST_URLS), priority });
        await connection.run("post", key, [addition]);
      }
      await connection.replicated();
    },
    async setPaused(paused) {
      const words = paused ? ["HSET", key, "paused", "1"] : ["HDEL", key, "paused"];
      const changed = Number(await connection.command(key, words)) === 1;
      await connection.replicated();
      return changed;
    },
    isPaused: async () => Number(await connection.command(key, ["HEXISTS", key, "paused"])) === 1,
  };
}

export interface ClusterInboxParts {
  /** The crawl. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  /** Admits URLs and gives the number of those that were new. They are acknowledged when it returns. */
  readonly admit: (urls: readonly Href[], priority: number | null) => Promise<number>;
}

/** The same as a running crawler sees it. */
export function clusterInbox(connection: Connection, { name, clock, log, admit }: ClusterInboxParts): Inbox {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let paused = false;

  /** What became of the one before, and the next. */
  async function collect(eager: boolean, before: string, became: string) {
    const now = clock.now();
    const words = [eager ? "+inf" : String(now), String(now + TAKEN_MS), before, became];
    const told = await connection.run("collect", keyOf(name), words);
    return told as [paused: number, number?: string, text?: string | null];
  }

  async function take(number: string, text: string): Promise<string> {
    const addition = additionIn(text);
    if (addition === null) {
      log.warn({ number }, "addition-unreadable");
      return "bad";
    }
    const added = await admit(addition.urls as Href[], addition.priority);
    log.info({ urls: addition.urls.length, new: added }, "added");
    return "admitted";
  }

  return {
    async look(eager) {
      const now = clock.now();
      if (!eager && now - lookedAt < LOOK_EVERY_MS) return paused;
      lookedAt = now;
      let [isPaused, number, text] = await collect(eager, "", "");
      while (number !== undefined) {
        const became = typeof text === "string" ? await take(number, text) : "admitted";
        [isPaused, number, text] = await collect(eager, number, became);
      }
      if (paused !== (isPaused === 1)) {
        paused = !paused;
        log.info({}, paused ? "paused" : "resumed");
      }
      return paused;
    },
  };
}
