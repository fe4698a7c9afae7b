/** The index of visits by URL tells every visit, in whichever of its tables it stands. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import { SCHEMA } from "../../../src/store/embedded/schema.ts";
import { VisitIndex } from "../../../src/store/embedded/visit-index.ts";

let db: DatabaseSync;
beforeEach(() => {
  db = new DatabaseSync(":memory:");
  db.exec(SCHEMA);
});
afterEach(() => db.close());

/** Records `count` visits; the i-th is of URL `urlOf(i)`. */
function visit(count: number, urlOf: (i: number) => number): void {
  const insert = db.prepare(
    "INSERT INTO visit (url_id, href, end, attempt, started_at, ended_at, bytes, robots_id) VALUES (?, '', '', 1, 0, 0, 0, 0)",
  );
  for (let i = 0; i < count; i++) insert.run(urlOf(i));
}

const entries = (level: number): number => db.prepare(`SELECT count(*) AS n FROM visit_of_${level}`).get()!.n as number;

describe("the index of visits", () => {
  it("has every visit once, and moves some on when a table is full", () => {
    let index = new VisitIndex(db);
    db.exec("BEGIN");
    for (let batch = 0; batch < 90; batch++) {
      // 7,919 is prime to 40,000: each URL twice or nearly so, in another order than that of its ids.
      visit(1_000, (i) => (((batch * 1_000 + i) * 7_919) % 40_000) + 1);
      index.update();
      if (batch % 20 === 19) index = new VisitIndex(db); // as when the crawl is opened again
    }
    db.exec("COMMIT");
    assert.equal(entries(0) + entries(1) + entries(2) + entries(3), 90_000);
    assert.ok(entries(0) < 4_096 && entries(1) < 65_536 && entries(2) >= 20_000, "each table is below its measure");
    const differences = db.prepare("SELECT url_id, id FROM visit EXCEPT SELECT url_id, visit_id FROM visit_of").all();
    assert.deepEqual(differences, []);
  });

  it("tells visits that the transaction under way has recorded", () => {
    const index = new VisitIndex(db);
    visit(3, (i) => i);
    assert.deepEqual(index.visitsOf(2), [3]);
  });

  it("counts what it forgets, so that no table is taken for full that is not", () => {
    const index = new VisitIndex(db);
    db.exec("BEGIN");
    for (let url = 1; url <= 5_000; url++) {
      visit(1, () => url);
      index.update();
      db.exec(`DELETE FROM visit WHERE url_id = ${url}`);
      index.forget(url);
    }
    visit(10, (i) => i);
    index.update();
    db.exec("COMMIT");
    assert.deepEqual([entries(0), entries(1)], [10, 0]);
  });

  it("takes in a visit that gets the id of one that was deleted", () => {
    const index = new VisitIndex(db);
    visit(3, (i) => i + 1);
    index.update();
    for (const url of [2, 3]) {
      db.exec(`DELETE FROM visit WHERE url_id = ${url}`);
      index.forget(url);
    }
    visit(1, () => 7);
    assert.deepEqual(index.visitsOf(7), [2]);
    assert.deepEqual(index.visitsOf(2), []);
  });
});
