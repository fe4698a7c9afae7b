import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { plainLine, statusLines } from "../../../src/app/run/progress.ts";
import { timeOfDay } from "../../../src/app/wording.ts";
import type { HostKey } from "../../../src/model/host.ts";
import { STARTED, stats } from "../stats.ts";

describe("a progress line that stands alone", () => {
  it("tells pages, rate, failures, queue, open requests, hosts and bytes", () => {
    assert.equal(plainLine(stats()), "[50 s] 412 pages, 9.8/s, 3 failed, 2,310 queued, 14 open, 41 hosts, 12.4 MB");
  });
  it("tells how many pages were looked at again, and how many of them had changed", () => {
    const again = { looks: 1_200, changed: 34, unchanged: 1_150, away: 10 };
    assert.match(plainLine(stats({ again })), /412 pages, 1,200 looked at again, 34 changed, 9\.8\/s/);
    assert.match(statusLines(stats({ again }), 100)[0]!, /^412 pages · 1,200 looked at again, 34 changed · /);
  });
  it("tells the time left when there is a limit", () => {
    assert.match(
      plainLine(stats({ limit: 1_000 })),
      /412 of 1,000 pages,.*, about 1m 11s left, or less if the site ends$/,
    );
  });
  it("tells the time limit when it strikes first", () => {
    assert.match(plainLine(stats({ limit: 1_000, deadline: STARTED + 60_000 })), /, time limit in 10 s$/);
  });
  it("promises nothing while nothing moves", () => {
    assert.doesNotMatch(plainLine(stats({ limit: 1_000, rateMean: 0 })), /left/);
  });
});

describe("the status on a terminal", () => {
  it("takes three lines while pages come", () => {
    assert.deepEqual(statusLines(stats({ limit: 1_000, delayed: 6 }), 100), [
      "412 of 1,000 pages · 9.8/s now, 8.2/s mean · 12.4 MB · 3 failed",
      "2,310 queued · 14 open · 6 to retry · 41 hosts",
      "50 s · about 1m 11s left, or less if the site ends",
    ]);
  });
  it("says in a fourth what is waited for, and until when", () => {
    const until = STARTED + 80_000;
    const host = "https://h3.test" as HostKey;
    const line = (cause: "backoff" | "delay" | "retry", detail: string) =>
      statusLines(stats({ waiting: { host, until, cause, detail } }), 100)[3];
    const at = timeOfDay(until, STARTED);
    assert.match(at, /^\d\d:\d\d:\d\d$/);
    assert.equal(line("backoff", "503"), `waiting until ${at}: h3.test backs off (503)`);
    assert.equal(line("delay", ""), `waiting until ${at}: h3.test is left alone`);
    assert.equal(line("retry", "timeout"), `waiting until ${at}: a URL of h3.test is tried again (timeout)`);
  });
  it("says nothing of the usual pause between two requests", () => {
    const lines = (cause: "backoff" | "delay", ms: number) => {
      const at = STARTED + 50_000;
      return statusLines(
        stats({ waiting: { host: "https://h3.test" as HostKey, until: at + ms, cause, detail: "" } }),
        100,
      );
    };
    assert.equal(lines("delay", 5_000).length, 3);
    assert.equal(lines("delay", 5_001).length, 4);
    assert.equal(lines("backoff", 1_000).length, 4);
  });
  it("never has a line wider than the terminal, nor more than four", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 200 }),
        fc.nat({ max: 2 ** 40 }),
        fc.option(fc.nat({ max: 10 ** 9 })),
        (width, n, limit) => {
          const waiting = {
            host: `http://${"a".repeat(60)}.test` as HostKey,
            until: n,
            cause: "backoff",
            detail: "x",
          } as const;
          const lines = statusLines(
            stats({ fetched: n, bytes: n, queued: n, hosts: n, rateNow: n, limit, waiting }),
            width,
          );
          assert.ok(lines.length <= 4);
          for (const line of lines) assert.ok(line.length <= width, line);
        },
      ),
    );
  });
});
