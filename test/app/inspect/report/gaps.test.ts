/** The gaps that a report states, and the breaches that it names. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { gapsOf, type Pace } from "../../../../src/app/inspect/report/gaps.ts";
import type { HostKey } from "../../../../src/model/host.ts";
import type { RequestRecord } from "../../../../src/model/request.ts";
import type { Href } from "../../../../src/model/url.ts";

const pace = (gapMs: number, atOnce = 1, from = 0): Pace => ({ from, gapMs, atOnce });

/** `[host, address, start, end]` */
type Times = readonly [string, string, number, number];

const requests = (times: readonly Times[]): RequestRecord[] =>
  times.map(([name, address, startedAt, endedAt]) => {
    const host = `http://${name}.test` as HostKey;
    return { host, href: `${host}/${startedAt}` as Href, address, startedAt, endedAt, status: 200 };
  });

const smallest = async (times: readonly Times[], ...paces: Pace[]) => {
  const { hosts, addresses, breaches } = await gapsOf(requests(times), paces.length === 0 ? [pace(100)] : paces);
  return [hosts[0]?.smallestMs ?? null, addresses[0]?.smallestMs ?? null, breaches];
};

describe("the gaps that were kept", () => {
  it("go from the end of one request to the start of the next, of a host and of an address", async () => {
    const times: Times[] = [
      ["a", "1", 0, 50],
      ["b", "1", 160, 200],
      ["a", "2", 210, 220],
    ];
    assert.deepEqual(await smallest(times), [160, 110, 0]);
  });

  it("are those that something was promised for: what was imported is counted and not held against us", async () => {
    const times: Times[] = [
      ["a", "1", 0, 50],
      ["a", "1", 51, 60],
      ["a", "1", 500, 510],
      ["a", "1", 620, 630],
    ];
    const paces: Pace[] = [{ from: 0, gapMs: null, atOnce: 1 }, pace(100, 1, 500)];
    assert.deepEqual(await smallest(times, ...paces), [110, 110, 0]);
    assert.equal((await gapsOf(requests(times), paces)).hosts[0]!.requests, 4);
  });

  it("promise nothing where nobody was asked: files have no address", async () => {
    const times: Times[] = [
      ["a", "", 0, 50],
      ["a", "", 51, 60],
    ];
    assert.deepEqual(await smallest(times), [null, null, 0]);
  });

  it("are none where nothing was asked twice", async () => {
    assert.deepEqual(await smallest([]), [null, null, 0]);
    assert.deepEqual(await smallest([["a", "1", 0, 50]]), [null, null, 0]);
  });

  it("count from the end of the longest request, not of the latest", async () => {
    const times: Times[] = [
      ["a", "1", 0, 900],
      ["a", "1", 10, 20],
      ["a", "1", 950, 960],
    ];
    assert.deepEqual(await smallest(times), [-890, -890, 4]);
    assert.deepEqual(await smallest(times.slice(0, 1).concat(times.slice(2))), [50, 50, 2]);
  });

  it("with n at a time, count from when fewer than n were open", async () => {
    const times: Times[] = [
      ["a", "1", 0, 100],
      ["a", "1", 0, 300],
      ["a", "1", 150, 400],
      ["a", "1", 299, 350],
    ];
    assert.deepEqual(await smallest(times.slice(0, 3), pace(50, 2)), [50, 50, 0]);
    assert.deepEqual(await smallest(times, pace(50, 2)), [-1, -1, 2]);
  });

  it("are held against what was promised at the time", async () => {
    const times: Times[] = [
      ["a", "1", 0, 10],
      ["a", "1", 60, 70],
      ["a", "1", 1000, 1010],
      ["a", "1", 1060, 1070],
    ];
    assert.deepEqual(await smallest(times, pace(50), pace(100, 1, 500)), [50, 50, 2]);
    assert.deepEqual(await smallest(times, pace(100), pace(50, 1, 500)), [50, 50, 2]);
  });

  it("name who was asked too soon, for what, after what", async () => {
    const { firstBreaches } = await gapsOf(
      requests([
        ["a", "1", 0, 10],
        ["b", "1", 30, 40],
      ]),
      [pace(100)],
    );
    assert.deepEqual(firstBreaches, [
      {
        of: "address",
        name: "1",
        gapMs: 20,
        promisedMs: 100,
        at: 30,
        href: "http://b.test/30",
        before: "http://a.test/0",
      },
    ]);
  });

  it("have no breach in a log that keeps the pace, and one wherever a request is moved forward", async () => {
    const steps = fc.array(fc.record({ wait: fc.nat(50), took: fc.nat(300) }), { minLength: 2, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), fc.integer({ min: 1, max: 100 }), async (list, pick, early) => {
        let now = 0;
        const times = list.map(({ wait, took }): Times => {
          const start = now + 100 + wait;
          now = start + took;
          return ["a", "1", start, now];
        });
        assert.equal((await gapsOf(requests(times), [pace(100)])).breaches, 0);
        const at = 1 + (pick % (times.length - 1));
        const moved = times.map(
          (one, i): Times => (i === at ? [one[0], one[1], times[i - 1]![3] + 100 - early, one[3]] : one),
        );
        const { hosts, breaches } = await gapsOf(requests(moved), [pace(100)]);
        assert.equal(breaches, 2);
        assert.equal(hosts[0]!.smallestMs, 100 - early);
      }),
    );
  });
});
