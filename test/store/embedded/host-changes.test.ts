/** What hosts become is in the view of hosts at once, and in their table some time later, a part with each transaction. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, it } from "node:test";
import { type HostKey, newHostState } from "../../../src/model/host.ts";
import { ActiveHost, Waiting } from "../../../src/store/embedded/active-host.ts";
import { HostChanges } from "../../../src/store/embedded/host-changes.ts";
import { SCHEMA } from "../../../src/store/embedded/schema.ts";

const HOSTS = 20_000;

describe("what hosts become", () => {
  let db: DatabaseSync;
  let changes: HostChanges;
  let hosts: ActiveHost[];
  beforeEach(() => {
    db = new DatabaseSync(":memory:");
    db.exec(SCHEMA);
    const insert = db.prepare("INSERT INTO host (id, name) VALUES (?, ?)");
    const waiting = new Waiting();
    hosts = Array.from({ length: HOSTS }, (_, nth) => {
      const name = `http://h${nth}` as HostKey;
      insert.run(nth + 1, name);
      return new ActiveHost(nth + 1, name, 0, 0, waiting);
    });
    changes = new HostChanges(db);
    change(hosts[0]!, 0);
    assert.equal(changes.move(0), true); // from now on it is not time for a while
  });

  function change(host: ActiveHost, requests: number): void {
    host.state = { ...newHostState(host.name), requests };
    changes.write(host);
  }
  const requestsIn = (table: "host" | "hosts") =>
    db
      .prepare(`SELECT requests FROM ${table} ORDER BY id`)
      .all()
      .map(({ requests }) => requests);
  const asTheyAre = () => hosts.map(({ state }) => state?.requests ?? null);

  it("is appended first, and waits to be much", () => {
    change(hosts[7]!, 3);
    assert.equal(changes.move(1), false);
    assert.equal(requestsIn("host")[7], null);
    assert.deepEqual(requestsIn("hosts"), asTheyAre());
    assert.ok(changes.waits(hosts[7]!));
    assert.equal(changes.waits(hosts[8]!), false);
  });

  it("goes into the table a part at a time, while hosts change further, and the view has all at any time", () => {
    for (const host of hosts.toReversed()) change(host, 1);
    let steps = 0;
    for (let ended = false; !ended; steps++) {
      assert.ok(steps < HOSTS);
      for (const nth of [0, 5_000, 19_999]) change(hosts[(nth + steps) % HOSTS]!, 2 + steps);
      ended = changes.move(1);
      assert.deepEqual(requestsIn("hosts"), asTheyAre());
    }
    assert.ok(steps > 4, "no step is a long one");
    const table = requestsIn("host");
    hosts.forEach((host, nth) => {
      if (!changes.waits(host)) assert.equal(table[nth], host.state!.requests);
    });
    assert.ok(hosts.filter((host) => changes.waits(host)).length <= 3 * steps);
    assert.ok((db.prepare("SELECT count(*) AS n FROM host_change").get()!.n as number) <= 3 * steps);
  });

  it("goes into the table when it is time, be it ever so little", () => {
    change(hosts[7]!, 3);
    assert.equal(changes.move(20_000), true);
    assert.ok(changes.allMoved);
    assert.equal(requestsIn("host")[7], 3);
  });

  it("goes into the table as a whole when that is asked for, and is found by who opens the state anew", () => {
    for (const host of hosts) change(host, 1);
    assert.equal(changes.move(1), false);
    change(hosts[9]!, 5);
    const other = new HostChanges(db);
    assert.equal(other.allMoved, false);
    other.moveAll();
    assert.deepEqual(requestsIn("host"), asTheyAre());
    assert.equal(new HostChanges(db).allMoved, true);
  });
});
