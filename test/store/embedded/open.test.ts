/** Who may open which directory, and what is said to the others. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import { openEmbedded } from "../../../src/store/embedded/backend.ts";
import { openState } from "../../../src/store/embedded/read-only.ts";
import { ended, settled, TestClock, url } from "../../conformance/frontier-world.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "trawl-open-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const clock = new TestClock();
const open = () => openEmbedded(dir, { clock });
const close = async () => open()[Symbol.asyncDispose]();
const change = (sql: string) => {
  const db = new DatabaseSync(join(dir, "state.db"));
  db.exec(sql);
  db.close();
};

describe("opening a state", () => {
  it("makes the directory and the file", async () => {
    dir = join(dir, "a", "b");
    await close();
    assert.ok(existsSync(join(dir, "state.db")));
    await close();
  });

  it("is refused while another has it open, and not after", async () => {
    const first = open();
    assert.throws(open, { name: "StateError", code: "locked", message: /another process/ });
    assert.equal(await first.add([url("a", "1")]), 1, "the first goes on undisturbed");
    await first[Symbol.asyncDispose]();
    await close();
  });

  it("closes twice without complaint", async () => {
    const backend = open();
    await backend[Symbol.asyncDispose]();
    await backend[Symbol.asyncDispose]();
  });

  it("is refused where state.db is no database, and nothing is written", () => {
    writeFileSync(join(dir, "state.db"), "this is a text, long enough to be looked at by SQLite ".repeat(20));
    const before = readFileSync(join(dir, "state.db"));
    assert.throws(open, { code: "foreign" });
    assert.throws(() => openState(dir), { code: "foreign" });
    assert.deepEqual(readFileSync(join(dir, "state.db")), before);
    assert.ok(!existsSync(join(dir, "lock.db")));
  });

  it("is refused where state.db is someone else's database", () => {
    change("CREATE TABLE t (x); PRAGMA user_version = 1");
    assert.throws(open, { code: "foreign", message: /not a state of Trawl/ });
    assert.throws(() => openState(dir), { code: "foreign" });
  });

  it("is refused where state.db was cut off", async () => {
    await close();
    truncateSync(join(dir, "state.db"), 8192);
    assert.throws(open, { code: "foreign" });
  });

  it("is refused where state.db is a directory", () => {
    mkdirSync(join(dir, "state.db"));
    assert.throws(open, { code: "unwritable" });
  });

  it("is refused where state.db is newer, with the mend", async () => {
    await close();
    change("PRAGMA user_version = 99");
    assert.throws(open, { code: "state-newer", message: /version 99.*update Trawl/ });
    assert.throws(() => openState(dir), { code: "state-newer" });
  });

  /** What makes a state of each version one of the version before. */
  const BACK = [
    [
      7,
      `DROP VIEW urls; DROP VIEW hosts; DROP VIEW visit_of; DROP VIEW requests;
       ALTER TABLE host DROP COLUMN lessons; ALTER TABLE host_change DROP COLUMN lessons`,
    ],
    [6, "ALTER TABLE journal RENAME COLUMN raised TO linked; UPDATE journal SET linked = x'01000000'"],
    [5, "ALTER TABLE host DROP COLUMN again; ALTER TABLE host_change DROP COLUMN again"],
    [4, "DROP TABLE visit_of_3"],
    [3, "DROP TABLE due; DROP TABLE revisit; ALTER TABLE visit DROP COLUMN history"],
  ] as const;
  BACK.forEach(([version], nth) => {
    it(`brings a state of version ${version} up to date, with all that is in it`, async () => {
      {
        await using backend = open();
        await backend.add([url("a", "1"), url("a", "2")]);
        const [lease] = await backend.lease(1);
        await backend.commit({ settled: [settled(lease!, ended(), 1)], hosts: [], robots: [], marks: [] });
      }
      for (const [to, sql] of BACK.slice(0, nth + 1)) change(`${sql}; PRAGMA user_version = ${to}`);
      const message = new RegExp(`version ${version}.*let this one go on with its crawl`);
      assert.throws(() => openState(dir), { code: "state-older", message });
      {
        await using backend = open();
        assert.deepEqual(
          (await Array.fromAsync(backend.urls())).map(({ state, visit, dueAt }) => [
            state,
            visit?.history ?? null,
            dueAt,
          ]),
          [
            ["ended", null, null],
            ["queued", null, null],
          ],
        );
        await backend.schedule([{ id: 1, dueAt: 5 }]);
        assert.equal(await backend.revisit([{ id: 1, priority: 0 }]), 1);
      }
      using state = openState(dir);
      assert.deepEqual(
        (await Array.fromAsync(state.urls())).map(({ state }) => state),
        ["queued", "queued"],
      );
    });
  });

  it("is refused where state.db is of a version that is too old, with the mend", async () => {
    await close();
    change("PRAGMA user_version = 2");
    assert.throws(open, { code: "state-older", message: /version 2.*go on with that one/ });
    assert.throws(() => openState(dir), { code: "state-older", message: /version 2.*go on with that one/ });
  });

  it("takes an empty file for a crawl that has not begun", async () => {
    writeFileSync(join(dir, "state.db"), "");
    assert.throws(() => openState(dir), { code: "missing" });
    await close();
  });

  it("to read is refused where there is none", () => {
    assert.throws(() => openState(dir), { code: "missing" });
    assert.ok(!existsSync(join(dir, "state.db")));
  });
});
