/** Nothing acknowledged is lost, and nothing is done by halves: when a write fails, and when the process is killed. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type HostKey, newHostState } from "../../../src/model/host.ts";
import type { RobotsCopy } from "../../../src/model/robots-copy.ts";
import type { Href } from "../../../src/model/url.ts";
import type { Backend } from "../../../src/ports/frontier.ts";
import { openEmbedded } from "../../../src/store/embedded/backend.ts";
import { ended, settled, TestClock, url } from "../../conformance/frontier-world.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "trawl-crash-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const clock = new TestClock();
const robots: RobotsCopy = {
  id: 0,
  host: "http://a" as HostKey,
  fetchedAt: 1,
  expiresAt: 2,
  access: "allow-all",
  status: 404,
  failure: null,
  body: "",
  href: "http://a/robots.txt" as Href,
  capture: null,
};

/** Everything that a commit changes. */
const view = async (backend: Backend) => ({
  urls: await Array.fromAsync(backend.urls()),
  pending: await backend.pending(),
  ends: [...(await backend.endCounts())],
  marks: [...(await backend.marks())],
  nextDueAt: await backend.nextDueAt(),
  robots: await backend.robots("http://a" as HostKey),
  host: await backend.host("http://a" as HostKey),
});

/** A commit with a part of every kind; enough links that a queue goes to disk. */
async function commitAll(backend: Backend): Promise<void> {
  const links = Array.from({ length: 200 }, (_, i) => url("a", `new${i}`));
  const [a, b, c, d] = await backend.lease(4);
  await backend.commit({
    settled: [
      settled(a!, ended(), 1, { links, hostReadyAt: 5, dueAt: 99 }),
      settled(b!, { kind: "retry", at: clock.time + 9, reason: "timeout" }, 1),
      settled(c!, { kind: "follow", href: "http://c/1/" as Href, hops: 1 }, 1),
      settled(d!, { kind: "again" }, 1, { links: [url("e", "x", { drop: { reason: "trap" } })] }),
    ],
    hosts: [{ ...newHostState("http://a" as HostKey), requests: 1 }],
    robots: [robots],
    marks: [{ file: "w", bytes: 7 }],
  });
}

/** Queues again what has ended, a hundred of one host. */
const queueAgain = (backend: Backend): Promise<number> =>
  backend.revisit(Array.from({ length: 100 }, (_, i) => ({ id: i + 1, priority: i % 2 })));

async function prepare(): Promise<void> {
  await using backend = openEmbedded(dir, { clock });
  await backend.add(["a", "b", "c", "d"].flatMap((host) => [url(host, "1"), url(host, "2")]));
}

describe("a write that fails", () => {
  it("leaves all of a commit or nothing, at whatever step, and stops the store until it is opened again", async () => {
    await prepare();
    const all: string[] = [];
    let reached: readonly string[] = [];
    {
      const copy = join(dir, "whole");
      await using backend = openEmbedded(copy, { clock, fault: (point) => all.push(point) });
      await backend.add(["a", "b", "c", "d"].map((host) => url(host, "1")));
      all.length = 0;
      await commitAll(backend);
      reached = [...all]; // those of closing come after
    }
    for (const point of [
      "begin",
      "visit",
      "links",
      "settle",
      "robots",
      "mark",
      "hosts",
      "hosts moved",
      "chunks",
      "journal",
      "visit index",
      "before commit",
    ])
      assert.ok(reached.includes(point), point);
    for (let step = 0; step < reached.length; step++) {
      let left = Number.POSITIVE_INFINITY;
      const backend = openEmbedded(dir, {
        clock,
        fault() {
          if (left-- === 0) throw new Error("no more");
        },
      });
      const before = await view(backend);
      left = step;
      await assert.rejects(commitAll(backend), /no more/);
      await assert.rejects(backend.lease(1), { code: "failed" });
      await assert.rejects(backend.pending(), { code: "failed" });
      await backend[Symbol.asyncDispose]();
      await using again = openEmbedded(dir, { clock });
      if (reached[step] === "after commit")
        assert.deepEqual(await again.pending(), { queued: 206, leased: 0, delayed: 1, hosts: 4 });
      else assert.deepEqual(await view(again), before, `step ${step}: ${reached[step]}`);
    }
  });
});

describe("queueing again that fails", () => {
  it("has queued all or nothing, at whatever step, and is undone with what was due", async () => {
    const urls = Array.from({ length: 100 }, (_, i) => url("a", String(i)));
    {
      await using backend = openEmbedded(dir, { clock });
      await backend.add(urls);
      for (let i = 0; i < urls.length; i++) {
        const [lease] = await backend.lease(1);
        const parts = [settled(lease!, ended(), 1, { dueAt: 10 + i })];
        await backend.commit({ settled: parts, hosts: [], robots: [], marks: [] });
      }
    }
    for (const [nth, point] of [
      [0, "begin"],
      [0, "revisit"],
      [99, "revisit"],
      [0, "journal"],
      [0, "before commit"],
      [0, "after commit"],
    ] as const) {
      const copy = join(dir, `${point}-${nth}`);
      mkdirSync(copy);
      copyFileSync(join(dir, "state.db"), join(copy, "state.db"));
      let left = Number.POSITIVE_INFINITY;
      const backend = openEmbedded(copy, {
        clock,
        fault(at) {
          if (at === point && left-- === 0) throw new Error("no more");
        },
      });
      const before = await view(backend);
      left = nth;
      await assert.rejects(queueAgain(backend), /no more/);
      await backend[Symbol.asyncDispose]();
      await using again = openEmbedded(copy, { clock });
      if (point === "after commit") {
        assert.deepEqual(await again.pending(), { queued: 100, leased: 0, delayed: 0, hosts: 1 });
        assert.equal(await again.nextDueAt(), null);
        assert.equal((await again.endCounts()).size, 0);
      } else assert.deepEqual(await view(again), before, `${point} ${nth}`);
    }
  });
});

describe("a loss of power", () => {
  it("loses nothing that was committed before `sync`, though all of SQLite's log is lost", async () => {
    await prepare();
    await using backend = openEmbedded(dir, { clock });
    await commitAll(backend);
    await backend.sync();
    const left = join(dir, "left");
    mkdirSync(left);
    copyFileSync(join(dir, "state.db"), join(left, "state.db"));
    await using again = openEmbedded(left, { clock });
    assert.deepEqual(await view(again), await view(backend));
  });

  it("loses no more while another thread brings the log into the file", async () => {
    await using backend = openEmbedded(dir, { clock, disk: { logPages: 1 } });
    for (let round = 0; round < 8; round++) {
      for (let i = 0; i < 16; i++)
        await backend.add(Array.from({ length: 50 }, (_, n) => url("a", `${round}-${i}-${n}`)));
      await setImmediate(); // the thread has been asked, and is at work by now or later
      await backend.sync();
      const left = join(dir, `left-${round}`);
      mkdirSync(left);
      // The thread reads, too: what it needs as it is stays in the log, which is on the disk.
      for (const file of ["state.db", "state.db-wal"]) copyFileSync(join(dir, file), join(left, file));
      await using again = openEmbedded(left, { clock });
      assert.deepEqual(await again.pending(), await backend.pending());
    }
  });
});

describe("a killed process", () => {
  for (const steps of [0, 1, 7, 12, 13, 14, 15, 16, 29, 60, 113, 200])
    it(`loses nothing that was acknowledged (killed at step ${steps})`, async () => {
      const child = spawnSync(process.execPath, [join(import.meta.dirname, "crawl-and-die.ts"), dir, String(steps)], {
        encoding: "utf8",
      });
      assert.equal(child.signal, "SIGKILL", child.stderr);
      const lines = child.stdout.split("\n").map((line) => line.split(" "));
      const added = lines.filter(([word]) => word === "add").reduce((sum, [, count]) => sum + Number(count), 0);
      const settledIds = lines.filter(([word]) => word === "end").map(([, id]) => Number(id));
      await using backend = openEmbedded(dir, { clock });
      const urls = await Array.fromAsync(backend.urls());
      // The commit that was under way may have happened, wholly.
      const more = urls.length - added;
      assert.ok(more === 0 || more === (added === 0 ? 150 : 180), `${more} more than acknowledged`);
      const ends = new Set(urls.filter(({ state }) => state === "ended").map(({ id }) => id));
      for (const id of settledIds) assert.ok(ends.has(id), `URL ${id} had ended`);
      assert.equal(ends.size, settledIds.length + (more === 180 ? 3 : 0));
      const { queued, leased, delayed } = await backend.pending();
      assert.deepEqual([queued, leased, delayed], [urls.length - ends.size, 0, 0]);

      const leasedIds = new Set<number>();
      for (;;) {
        const leases = await backend.lease(9);
        if (leases.length === 0) break;
        for (const lease of leases) {
          assert.ok(!ends.has(lease.url.id) && !leasedIds.has(lease.url.id), "each pending URL comes once");
          leasedIds.add(lease.url.id);
        }
        await backend.commit({ settled: leases.map((l) => settled(l, ended(), 1)), hosts: [], robots: [], marks: [] });
      }
      assert.equal(leasedIds.size, queued);
    });

  for (const steps of [0, 1, 40, 300])
    it(`loses nothing that comes back (killed at the ${steps}th)`, async () => {
      const child = spawnSync(
        process.execPath,
        [join(import.meta.dirname, "crawl-and-die.ts"), dir, String(steps), "revisit"],
        { encoding: "utf8" },
      );
      assert.equal(child.signal, "SIGKILL", child.stderr);
      const told = new Map<number, boolean>();
      const lines = child.stdout.split("\n").map((line) => line.split(" "));
      for (const [word, id] of lines) if (word !== "add") told.set(Number(id), word === "end");
      await using backend = openEmbedded(dir, { clock });
      const pending = (await Array.fromAsync(backend.urls())).filter(({ state }) => state !== "ended");
      // It was killed while these were queued again: none of them is.
      for (const [id, hasEnded] of told)
        assert.equal((await backend.byId(id))?.state === "ended", hasEnded, `URL ${id}`);
      const due = await backend.due(Number.POSITIVE_INFINITY, 10_000);
      const ended = [...told].filter(([, hasEnded]) => hasEnded).map(([id]) => id);
      assert.deepEqual(due.map(({ id }) => id).sort(), ended.sort());
      assert.equal((await backend.pending()).queued, pending.length);
      assert.equal((await backend.endCounts()).get("fetched") ?? 0, ended.length);
      for (let left = pending.length; left > 0; ) {
        const leases = await backend.lease(9);
        assert.ok(leases.length > 0, "each pending URL comes");
        for (const { url, previous } of leases) assert.equal(previous !== null, told.has(url.id), `URL ${url.id}`);
        left -= leases.length;
        await backend.commit({
          settled: leases.map((l) => settled(l, { kind: "end", end: "fetched" }, 1)),
          hosts: [],
          robots: [],
          marks: [],
        });
      }
      assert.deepEqual(await backend.pending(), { queued: 0, leased: 0, delayed: 0, hosts: 0 });
    });
});
