/** Crawlers that share address clocks: whatever they do, an address is asked by one at a time, and never early. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { addressTurns } from "../../../../src/crawl/turns.ts";
import type { Turn } from "../../../../src/ports/turns.ts";
import { type ClusterTurns, clusterTurns } from "../../../../src/store/cluster/crew/turns.ts";
import type { Connection } from "../../../../src/store/cluster/redis/connection.ts";
import { HandClock } from "../hand-clock.ts";
import { type ClusterBench, clusterBench } from "../store.ts";

let bench: ClusterBench;
before(async () => {
  bench = await clusterBench();
});
after(() => bench[Symbol.asyncDispose]());

const DELAY_MS = 1_000;
const HOLD_MS = 20_000;

/** A turn as it was had. */
interface Had {
  /** -1: of one that has died with it. */
  readonly crawler: number;
  readonly from: number;
  readonly until: number;
  /** When it was given back, how many had been had by then, and what was said of the next one. */
  given: { readonly at: number; readonly nth: number; readonly readyAt: number } | null;
}

let crawls = 0;

/** Crawlers on one clock, and what they had of each address. */
class Crawlers {
  readonly clock = new HandClock();
  readonly had = new Map<string, Had[]>();
  calls = 0;
  waiting = 0;
  #inFlight = 0;
  readonly #name = `turns-${++crawls}`;
  readonly #atOnce: number;
  readonly #turns: ClusterTurns[];
  readonly #lives: AbortController[];
  /** Numbers of lives, and of those that begun anew when. */
  #born = 0;
  readonly #begun: { readonly id: string; readonly life: number; readonly at: number }[] = [];

  constructor(count: number, atOnce: number) {
    this.#atOnce = atOnce;
    this.#lives = Array.from({ length: count }, () => new AbortController());
    this.#turns = this.#lives.map((_, crawler) => this.#turnsOf(crawler));
  }

  take(crawler: number, address: string): void {
    const life = this.#lives[crawler]!;
    this.waiting++;
    const turns = this.#turns[crawler]!;
    void turns
      .take(address, Number.POSITIVE_INFINITY, life.signal)
      .then((turn) => this.#taken(crawler, address, life, turn));
  }

  /** Gives back the turn of an address that the crawler has had for longest, if it has one. */
  give(crawler: number, address: string): void {
    const all = this.had.get(address) ?? [];
    const one = all.find((had) => had.crawler === crawler && had.given === null);
    if (one === undefined) return;
    const readyAt = this.clock.time + DELAY_MS;
    one.given = { at: this.clock.time, nth: all.length, readyAt };
    this.#turns[crawler]!.give(address, readyAt);
  }

  /** Dies with all that it has, and begins anew. */
  die(crawler: number): void {
    this.vanish(crawler);
    this.#lives[crawler] = new AbortController();
    this.#turns[crawler] = this.#turnsOf(crawler);
    this.#begun.push({ id: `crawler-${crawler}`, life: this.#born, at: this.clock.time });
  }

  /** Dies with all that it has. */
  vanish(crawler: number): void {
    this.#lives[crawler]!.abort();
    for (const all of this.had.values())
      for (const [nth, had] of all.entries())
        if (had.crawler === crawler && had.given === null) all[nth] = { ...had, crawler: -1 };
  }

  /** Until all that was asked of Redis has been answered, and what follows from it was asked. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet = this.#inFlight === 0 ? quiet + 1 : 0)
      await new Promise((resolve) => setImmediate(resolve));
  }

  #turnsOf(crawler: number): ClusterTurns {
    const rules = { atOnce: this.#atOnce, delayMs: DELAY_MS };
    const inFlight = async <T>(work: () => Promise<T>): Promise<T> => {
      this.#inFlight++;
      try {
        return await work();
      } finally {
        this.#inFlight--;
      }
    };
    const counted: Pick<Connection, "run" | "lasting" | "aheadMs"> = {
      aheadMs: bench.connection.aheadMs,
      lasting: (work) => inFlight(() => bench.connection.lasting(work)),
      run: (...call) => {
        this.calls++;
        return inFlight(() => bench.connection.run(...call));
      },
    };
    const line = addressTurns(this.clock, rules);
    return clusterTurns(counted, {
      ...{ ...rules, name: this.#name, id: `crawler-${crawler}`, life: ++this.#born },
      ...{ clock: this.clock, line, holdMs: HOLD_MS },
      begunSince: (at) => this.#begun.filter((one) => one.at >= at && one.id !== `crawler-${crawler}`),
    });
  }

  #taken(crawler: number, address: string, life: AbortController, turn: Turn): void {
    this.waiting--;
    const { time } = this.clock;
    if (!turn.granted) {
      assert.ok(turn.tryAt >= time || life.signal.aborted, "told to come when it is time");
      return;
    }
    const all = this.had.get(address) ?? [];
    this.had.set(address, all);
    all.push({ crawler: life.signal.aborted ? -1 : crawler, from: time, until: turn.until, given: null });
  }
}

/** Of one address: never more at once than may be, and each a delay after the end of the one before. */
function assertPolite(all: readonly Had[], atOnce: number): void {
  for (const [nth, { from, until }] of all.entries()) {
    assert.equal(until, from + HOLD_MS);
    const before = all.slice(0, nth);
    for (const { given, until: end } of before)
      if (given !== null && given.at < end && given.nth <= nth)
        assert.ok(from >= given.readyAt, `at ${from}, and not before ${given.readyAt}`);
    // What a dead one had may end sooner: with its next life.
    const open = before.filter((one) => one.crawler >= 0 && one.until > from && (one.given?.nth ?? all.length) > nth);
    assert.ok(open.length < atOnce, `${open.length} are open at ${from}`);
  }
}

interface Step {
  readonly kind: "take" | "give" | "die" | "pass";
  readonly crawler: number;
  readonly address: string;
  readonly ms: number;
}

const kind = fc.constantFrom<Step["kind"]>(
  ...Array(5).fill("take"),
  ...Array(4).fill("give"),
  "die",
  ...Array(5).fill("pass"),
);
const step: fc.Arbitrary<Step> = fc.record({
  kind,
  crawler: fc.nat(2),
  address: fc.constantFrom("192.0.2.1", "2001:db8::1"),
  ms: fc.constantFrom(1, 10, 700, 1_000, 5_000, 25_000),
});

describe("turns on an address that crawlers share", () => {
  for (const atOnce of [1, 2])
    it(`are had by ${atOnce} at a time and never early, whatever crawlers do and whoever dies`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
          const crawlers = new Crawlers(3, atOnce);
          for (const { kind, crawler, address, ms } of steps) {
            if (kind === "pass") crawlers.clock.pass(ms);
            else crawlers[kind](crawler, address);
            await crawlers.settled();
          }
          for (const all of crawlers.had.values()) assertPolite(all, atOnce);
        }),
        { seed: 5, numRuns: 60, endOnFailure: true },
      );
    });

  it("go round among crawlers that wait, one straight after the other, and nobody asks all the time", async () => {
    const [each, tookMs] = [12, 100];
    const crawlers = new Crawlers(3, 1);
    const left = [each, each, each];
    for (let crawler = 0; crawler < 3; crawler++) for (let nth = 0; nth < 6; nth++) crawlers.take(crawler, "192.0.2.1");
    await crawlers.settled();
    const from = crawlers.clock.time;
    for (let steps = 0; left.some((count) => count > 0); steps++) {
      assert.ok(steps < 2_000);
      const open = crawlers.had.get("192.0.2.1")?.find(({ given }) => given === null);
      if (open === undefined) crawlers.clock.pass(crawlers.clock.nextAt - crawlers.clock.time);
      else {
        crawlers.clock.pass(tookMs);
        await crawlers.settled();
        crawlers.give(open.crawler, "192.0.2.1");
        if (--left[open.crawler]! >= 6) crawlers.take(open.crawler, "192.0.2.1");
      }
      await crawlers.settled();
    }
    const all = crawlers.had.get("192.0.2.1")!;
    assertPolite(all, 1);
    assert.equal(all.length, 3 * each);
    const idle = crawlers.clock.time - from - 3 * each * (tookMs + DELAY_MS);
    assert.ok(idle < 3 * DELAY_MS, `the address was idle for ${idle} ms`);
    const first = all.slice(0, 2 * each).map(({ crawler }) => crawler);
    for (let crawler = 0; crawler < 3; crawler++)
      assert.ok(first.filter((one) => one === crawler).length >= 6, `${first}`);
    assert.ok(crawlers.calls < all.length * 6, `${crawlers.calls} calls for ${all.length} turns`);
  });

  it("belong to the crawler that has waited longest, also when another one asks first at that moment", async () => {
    const crawlers = new Crawlers(3, 1);
    const at = async (ms: number, act: () => void) => {
      if (ms > 0) crawlers.clock.pass(ms);
      await crawlers.settled();
      act();
      await crawlers.settled();
    };
    await at(0, () => crawlers.take(0, "192.0.2.1"));
    await at(0, () => crawlers.take(1, "192.0.2.1"));
    await at(900, () => crawlers.give(0, "192.0.2.1"));
    await at(100, () => {}); // asks again, and is told when exactly
    crawlers.clock.time += 900; // and is a little late then
    await at(0, () => crawlers.take(2, "192.0.2.1"));
    await at(0, () => crawlers.clock.pass(0));
    assert.deepEqual(
      crawlers.had.get("192.0.2.1")!.map(({ crawler }) => crawler),
      [0, 1],
    );
  });

  it("come when they are due by one clock, whatever those of the crawlers say", async () => {
    const name = `turns-${++crawls}`;
    const rules = { atOnce: 1, delayMs: DELAY_MS };
    const crawler = (id: string, aheadMs: number) => {
      const clock = new HandClock();
      clock.time -= aheadMs;
      const connection = {
        aheadMs,
        run: bench.connection.run.bind(bench.connection),
        lasting: bench.connection.lasting.bind(bench.connection),
      };
      const line = addressTurns(clock, rules);
      const own = { name, id, life: 1, begunSince: () => [], clock, line, holdMs: HOLD_MS };
      return { clock, turns: clusterTurns(connection, { ...rules, ...own }) };
    };
    const [right, slow] = [crawler("right", 0), crawler("slow", 3_000)];
    assert.ok((await right.turns.take("192.0.2.1", Number.POSITIVE_INFINITY)).granted);
    right.turns.give("192.0.2.1", right.clock.time + DELAY_MS);
    const taking = slow.turns.take("192.0.2.1", Number.POSITIVE_INFINITY);
    await slow.clock.until(1);
    assert.equal(slow.clock.nextAt, slow.clock.time + DELAY_MS);
    slow.clock.pass(DELAY_MS);
    assert.deepEqual(await taking, { granted: true, until: slow.clock.time + HOLD_MS });
    slow.turns.give("192.0.2.1", slow.clock.time + DELAY_MS);
    const again = right.turns.take("192.0.2.1", Number.POSITIVE_INFINITY);
    right.clock.pass(DELAY_MS);
    await right.clock.until(1);
    assert.equal(right.clock.nextAt, right.clock.time + DELAY_MS);
    right.clock.pass(DELAY_MS);
    assert.ok((await again).granted);
  });

  it("come free after a while where a crawler has died with one, and for all where it has begun anew", async () => {
    const crawlers = new Crawlers(3, 1);
    crawlers.take(0, "192.0.2.1");
    crawlers.take(0, "192.0.2.2");
    crawlers.take(1, "192.0.2.3");
    await crawlers.settled();
    crawlers.die(0);
    crawlers.vanish(1);
    crawlers.take(0, "192.0.2.1");
    crawlers.take(2, "192.0.2.2");
    crawlers.take(2, "192.0.2.3");
    await crawlers.settled();
    const waitOn = async (ms: number) => {
      for (const end = crawlers.clock.time + ms; crawlers.clock.time < end; await crawlers.settled())
        crawlers.clock.pass(Math.min(crawlers.clock.nextAt, end) - crawlers.clock.time);
    };
    const counts = () => [1, 2, 3].map((nth) => crawlers.had.get(`192.0.2.${nth}`)!.length);
    assert.deepEqual(counts(), [1, 1, 1], "what it asked for may have ended just now");
    await waitOn(DELAY_MS);
    assert.deepEqual(counts(), [2, 2, 1]);
    await waitOn(HOLD_MS);
    assert.deepEqual(counts(), [2, 2, 2]);
  });

  it("stay with a life that others have not heard of yet", async () => {
    const begun = [{ id: "a", life: 3 }];
    const clock = new HandClock();
    const rules = { atOnce: 1, delayMs: DELAY_MS };
    const name = `turns-${++crawls}`;
    const crawler = (id: string, life: number) => {
      const line = addressTurns(clock, rules);
      const begunSince = () => begun.filter((other) => other.id !== id);
      const own = { name, id, life, begunSince, clock, line, holdMs: HOLD_MS };
      return clusterTurns(bench.connection, { ...rules, ...own });
    };
    assert.ok((await crawler("a", 7).take("192.0.2.1", Number.POSITIVE_INFINITY)).granted);
    const waits = crawler("b", 5);
    const isGranted = async () => {
      clock.time += DELAY_MS;
      return (await waits.take("192.0.2.1", clock.time)).granted;
    };
    assert.deepEqual([await isGranted(), await isGranted()], [false, false]);
    begun[0] = { id: "a", life: 8 };
    assert.deepEqual([await isGranted(), await isGranted()], [false, true], "a delay after it was heard of");
  });
});
