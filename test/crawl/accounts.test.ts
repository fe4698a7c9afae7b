/** Budgets by name, in bounded memory. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Accounts } from "../../src/crawl/accounts.ts";

describe("accounts", () => {
  it("are opened by the first useless page alone", () => {
    const accounts = new Accounts(2, 10);
    accounts.reward("a", 1);
    assert.equal(accounts.admits("a", 2), true);
    assert.equal(accounts.size, 0);
    accounts.charge("a", 3);
    assert.ok(accounts.has("a") && accounts.closed === 0);
  });

  it("forget the one that was not touched for longest", () => {
    const accounts = new Accounts(1, 2);
    for (const name of ["a", "b", "a", "c"]) accounts.charge(name, 1);
    assert.deepEqual(
      ["a", "b", "c"].map((name) => accounts.has(name)),
      [true, false, true],
    );
    assert.equal(accounts.admits("b", 2), true);
  });

  it("count one that is forgotten as closed no longer", () => {
    const accounts = new Accounts(1, 1);
    accounts.charge("a", 1);
    assert.equal(accounts.closed, 1);
    accounts.charge("b", 2, 0.5);
    assert.equal(accounts.closed, 0);
  });

  it("know how many of them are closed, whatever happened", () => {
    const step = fc.record({
      name: fc.constantFrom("a", "b", "c", "d", "e"),
      what: fc.constantFrom("charge", "reward", "ask"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const accounts = new Accounts(2, 3);
        for (const [id, { name, what }] of steps.entries()) {
          if (what === "charge") accounts.charge(name, id + 1);
          else if (what === "reward") accounts.reward(name, id + 1);
          else accounts.admits(name, id + 1);
          assert.ok(accounts.size <= 3);
          assert.ok(accounts.closed >= 0 && accounts.closed <= accounts.size);
        }
        // What is closed refuses the next URL, or has just let one through.
        const names = ["a", "b", "c", "d", "e"].filter((name) => accounts.has(name));
        for (let id = 1_000; id < 1_100; id++) for (const name of names) accounts.admits(name, id);
        const refusing = names.filter((name) => !accounts.admits(name, 5_000) || !accounts.admits(name, 5_001));
        assert.equal(refusing.length, accounts.closed);
      }),
    );
  });
});
