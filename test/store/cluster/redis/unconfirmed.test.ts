/** Calls that no replica is known to have: which are made again when a connection has broken, and in which order. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { UnconfirmedCalls } from "../../../../src/store/cluster/redis/unconfirmed.ts";

function journal() {
  const calls = new UnconfirmedCalls();
  const said: string[] = [];
  const make = (key: string, value: string, held: Promise<unknown> = Promise.resolve()) =>
    calls.make(
      key,
      async (begun) => {
        begun();
        said.push(`${key}=${value}`);
      },
      async () => {
        said.push(`${key}=${value} again`);
        await held;
      },
    );
  const confirm = () => calls.confirm(async () => void said.push("wait"));
  return { calls, said, make, confirm };
}

describe("calls that are unconfirmed when a connection breaks", () => {
  it("are made again with those after them about the same, in order, and with no others", async () => {
    const { calls, said, make, confirm } = journal();
    await make("a", "1");
    calls.broken();
    await make("b", "1");
    await make("a", "2");
    said.length = 0;
    await confirm();
    assert.deepEqual(said, ["a=1 again", "a=2 again", "wait"]);
  });

  it("are made again before anything new is made", async () => {
    const { calls, said, make, confirm } = journal();
    const held = Promise.withResolvers<void>();
    await make("a", "1", held.promise);
    calls.broken();
    const confirming = confirm();
    await turn();
    const making = make("a", "2");
    await turn();
    assert.deepEqual(said, ["a=1", "a=1 again"]);
    held.resolve();
    await Promise.all([confirming, making]);
    assert.ok(said.indexOf("a=2") > 1);
  });

  it("are waited for, and made again once more, when another breaks meanwhile", async () => {
    const { calls, said, make } = journal();
    await make("a", "1");
    let waits = 0;
    await calls.confirm(async () => {
      said.push("wait");
      if (++waits === 1) calls.broken();
    });
    assert.deepEqual(said, ["a=1", "wait", "a=1 again", "wait"]);
    said.length = 0;
    await calls.confirm(async () => void said.push("wait"));
    assert.deepEqual(said, ["wait"], "what is confirmed is made no more");
  });
});
