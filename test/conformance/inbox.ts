/** What people ask of a crawl reaches it whole, in order; and nothing that they get wrong stops it. Wherever they put it. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type Log, silentLog } from "../../src/base/log.ts";
import type { Href } from "../../src/model/url.ts";
import type { Inbox, InboxSlot } from "../../src/ports/inbox.ts";
import { TestClock } from "./frontier-world.ts";

export interface InboxParts {
  readonly clock: TestClock;
  readonly log: Log;
  readonly admit: (urls: readonly Href[], priority: number | null) => Promise<number>;
}

/** The inbox of one crawl, to be opened any number of times. */
export interface InboxStore {
  readonly slot: InboxSlot;
  open(parts: InboxParts): Inbox;
  /** Puts there what no Trawl would. */
  spoil(text: string): Promise<void>;
  /** How many wait, and how many were put aside. */
  left(): Promise<{ readonly waiting: number; readonly aside: number }>;
  close(): Promise<void>;
}

export const urls = (...paths: readonly number[]): string[] => paths.map((path) => `http://a.test/${path}`);

export function inboxConformance(name: string, begin: () => Promise<InboxStore>): void {
  describe(`the inbox of ${name}`, () => {
    let store: InboxStore;
    const clock = new TestClock();
    beforeEach(async () => {
      store = await begin();
    });
    afterEach(() => store.close());

    /** An inbox that remembers what it was given to admit. */
    function inbox(admitting = () => {}) {
      const admitted: (readonly [string, number | null])[] = [];
      const warnings: string[] = [];
      const log = { ...silentLog, warn: (_: object, event: string) => void warnings.push(event) };
      const box = store.open({
        clock,
        log,
        async admit(some, priority) {
          admitted.push(...some.map((url) => [url, priority] as const));
          admitting();
          return some.length;
        },
      });
      return { box, admitted, warnings };
    }

    it("hands over what was added, in order, with its priority, and is empty then", async () => {
      await store.slot.add({ urls: urls(1, 2), priority: null }, 1_000);
      await store.slot.add({ urls: urls(3), priority: 5 }, 2_000);
      const { box, admitted } = inbox();
      assert.equal(await box.look(true), false);
      assert.deepEqual(admitted, [
        ["http://a.test/1", null],
        ["http://a.test/2", null],
        ["http://a.test/3", 5],
      ]);
      assert.deepEqual(await store.left(), { waiting: 0, aside: 0 });
    });

    it("is looked into now and then, and at once when the crawl is about to end", async () => {
      const { box, admitted } = inbox();
      await box.look(false);
      await store.slot.add({ urls: urls(1), priority: null }, 1);
      await box.look(false);
      assert.equal(admitted.length, 0);
      clock.time += 1_000;
      await box.look(false);
      assert.equal(admitted.length, 1);
      await store.slot.add({ urls: urls(2), priority: null }, 1);
      await box.look(true);
      assert.equal(admitted.length, 2);
    });

    it("hands over again what a crash left between admission and removal", async () => {
      await store.slot.add({ urls: urls(1), priority: null }, 1);
      const first = inbox(() => {
        throw new Error("killed");
      });
      await assert.rejects(first.box.look(true), /killed/);
      assert.equal((await store.left()).waiting, 1);
      const second = inbox();
      await second.box.look(true);
      assert.equal(second.admitted.length, 1);
      assert.deepEqual(await store.left(), { waiting: 0, aside: 0 });
    });

    it("puts aside what it cannot read, says so, and goes on", async () => {
      const wrong = ["{", '"x"', '{"urls":[7],"priority":null}', '{"urls":["http://a.test/"],"priority":99}'];
      for (const text of wrong) await store.spoil(text);
      await store.slot.add({ urls: urls(1), priority: null }, 1_000_000);
      const { box, admitted, warnings } = inbox();
      await box.look(true);
      await box.look(true);
      assert.equal(admitted.length, 1);
      assert.equal(warnings.length, wrong.length);
      assert.deepEqual(await store.left(), { waiting: 0, aside: wrong.length });
    });

    it("says whether the crawl is paused, to those who ask from outside too", async () => {
      const { box } = inbox();
      const { slot } = store;
      assert.equal(await slot.isPaused(), false);
      assert.equal(await slot.setPaused(true), true);
      assert.equal(await slot.setPaused(true), false);
      assert.equal(await slot.isPaused(), true);
      assert.equal(await box.look(true), true);
      assert.equal(await slot.setPaused(false), true);
      assert.equal(await box.look(true), false);
    });
  });
}
