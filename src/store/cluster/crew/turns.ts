/**
 * Address clocks that all crawlers of a crawl share. In front is the line of this process, so that it asks for one address
 * once at a time; behind it, in Redis, crawlers wait in the order in which they came. A turn is held by a token, and by a
 * crawler that died only until its time is over.
 */
import type { Clock, Instant } from "../../../base/clock.ts";
import type { Turn, Turns } from "../../../ports/turns.ts";
import type { Connection } from "../redis/connection.ts";
import { unlessAway } from "../redis/errors.ts";
import type { Life } from "./members.ts";

export interface ClusterTurnsOptions {
  /** The crawl. */
  readonly name: string;
  /** This crawler: the same after a restart, and no other's. */
  readonly id: string;
  /** Higher after a restart. What an earlier life held ends when a later one is known of. */
  readonly life: number;
  /** Lives of other crawlers that this one has heard of first since then. */
  readonly begunSince: (at: Instant) => readonly Life[];
  readonly clock: Clock;
  /** Of this process: it keeps the same rules among its own. */
  readonly line: Turns;
  /** Turns that may be open at once on one address. */
  readonly atOnce: number;
  /** Shortest time from the end of one request to the start of the next, in ms. */
  readonly delayMs: number;
  /** How long a turn is held at most, in ms: longer than a request takes, with what it waits for first. */
  readonly holdMs: number;
}

export interface ClusterTurns extends Turns, AsyncDisposable {}

/** A lease that has waited so long for other crawlers goes back to the frontier, in ms. */
const LONGEST_MS = 30_000;

/** Turns that are open when it is closed are not given back: what was asked for may not have ended. */
export function clusterTurns(
  connection: Pick<Connection, "run" | "lasting" | "aheadMs">,
  options: ClusterTurnsOptions,
): ClusterTurns {
  const { name, id, life, begunSince, clock, line, atOnce, delayMs, holdMs } = options;
  let taken = 0;
  /** By address: numbers of the turns that are held. */
  const held = new Map<string, number[]>();
  /** Turns on their way back. */
  const giving = new Set<Promise<unknown>>();

  // Crawlers whose clocks differ tell each other times by that of the cluster.
  const sharedTime = (at: Instant): Instant => at + connection.aheadMs;
  const ownTime = (told: string): Instant => Number(told) - connection.aheadMs;

  const run = (
    verb: "turn" | "give",
    address: string,
    nth: number,
    words: readonly (number | string)[],
  ): Promise<unknown> => {
    const head = [sharedTime(clock.now()), id, life, nth];
    return connection.run(verb, `trawl:{${name}:at:${address}}`, [...head, ...words].map(String));
  };

  /** Those whose earlier lives may still hold turns. */
  const begun = (): readonly (number | string)[] =>
    begunSince(clock.now() - holdMs).flatMap((other) => [other.id, other.life]);

  /** The turn of the process is there: that of all crawlers. */
  async function share(address: string, until: Instant, signal: AbortSignal | undefined): Promise<Turn> {
    const nth = ++taken;
    const since = clock.now();
    for (;;) {
      const ask = async () =>
        (await run("turn", address, nth, [atOnce, holdMs, delayMs, ...begun()])) as [string, string];
      const [granted, at] = await connection.lasting(ask);
      if (granted === "1") {
        const numbers = held.get(address);
        if (numbers === undefined) held.set(address, [nth]);
        else numbers.push(nth);
        return { granted: true, until: ownTime(at) };
      }
      const tryAt = ownTime(at);
      if (signal?.aborted || tryAt > Math.min(since + LONGEST_MS, until)) return { granted: false, tryAt };
      await clock.sleep(tryAt - clock.now(), signal);
    }
  }

  return {
    async take(address, until, signal) {
      const own = await line.take(address, until, signal);
      if (!own.granted) return own;
      let turn: Turn | null = null;
      try {
        turn = await share(address, until, signal);
        return turn;
      } finally {
        // Nobody of this process need ask before it would be told to wait.
        if (turn?.granted !== true) line.give(address, turn?.tryAt ?? clock.now());
      }
    },

    give(address, readyAt: Instant) {
      const numbers = held.get(address);
      if (numbers === undefined) throw new Error(`a turn on ${address} was given back that nobody took`);
      // The one that ends first; those that are left hold the longer.
      const nth = numbers.shift()!;
      if (numbers.length === 0) held.delete(address);
      const back = run("give", address, nth, [sharedTime(readyAt)])
        .catch(unlessAway)
        .finally(() => giving.delete(back));
      giving.add(back);
      line.give(address, readyAt);
    },

    async [Symbol.asyncDispose]() {
      await Promise.all(giving);
    },
  };
}
