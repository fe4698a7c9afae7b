/** The two clocks of a host, and that of an address. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type HostKey, type HostState, newHostState } from "../../src/model/host.ts";
import {
  addressReadyAt,
  afterVisit,
  effectiveDelayMs,
  isParked,
  POLITENESS,
  parseRetryAfter,
  type VisitEvent,
} from "../../src/policy/politeness.ts";

const fresh = newHostState("http://a.test" as HostKey);

/** An event that took `took` ms and ended at `endedAt`. */
function event(endedAt: number, more: Partial<VisitEvent> & { took?: number } = {}): VisitEvent {
  const { took = 100, ...rest } = more;
  return { startedAt: endedAt - took, endedAt, kind: "ok", retryAfter: null, robotsDelayMs: 0, random: 0, ...rest };
}

const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

describe("the delay", () => {
  it("is the configured one for a quick host", () => {
    assert.equal(afterVisit(fresh, event(NOW)).readyAt, NOW + SECOND);
  });

  it("is a multiple of the response time of a slow host, up to a cap", () => {
    assert.equal(afterVisit(fresh, event(NOW, { took: 3_000 })).readyAt, NOW + 2 * 3_000);
    assert.equal(afterVisit(fresh, event(NOW, { took: 60_000 })).readyAt, NOW + 30_000);
  });

  it("follows the host's pace both ways", () => {
    let state = afterVisit(fresh, event(NOW, { took: 4_000 }));
    for (let i = 1; i < 30; i++) state = afterVisit(state, event(NOW + i * HOUR, { took: 100 }));
    assert.equal(state.readyAt, NOW + 29 * HOUR + SECOND);
  });

  it("is the Crawl-delay where that is longer, up to a minute", () => {
    assert.equal(afterVisit(fresh, event(NOW, { robotsDelayMs: 2_500 })).readyAt, NOW + 2_500);
    assert.equal(afterVisit(fresh, event(NOW, { robotsDelayMs: 200 })).readyAt, NOW + SECOND);
    assert.equal(afterVisit(fresh, event(NOW, { robotsDelayMs: 86_400_000 })).readyAt, NOW + 60_000);
  });

  it("is not shortened by a failure that took no time", () => {
    const slow = afterVisit(fresh, event(NOW, { took: 10_000 }));
    const failed = afterVisit(slow, event(NOW + HOUR, { kind: "failed", took: 0 }));
    assert.equal(failed.readyAt, NOW + HOUR + 20_000);
  });

  it("of 0 leaves the pace to robots.txt alone", () => {
    const own = { ...POLITENESS, delayMs: 0 };
    assert.equal(afterVisit(fresh, event(NOW, { took: 9_000 }), own).readyAt, NOW);
    assert.equal(afterVisit(fresh, event(NOW, { robotsDelayMs: 500 }), own).readyAt, NOW + 500);
  });
});

describe("the back-off", () => {
  const backoff = (state: HostState, at: number, more: Partial<VisitEvent> = {}) =>
    afterVisit(state, event(at, { kind: "unavailable", ...more }));

  it("doubles from failure to failure, with jitter, up to an hour", () => {
    let state = fresh;
    const waits: number[] = [];
    for (let i = 0; i < 12; i++) {
      const at = Math.max(state.readyAt, NOW) + 100;
      state = backoff(state, at);
      waits.push((state.backoffUntil - at) / SECOND);
    }
    assert.deepEqual(waits.slice(0, 5), [5, 10, 20, 40, 80]);
    assert.equal(waits.at(-1), 3_600);
    assert.equal(backoff(fresh, NOW, { random: 0.5 }).backoffUntil, NOW + 6_250);
  });

  it("takes one step an event: what was under way when it began does not count again", () => {
    const first = backoff(fresh, NOW);
    let state = first;
    for (let i = 1; i <= 7; i++) state = backoff(state, NOW + i, { kind: "rate-limited" });
    assert.equal(state.backoffSteps, 1);
    assert.equal(state.backoffUntil, first.backoffUntil);
    assert.equal(afterVisit(state, event(NOW + 9)).backoffSteps, 1, "nor does a success that was under way end it");
    const later = backoff(state, first.backoffUntil + 200);
    assert.equal(later.backoffSteps, 2);
  });

  it("ends with a success", () => {
    const state = backoff(fresh, NOW);
    const well = afterVisit(state, event(state.backoffUntil + 200));
    assert.equal(well.backoffSteps, 0);
    assert.equal(backoff(well, well.readyAt + 200).backoffUntil, well.readyAt + 200 + 5_000);
  });

  it("hides no delay, and no delay hides it", () => {
    const state = backoff(fresh, NOW, { robotsDelayMs: 30_000 });
    assert.equal(state.delayUntil, NOW + 30_000);
    assert.equal(state.backoffUntil, NOW + 5_000);
    assert.equal(state.readyAt, NOW + 30_000);
    const long = afterVisit(backoff(fresh, NOW, { retryAfter: "600" }), event(NOW + 50));
    assert.equal(long.readyAt, NOW + 600 * SECOND, "a success under way does not shorten it");
  });

  it("waits as long as Retry-After says, with 429 and 503 alike, longer than the cap too", () => {
    for (const kind of ["rate-limited", "unavailable"] as const) {
      assert.equal(backoff(fresh, NOW, { kind, retryAfter: "2" }).backoffUntil, NOW + 2_000);
      assert.equal(backoff(fresh, NOW, { kind, retryAfter: "172800" }).readyAt, NOW + 48 * HOUR);
    }
    assert.equal(backoff(fresh, NOW, { kind: "refused", retryAfter: "60" }).backoffUntil, NOW + 5_000);
    assert.equal(afterVisit(fresh, event(NOW, { retryAfter: "60" })).backoffUntil, 0, "with 200 it means nothing");
  });

  it("doubles beside a Retry-After that was obeyed in vain", () => {
    let state = backoff(fresh, NOW, { retryAfter: "1" });
    state = backoff(state, state.readyAt + 200, { retryAfter: "1" });
    assert.equal(state.backoffUntil - (state.delayUntil - effectiveDelayMs(state, 0)), 10_000);
  });

  it("parks a host that is to be left alone for longer than a day", () => {
    assert.equal(isParked(backoff(fresh, NOW, { retryAfter: "86400" }), NOW), false);
    assert.equal(isParked(backoff(fresh, NOW, { retryAfter: "86401" }), NOW), true);
  });

  it("of a Retry-After that came while it ran is the longer of the two", () => {
    const state = backoff(backoff(fresh, NOW), NOW + 1, { retryAfter: "100" });
    assert.equal(state.backoffUntil, NOW + 1 + 100 * SECOND);
    assert.equal(state.backoffSteps, 1);
  });

  it("is not for failures of other kinds", () => {
    const state = afterVisit(fresh, event(NOW, { kind: "failed", took: 5_000 }));
    assert.equal(state.backoffUntil, 0);
    assert.equal(state.readyAt, NOW + 10_000, "but they count as slow");
  });

  it("leaves the host at half the pace, for the rest of the crawl", () => {
    for (const kind of ["rate-limited", "unavailable"] as const) {
      let state = backoff(fresh, NOW, { kind });
      for (let i = 1; i < 50; i++) state = afterVisit(state, event(NOW + i * HOUR, { took: 10 }));
      assert.equal(state.readyAt - (NOW + 49 * HOUR), 2 * SECOND);
    }
    let refused = backoff(fresh, NOW, { kind: "refused" });
    refused = afterVisit(refused, event(NOW + HOUR));
    assert.equal(refused.readyAt, NOW + HOUR + SECOND);
  });
});

describe("parseRetryAfter", () => {
  const table: readonly (readonly [string | null, number | null])[] = [
    [null, null],
    ["", null],
    ["120", 120 * SECOND],
    [" 120 ", 120 * SECOND],
    ["1.5", 1_500],
    [".5", 500],
    ["0", null],
    ["-5", null],
    ["soon", null],
    ["1e9", null],
    ["0x10", null],
    ["120, 60", null],
    ["Mon, 30 Nov 2026 12:00:30 GMT", 30 * SECOND],
    ["Monday, 30-Nov-26 12:00:30 GMT", 30 * SECOND],
    ["Mon Nov 30 12:00:30 2026", 30 * SECOND],
    ["Mon, 30 Nov 2026 11:59:59 GMT", null],
    ["99999999999999999999", 365 * 24 * HOUR],
  ];
  for (const [text, ms] of table) {
    it(`reads ${JSON.stringify(text)} as ${ms === null ? "absent" : `${ms} ms from now`}`, () => {
      assert.equal(parseRetryAfter(text, NOW), ms === null ? null : NOW + ms);
    });
  }
});

describe("addressReadyAt", () => {
  it("is the configured delay after the request", () => {
    assert.equal(addressReadyAt(NOW), NOW + SECOND);
  });
});

describe("whatever happens to a host", () => {
  const kind = fc.constantFrom("ok", "rate-limited", "unavailable", "refused", "failed");
  const events = fc.array(
    fc.record({
      kind,
      gap: fc.nat(20_000),
      took: fc.nat(60_000),
      retryAfter: fc.constantFrom(null, "0", "3", "90000", "x", "Mon, 30 Nov 2026 13:00:00 GMT"),
      robotsDelayMs: fc.constantFrom(0, 300, 5_000, 600_000),
      random: fc.double({ min: 0, max: 0.999, noNaN: true }),
    }),
  );

  it("it is never asked before the delay is over, nor before the back-off, and clocks never go back", () => {
    fc.assert(
      fc.property(events, (list) => {
        let state = fresh;
        let now = NOW;
        for (const { gap, took, ...rest } of list) {
          now += gap;
          const next = afterVisit(state, { startedAt: now - took, endedAt: now, ...rest });
          assert.ok(next.readyAt >= now + POLITENESS.delayMs);
          assert.ok(next.readyAt >= now + Math.min(rest.robotsDelayMs, 60_000));
          assert.equal(next.readyAt, Math.max(next.delayUntil, next.backoffUntil));
          assert.ok(next.readyAt >= state.readyAt);
          assert.ok(next.smoothedMs >= state.smoothedMs || !state.slowed);
          assert.ok(next.backoffSteps <= state.backoffSteps + 1);
          state = next;
        }
      }),
    );
  });

  it("a failure in a row never waits shorter than the one before it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 2, maxLength: 30 }),
        (randoms) => {
          let state = fresh;
          let before = 0;
          for (const random of randoms) {
            const endedAt = Math.max(state.readyAt, NOW) + 100;
            state = afterVisit(state, event(endedAt, { kind: "rate-limited", random }));
            assert.ok(state.backoffUntil - endedAt >= before);
            before = state.backoffUntil - endedAt;
          }
        },
      ),
    );
  });
});
