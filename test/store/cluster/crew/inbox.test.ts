/** The inbox of a crawl that many share: in Redis, for whichever crawler looks first. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { silentLog } from "../../../../src/base/log.ts";
import { clusterInbox, clusterSlot } from "../../../../src/store/cluster/crew/inbox.ts";
import { TestClock } from "../../../conformance/frontier-world.ts";
import { type InboxStore, inboxConformance, urls } from "../../../conformance/inbox.ts";
import { type ClusterBench, clusterBench } from "../store.ts";

let bench: ClusterBench;
before(async () => {
  bench = await clusterBench();
});
after(() => bench[Symbol.asyncDispose]());

let crawls = 0;

async function inRedis(): Promise<InboxStore & { readonly name: string }> {
  const name = `inbox-${++crawls}`;
  const key = `trawl:{${name}}:inbox`;
  const count = async (...words: string[]) => Number(await bench.connection.command(key, words));
  return {
    name,
    slot: clusterSlot(bench.connection, name),
    open: (parts) => clusterInbox(bench.connection, { name, ...parts }),
    spoil: async (text) => void (await bench.connection.run("post", key, [text])),
    left: async () => ({ waiting: await count("ZCARD", `${key}:due`), aside: await count("HLEN", `${key}:bad`) }),
    close: async () => {},
  };
}

inboxConformance("a cluster", inRedis);

describe("an addition in an inbox that many crawlers look into", () => {
  /** Admits what it is given when it is told to, and not before. */
  function crawler(store: InboxStore, clock: TestClock) {
    const admitted: string[] = [];
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const box = store.open({
      clock,
      log: silentLog,
      async admit(some) {
        admitted.push(...some);
        await held;
        return some.length;
      },
    });
    return { box, admitted, go };
  }

  it("is taken by one of them, and by another when that one has died or there is nothing else to do", async () => {
    const store = await inRedis();
    const clock = new TestClock();
    const [dies, second, third] = [crawler(store, clock), crawler(store, clock), crawler(store, clock)];
    second.go();
    third.go();
    await store.slot.add({ urls: urls(1), priority: null }, clock.time);
    await store.slot.add({ urls: urls(2), priority: null }, clock.time);
    const never = dies.box.look(false);
    while (dies.admitted.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await second.box.look(false);
    assert.deepEqual([dies.admitted, second.admitted], [urls(1), urls(2)]);
    await third.box.look(true);
    assert.deepEqual(third.admitted, urls(1), "it has nothing else to do");
    dies.go();
    assert.equal(await never, false);
    assert.deepEqual(await store.left(), { waiting: 0, aside: 0 });
  });

  it("comes back when who took it has said nothing for a minute", async () => {
    const store = await inRedis();
    const clock = new TestClock();
    const [dies, other] = [crawler(store, clock), crawler(store, clock)];
    other.go();
    await store.slot.add({ urls: urls(1), priority: null }, clock.time);
    const never = dies.box.look(false);
    while (dies.admitted.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    clock.time += 59_000;
    await other.box.look(false);
    assert.deepEqual(other.admitted, []);
    clock.time += 2_000;
    await other.box.look(false);
    assert.deepEqual(other.admitted, urls(1));
    dies.go();
    await never;
  });

  it("is divided when it is long, so that many can admit it", async () => {
    const store = await inRedis();
    const many = urls(...Array.from({ length: 2_500 }, (_, nth) => nth));
    await store.slot.add({ urls: many, priority: 2 }, 1);
    assert.equal((await store.left()).waiting, 3);
    const { box, admitted, go } = crawler(store, new TestClock());
    go();
    await box.look(true);
    assert.deepEqual(admitted, many);
  });
});
