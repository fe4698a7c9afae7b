/** A snapshot makes opening quick and changes nothing else: whether it is there, old, damaged, or newer than the journal. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Backend } from "../../../src/ports/frontier.ts";
import { openEmbedded } from "../../../src/store/embedded/backend.ts";
import { ended, settled, TestClock, url } from "../../conformance/frontier-world.ts";

let dir: string;
let clock: TestClock;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "trawl-snapshot-"));
  clock = new TestClock();
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const EVERY = 50;
/** Pieces of a snapshot: its head, a page of states, the segments of the seen set, the end. */
const PIECES = 259;

/** So few bytes at once that URLs come and end between the pieces, the first of them too. */
const open = (where = dir, every = EVERY) => openEmbedded(where, { clock, snapshots: { every, bytesAtOnce: 100 } });
const file = (where = dir) => join(where, "state.seen");

let made = 0;
const fresh = (count: number) =>
  Array.from({ length: count }, () => {
    const n = made++;
    return url(`h${n % 5}`, String(n), n % 7 === 0 ? { drop: { reason: "trap" }, priority: 1 } : { priority: n % 3 });
  });

/** Pages that bring new URLs, some known ones, and some that were dropped before; some come back. */
async function crawl(backend: Backend, pages: number): Promise<void> {
  for (let page = 0; page < pages; page++) {
    clock.time += 10;
    const leases = await backend.lease(3);
    const again = made > 20 ? [url(`h${(made - 14) % 5}`, String(made - 14))] : [];
    await backend.commit({
      settled: leases.map((lease) =>
        settled(
          lease,
          lease.url.id % 11 === 0 ? { kind: "retry", at: clock.time + 30, reason: "timeout" } : ended(),
          1,
          {
            links: [...fresh(2), ...again],
          },
        ),
      ),
      hosts: [],
      robots: [],
      marks: [],
    });
    const back = leases.filter(({ url }) => url.id % 4 === 0);
    await backend.revisit(back.map(({ url }) => ({ id: url.id, priority: url.id % 3 })));
  }
}

/** Everything that memory knows, seen from outside. */
async function view(backend: Backend): Promise<unknown> {
  const urls = await Array.fromAsync(backend.urls());
  const paths: (number | undefined)[] = [];
  for (let n = 0; n < made; n++) {
    paths.push((await backend.find(url(`h${n % 5}`, String(n))))?.id);
  }
  return { urls, paths, pending: await backend.pending(), ends: Object.fromEntries(await backend.endCounts()) };
}

/** What a kill leaves, opened with the snapshot and without. */
async function assertAlike(): Promise<void> {
  const [whole, bare] = ["whole", "bare"].map((name) => join(dir, name)) as [string, string];
  for (const copy of [whole, bare]) {
    mkdirSync(copy);
    for (const name of ["state.db", "state.db-wal", "state.seen"])
      if (existsSync(join(dir, name))) cpSync(join(dir, name), join(copy, name));
  }
  rmSync(file(bare), { force: true });
  {
    await using a = open(whole);
    await using b = open(bare);
    assert.deepEqual(await view(a), await view(b));
    for (;;) {
      clock.time += 100;
      const [leased, other] = [await a.lease(5), await b.lease(5)];
      assert.deepEqual(
        leased.map((lease) => lease.url),
        other.map((lease) => lease.url),
      );
      if (leased.length === 0) break;
      for (const [backend, leases] of [[a, leased] as const, [b, other] as const])
        await backend.commit({ settled: leases.map((l) => settled(l, ended(), 1)), hosts: [], robots: [], marks: [] });
    }
  }
  rmSync(whole, { recursive: true });
  rmSync(bare, { recursive: true });
}

/** A crawl with a snapshot that was written while it went on, and rows after it. */
async function crawlPastSnapshot(): Promise<Backend> {
  const backend = open();
  await backend.add(fresh(60));
  for (let i = 0; !existsSync(file()); i++) {
    assert.ok(i < 4 * PIECES, "a snapshot is written in time");
    await crawl(backend, 1);
    await sleep(1); // lets the disk answer, which may take a while
  }
  await crawl(backend, 20);
  return backend;
}

describe("a snapshot of what is known", () => {
  it("is written while the crawl goes on, and stands for the journal up to its position", async () => {
    await using backend = await crawlPastSnapshot();
    assert.ok((await backend.pending()).queued > 0);
    await assertAlike();
  });

  it("is written at a clean close", async () => {
    {
      await using backend = open();
      await backend.add(fresh(60));
      await crawl(backend, 9);
    }
    assert.ok(existsSync(file()));
    assert.ok(!existsSync(`${file()}.tmp`));
    await assertAlike();
  });

  it("is not written for a few URLs", async () => {
    {
      await using backend = open(dir, 4_000_000);
      await backend.add(fresh(60));
    }
    assert.ok(!existsSync(file()));
  });

  it("is passed over and removed when it was cut or changed anywhere", async () => {
    {
      await using backend = open();
      await backend.add(fresh(60));
      await crawl(backend, 3);
    }
    const good = readFileSync(file());
    const places = [0, 4, 40, good.length >> 1, good.length - 1];
    for (const at of places) {
      const changed = Buffer.from(good);
      changed[at]! ^= 4;
      for (const bad of [changed, good.subarray(0, at)]) {
        writeFileSync(file(), bad);
        await assertAlike();
        await open(dir, 4_000_000)[Symbol.asyncDispose]();
        assert.ok(!existsSync(file()), `byte ${at} of ${good.length}`);
      }
    }
  });

  it("is passed over and removed when the journal has lost rows that it knows of", async () => {
    const backend = open();
    await backend.add(fresh(60));
    await crawl(backend, 5);
    cpSync(join(dir, "state.db"), join(dir, "old.db"));
    cpSync(join(dir, "state.db-wal"), join(dir, "old.db-wal"));
    await crawl(backend, 30);
    const lost = fresh(1);
    await backend.add(lost);
    await backend[Symbol.asyncDispose]();
    // What a power cut leaves: the last transactions never reached the disk, the snapshot did.
    rmSync(join(dir, "state.db"));
    cpSync(join(dir, "old.db"), join(dir, "state.db"));
    cpSync(join(dir, "old.db-wal"), join(dir, "state.db-wal"));
    await using again = open(dir, 4_000_000);
    assert.ok(!existsSync(file()));
    assert.equal(await again.find(lost[0]!), null);
    assert.equal(await again.add(lost), lost[0]!.drop === undefined ? 1 : 0);
  });

  it("is given up, and the crawl is not, when it cannot be written", async () => {
    mkdirSync(`${file()}.tmp`);
    {
      await using backend = open();
      await backend.add(fresh(60));
      await crawl(backend, 20);
    }
    assert.ok(!existsSync(file()));
    await using again = open();
    assert.ok((await again.pending()).queued > 0);
  });

  for (const step of [0, 1, 130, PIECES - 1, PIECES, 2 * PIECES + 9])
    it(`loses nothing when the process is killed at piece ${step}`, async () => {
      const child = spawnSync(
        process.execPath,
        [join(import.meta.dirname, "crawl-and-die.ts"), dir, String(step), "snapshot"],
        { encoding: "utf8" },
      );
      assert.equal(child.signal, "SIGKILL", child.stderr);
      const added = child.stdout
        .split("\n")
        .map((line) => line.split(" "))
        .reduce((sum, [word, count]) => sum + (word === "add" ? Number(count) : 0), 0);
      const db = new DatabaseSync(join(dir, "state.db"));
      assert.ok((db.prepare("SELECT count(*) AS n FROM url").get()!.n as number) >= added);
      db.close();
      await assertAlike();
    });
});
