/** Crawlers that come, leave and die, as the others hear of it. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { HostKey } from "../../../../src/model/host.ts";
import { ownersOf } from "../../../../src/policy/rendezvous.ts";
import { Facts } from "../../../../src/store/cluster/crawl/facts.ts";
import {
  livingIn,
  type Members,
  type MembersOptions,
  openMembers,
} from "../../../../src/store/cluster/crew/members.ts";
import { shardOf } from "../../../../src/store/cluster/shards/shard-of.ts";
import { HandClock } from "../hand-clock.ts";
import { type ClusterBench, clusterBench } from "../store.ts";

const SHARDS = 64;
const LEASE_MS = 60_000;
const BEAT_MS = 1_000;

let bench: ClusterBench;
before(async () => {
  bench = await clusterBench();
});
after(() => bench[Symbol.asyncDispose]());

/** A crawler of the crawl of this test. One that is killed is one whose time stands still. */
interface Crawler {
  readonly clock: HandClock;
  readonly members: Members;
  readonly said: string[];
}

let crawls = 0;
let name = "";
let crawlers: Crawler[] = [];
let now = 1_000_000;

async function join(id: string, more: Partial<MembersOptions> = {}): Promise<Crawler> {
  const clock = new HandClock();
  clock.time = now;
  const said: string[] = [];
  const log = {
    info: (facts: object) => void said.push((facts as { living: string[] }).living.join(" ")),
    error: (_: object, event: string) => void said.push(event),
  };
  const given = { name, id, clock, log, shards: SHARDS, divide: ownersOf, leaseMs: LEASE_MS, ...more };
  const crawler = { clock, members: await openMembers(bench.connection, given), said };
  await clock.until(1);
  crawlers.push(crawler);
  return crawler;
}

/** Time passes for those who live, one beat after the other. */
async function beats(count: number, living: readonly Crawler[] = crawlers): Promise<void> {
  for (let nth = 0; nth < count; nth++) {
    now += BEAT_MS;
    for (const { clock } of living) {
      clock.pass(now - clock.time);
      await clock.until(1);
    }
  }
}

const sharesOf = (some: readonly Crawler[]): number[][] =>
  Array.from({ length: SHARDS }, (_, shard) =>
    some.flatMap(({ members }, nth) => (members.prefers(shard) ? [nth] : [])),
  );

beforeEach(() => {
  name = `members-${++crawls}`;
  crawlers = [];
});

describe("crawlers of one crawl", () => {
  it("have a higher number in each of their lives, also when their first has tidied up what was there", async () => {
    const first = await join("one");
    assert.ok(await new Facts(bench.connection, name).renew("one"));
    const other = await join("two");
    now += 10_000;
    const again = await join("one");
    assert.ok(first.members.life < other.members.life && other.members.life < again.members.life);
  });

  it("say how they do, to whoever looks", async () => {
    const one = await join("one");
    await join("two");
    await beats(1);
    const startedAt = now;
    const told = { machine: "m", startedAt, pins: [], pages: 7, pagesPerSecond: 0.5, leases: 2, asked: 9, met: 4 };
    one.members.tell(told);
    await beats(1);
    const { shards } = one.members;
    assert.ok(shards > 0 && shards < SHARDS);
    assert.deepEqual(await livingIn(bench.connection, name, one.clock), [
      { id: "one", heardAt: now, standing: { ...told, shards } },
      { id: "two", heardAt: now, standing: null },
    ]);
  });
  afterEach(async () => {
    for (const { members } of crawlers) await members[Symbol.asyncDispose]();
  });

  it("know each other after a beat, and each shard has one who looks after it", async () => {
    const one = await join("one");
    assert.deepEqual([one.members.living, one.members.joins], [["one"], false]);
    assert.ok(sharesOf([one]).every((owners) => owners.length === 1));
    const two = await join("two");
    assert.deepEqual([two.members.living, two.members.joins], [["one", "two"], true]);
    await beats(1);
    assert.deepEqual(one.members.living, ["one", "two"]);
    assert.ok(sharesOf([one, two]).every((owners) => owners.length === 1));
    assert.deepEqual(one.said, ["one", "one two"], "and say so once");
  });

  it("miss one who leaves at the next beat, and who comes then has nobody to join", async () => {
    const one = await join("one");
    const two = await join("two");
    await beats(1);
    await two.members[Symbol.asyncDispose]();
    await beats(1, [one]);
    assert.deepEqual(one.members.living, ["one"]);
    await one.members[Symbol.asyncDispose]();
    crawlers = [];
    assert.equal((await join("three")).members.joins, false);
  });

  it("miss one who was killed after a few beats, and count with his leases until they have expired", async () => {
    const one = await join("one");
    await join("killed");
    await beats(1);
    await beats(7, [one]);
    assert.deepEqual(one.members.living, ["killed", "one"], "he may be late");
    await beats(2, [one]);
    assert.deepEqual(one.members.living, ["one"]);
    await one.members[Symbol.asyncDispose]();
    const two = await join("two");
    assert.deepEqual([two.members.living, two.members.joins], [["two"], true]);
    await two.members[Symbol.asyncDispose]();
    now += LEASE_MS;
    assert.equal((await join("three")).members.joins, false);
    crawlers = [crawlers.at(-1)!];
  });

  it("hear one again who was stopped for long and goes on", async () => {
    const one = await join("one");
    const two = await join("two");
    await beats(20, [one]);
    assert.deepEqual(one.members.living, ["one"]);
    await beats(2);
    assert.deepEqual(
      [one.members.living, two.members.living],
      [
        ["one", "two"],
        ["one", "two"],
      ],
    );
  });

  it("are not taken for dead because clocks differ, or because Redis was away from all", async () => {
    const one = await join("one");
    now += 3_000;
    const fast = await join("fast");
    now -= 3_000;
    await beats(1, [one]);
    const crowd = [one, fast];
    for (let nth = 0; nth < 10; nth++) {
      for (const { clock } of crowd) {
        clock.pass(BEAT_MS);
        await clock.until(1);
      }
      for (const { members } of crowd) assert.deepEqual(members.living, ["fast", "one"]);
    }
    for (const { clock } of crowd) clock.time += 10 * BEAT_MS; // nobody could beat
    for (const { clock } of crowd) {
      clock.pass(BEAT_MS);
      await clock.until(1);
    }
    for (const { members } of crowd) assert.deepEqual(members.living, ["fast", "one"]);
  });

  it("leave a huge host to the one who is there for it, as long as he lives", async () => {
    const huge = "http://huge.test" as HostKey;
    const one = await join("one");
    const dedicated = await join("dedicated", { pins: [huge] });
    await beats(1);
    const shard = shardOf(huge, SHARDS);
    assert.deepEqual([one.members.prefers(shard), dedicated.members.prefers(shard)], [false, true]);
    const his = sharesOf([one, dedicated]).filter(([owner]) => owner === 1).length;
    assert.ok(his < SHARDS / 4, `${his} shards for who is there for one`);
    await beats(10, [one]);
    assert.equal(one.members.prefers(shard), true);
  });
});

describe("a second crawler under one id", () => {
  it("is refused in words while the first one lives, and waits no longer than it must where the first was killed", async () => {
    const one = await join("one");
    const clock = new HandClock();
    clock.time = now;
    const log = { info() {}, error() {} };
    const again = () =>
      openMembers(bench.connection, {
        name,
        id: "one",
        clock,
        log,
        shards: SHARDS,
        divide: ownersOf,
        leaseMs: LEASE_MS,
      });
    const refused = assert.rejects(again(), {
      code: "frontier-foreign",
      message:
        /^a crawler called one takes part in the crawl members-\d+ already; give this one a directory of its own/,
    });
    await clock.until(1);
    await beats(1, [one]);
    clock.pass(3 * BEAT_MS);
    await refused;

    const restarted = again(); // the first has been killed by now
    await clock.until(1);
    clock.pass(3 * BEAT_MS);
    const members = await restarted;
    assert.deepEqual([members.living, members.joins], [["one"], false]);
    await members[Symbol.asyncDispose]();
  });
});
