/** A reader beside the writer sees what was committed, and so does anyone with an SQLite shell. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type HostKey, newHostState } from "../../../src/model/host.ts";
import { historyOf } from "../../../src/policy/history.ts";
import type { Backend } from "../../../src/ports/frontier.ts";
import { openState } from "../../../src/store/embedded/read-only.ts";
import { ended, recordOf, settled, url, World } from "../../conformance/frontier-world.ts";
import { embeddedStore } from "../stores.ts";

let store: ReturnType<typeof embeddedStore>;
let world: World<Backend>;
beforeEach(async () => {
  store = embeddedStore();
  world = await World.open(store);
  const { backend } = world;
  await backend.add([url("a", "1"), url("a", "2"), url("b", "3"), url("c", "4", { drop: { reason: "scope" } })]);
  const [a, b] = await backend.lease(2);
  await world.commit({
    settled: [
      settled(a!, ended("http-4xx"), world.clock.time, { links: [url("a", "5")] }),
      settled(b!, { kind: "retry", at: world.clock.time + 50, reason: "timeout" }, world.clock.time),
    ],
    hosts: [{ ...newHostState("http://a" as HostKey), requests: 3 }],
    marks: [{ file: "x", bytes: 1 }],
  });
  await backend.setFact("startedAt", "now");
});
afterEach(() => world.close());

describe("a reader", () => {
  it("answers as the writer does, while the writer has the crawl open", async () => {
    const { backend, clock } = world;
    using state = openState(store.dir, { clock });
    assert.deepEqual(await state.pending(), await backend.pending());
    assert.deepEqual(await Array.fromAsync(state.urls()), await Array.fromAsync(backend.urls()));
    assert.deepEqual(
      await Array.fromAsync(state.urls({ endedOnly: true })),
      await Array.fromAsync(backend.urls({ endedOnly: true })),
    );
    for (const one of [url("a", "1"), url("b", "3"), url("c", "4"), url("a", "5"), url("none", "0")])
      assert.deepEqual(await state.find(one), await backend.find(one), one.href);
    assert.deepEqual(new Map(await state.endCounts()), new Map(await backend.endCounts()));
    assert.deepEqual(await state.topHosts(3), await backend.topHosts(3));
    assert.deepEqual(await state.host("http://a" as HostKey), await backend.host("http://a" as HostKey));
    assert.deepEqual([...(await state.marks())], [["x", 1]]);
    for await (const { id } of backend.urls()) assert.equal(await state.importance(id), await backend.importance(id));
    assert.equal(await state.fact("startedAt"), "now");
  });

  it("sees the next commit, and hinders none", async () => {
    using state = openState(store.dir);
    const reading = state.urls()[Symbol.asyncIterator]();
    await reading.next();
    await world.backend.add([url("z", "1")]);
    assert.equal((await state.byId(6))?.href, "http://z/1");
    assert.equal(
      (await Array.fromAsync({ [Symbol.asyncIterator]: () => reading })).length,
      5,
      "a stream goes on to what has come since",
    );
  });

  it("tells which ids are URLs': what was dropped and is admitted later has another", async () => {
    await world.backend.add([url("c", "4")]);
    using state = openState(store.dir);
    const { last, count, has } = await state.idsInUse();
    const ids = Array.from({ length: last + 1 }, (_, id) => id).filter(has);
    assert.deepEqual(
      ids,
      (await Array.fromAsync(state.urls())).map(({ id }) => id),
    );
    assert.equal(count, ids.length);
    assert.equal(last, count + 1, "the id that it was dropped with is nobody's");
  });

  it("reads a crawl that nobody has open", async () => {
    await world.backend[Symbol.asyncDispose]();
    using state = openState(store.dir, { clock: world.clock });
    assert.deepEqual(await state.pending(), { queued: 2, leased: 0, delayed: 1, hosts: 2 });
  });
});

describe("hosts that have changed", () => {
  const b = "http://b" as HostKey;
  const inTable = (what: string) => {
    const db = new DatabaseSync(join(store.dir, "state.db"), { readOnly: true });
    const rows = db.prepare(`SELECT requests, dead FROM ${what} WHERE name = ?`).all(b);
    db.close();
    return rows.map((row) => ({ ...row }));
  };
  const change = (requests: number) =>
    world.commit({
      hosts: [
        { ...newHostState(b), requests: 1 },
        { ...newHostState(b), requests, dead: "dns" },
      ],
    });

  it("are seen by a reader, and in the view hosts, before the table of hosts has them", async () => {
    await change(7);
    await world.commit({ hosts: [{ ...newHostState("http://a" as HostKey), requests: 2 }] });
    assert.deepEqual(inTable("host"), [{ requests: null, dead: null }]);
    assert.deepEqual(inTable("hosts"), [{ requests: 7, dead: "dns" }]);
    using state = openState(store.dir, { clock: world.clock });
    assert.equal((await state.host(b))?.requests, 7);
    assert.deepEqual(await state.host(b), await world.backend.host(b));
    assert.deepEqual(await state.topHosts(2), await world.backend.topHosts(2));
    assert.equal((await state.topHosts(1))[0]?.host, b);
  });

  it("are in the table of hosts after ten seconds, and when the crawl is closed", async () => {
    await change(7);
    world.clock.time += 10_000;
    await change(8);
    assert.deepEqual(inTable("host"), [{ requests: 8, dead: "dns" }]);
    await change(9);
    assert.deepEqual(inTable("host"), [{ requests: 8, dead: "dns" }]);
    await world.backend[Symbol.asyncDispose]();
    assert.deepEqual(inTable("host"), [{ requests: 9, dead: "dns" }]);
  });

  it("are not lost by a crash", async () => {
    await change(7);
    await world.crash();
    assert.equal((await world.backend.host(b))?.requests, 7);
    assert.deepEqual(inTable("host"), [{ requests: 7, dead: "dns" }]);
  });
});

describe("what comes back", () => {
  it("is seen by a reader as pending, and what is scheduled as due", async () => {
    await world.backend.schedule([{ id: 1, dueAt: 5_000 }]);
    using before = openState(store.dir, { clock: world.clock, frozen: true });
    assert.equal((await before.byId(1))?.dueAt, 5_000);
    assert.equal((await before.byId(1))?.state, "ended");
    assert.deepEqual(await before.due(9_000, 9), [{ id: 1, dueAt: 5_000 }]);
    assert.equal(await before.nextDueAt(), 5_000);
    assert.deepEqual(rowsOf("SELECT state, due_at FROM urls WHERE id = 1"), [
      { state: "ended", due_at: "1970-01-01T00:00:05.000Z" },
    ]);
    await world.backend.revisit([{ id: 1, priority: 0 }]);
    using state = openState(store.dir, { clock: world.clock });
    assert.deepEqual([(await state.byId(1))?.state, (await state.byId(1))?.dueAt], ["queued", null]);
    assert.deepEqual(await state.endCounts(), await world.backend.endCounts());
    assert.deepEqual(await state.topHosts(9), await world.backend.topHosts(9));
    assert.deepEqual(await state.pending(), await world.backend.pending());
    assert.deepEqual(await Array.fromAsync(state.endedAs("http-4xx")), []);
    assert.deepEqual(rowsOf("SELECT state, due_at FROM urls WHERE id = 1"), [{ state: "queued", due_at: null }]);
  });

  it("has its history open to anyone's SQL", async () => {
    await world.drain();
    await world.backend.revisit([{ id: 1, priority: 0 }]);
    const lease = await world.leaseOne();
    const history = { ...historyOf(lease.previous!), checks: 7, changes: 3 };
    await world.settle(lease, ended(), { record: { ...recordOf(lease, "fetched", 1), history } });
    assert.deepEqual(rowsOf("SELECT json_extract(history, '$.checks') AS n FROM urls WHERE id = 1"), [{ n: 7 }]);
  });
});

/** What plain SQL finds. */
function rowsOf(sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(join(store.dir, "state.db"), { readOnly: true });
  const rows = db.prepare(sql).all();
  db.close();
  return rows.map((row) => ({ ...row }));
}

describe("the view urls", () => {
  it("shows each URL with its latest visit in words", () => {
    const db = new DatabaseSync(join(store.dir, "state.db"), { readOnly: true });
    const rows = db.prepare("SELECT url, host, state, end, status, fetched_at FROM urls ORDER BY id").all();
    db.close();
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        {
          url: "http://a/1",
          host: "http://a",
          state: "ended",
          end: "http-4xx",
          status: 200,
          fetched_at: "1970-01-01T00:16:40.000Z",
        },
        { url: "http://a/2", host: "http://a", state: "queued", end: null, status: null, fetched_at: null },
        {
          url: "http://b/3",
          host: "http://b",
          state: "queued",
          end: "retry",
          status: 200,
          fetched_at: "1970-01-01T00:16:40.000Z",
        },
        {
          url: "http://c/4",
          host: "http://c",
          state: "ended",
          end: "scope",
          status: null,
          fetched_at: null,
        },
        { url: "http://a/5", host: "http://a", state: "queued", end: null, status: null, fetched_at: null },
      ],
    );
  });
});
