/** Promise 8: a page's cash is shared out over its links, and brings forward what waits. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FirstCash, NewUrl } from "../../../src/model/link.ts";
import { SHORT_LIST } from "../../../src/model/link.ts";
import type { Backend } from "../../../src/ports/frontier.ts";
import { again, type Begin, ended, pathOf, type settled, url, type World } from "../frontier-world.ts";

export const firstCash: FirstCash = ({ source }) => (source === "seed" ? 1 : 0);

/** Cash is kept in half doublings. */
function assertAbout(found: number, wanted: number): void {
  assert.ok(found > wanted * 0.7 && found < wanted * 1.42, `${found} is not about ${wanted}`);
}

export function links(begin: Begin<Backend>): void {
  describe("8. cash", () => {
    const seed = url("a.test", "seed");
    /** Two hundred of class 4, so that most are on disk. */
    const many = Array.from({ length: 200 }, (_, i) => url("a.test", `p${i}`, { priority: 4, source: "link" }));
    const far = many[150]!;
    const idOf = async (world: World<Backend>, one: NewUrl) => (await world.backend.find(one))!.id;
    const importanceOf = async (world: World<Backend>, of: NewUrl) => world.backend.importance(await idOf(world, of));
    /** Ends the next page that can be leased. */
    const onPage = async (world: World<Backend>, links: Parameters<typeof settled>[3]): Promise<void> => {
      await world.settle(await world.leaseOne(), ended(), links);
    };

    it("brings forward what a page gives it to, wherever it is in its queue, and gives it out once", async () => {
      const world = await begin({ firstCash });
      await world.backend.add([seed, ...many]);
      await onPage(world, { linksAgain: again("a.test", [far]) });
      const paths = await world.drain();
      assert.equal(paths[0], "p150");
      assert.deepEqual([paths.length, new Set(paths).size], [200, 200]);
    });

    it("is shared out evenly, those named standing for those that are not, and told with the lease", async () => {
      const world = await begin({ firstCash });
      const other = url("b.test", "x", { source: "link" });
      await world.backend.add([seed, other]);
      const [lease] = await world.backend.lease(1);
      assertAbout(lease!.importance, 1);
      const fresh = url("b.test", "y", { source: "link" });
      await world.settle(lease!, ended(), { links: [fresh], linksAgain: again("a.test", [other], 7) });
      assertAbout(await importanceOf(world, fresh), 1 / 8);
      assertAbout(await importanceOf(world, other), 7 / 8);
      const [first] = await world.backend.lease(1);
      assert.equal(pathOf(first!), "x");
      assertAbout(first!.importance, 7 / 8);
    });

    it("is given on by what it was given to, ended or not, and survives a crash and a close", async () => {
      const world = await begin({ firstCash });
      const [one, two] = [url("a.test", "1", { source: "link" }), url("a.test", "2", { source: "redirect" })];
      await world.backend.add([seed]);
      await onPage(world, { links: [one] });
      await onPage(world, { links: [two, seed] });
      const before = await Promise.all([seed, one, two].map((one) => importanceOf(world, one)));
      assertAbout(before[2]!, 1);
      await world.crash();
      assert.deepEqual(await Promise.all([seed, one, two].map((one) => importanceOf(world, one))), before);
      await world.reopen();
      assert.deepEqual(await Promise.all([seed, one, two].map((one) => importanceOf(world, one))), before);
      await onPage(world, { links: [{ ...seed, source: "link" }] });
      assertAbout(await importanceOf(world, seed), 2);
    });

    it("is given to nothing that is listed, embedded or dropped, nor to what is not known, nor by a page to itself", async () => {
      const world = await begin({ firstCash });
      const { backend } = world;
      await backend.add([seed, ...many]);
      const sources = (["listed", "embed"] as const).map((source) => ({ ...many[100]!, source }));
      const drop = { ...many[101]!, drop: { reason: "depth" } as const };
      const unknown = url("z.test", "3");
      await onPage(world, { links: [...sources, drop], linksAgain: again("a.test", [seed, unknown]) });
      assertAbout(await importanceOf(world, seed), 1);
      for (const one of [many[100]!, many[101]!]) assertAbout(await importanceOf(world, one), 2 ** -20);
      assert.equal((await backend.pending()).queued, 200);
    });

    it("is not shared out before the page has ended", async () => {
      const world = await begin({ firstCash });
      await world.backend.add([seed, ...many]);
      const at = world.clock.time;
      await world.settle(
        await world.leaseOne(),
        { kind: "retry", at, reason: "timeout" },
        { linksAgain: again("a.test", [far]) },
      );
      assertAbout(await importanceOf(world, far), 2 ** -20);
      await onPage(world, { linksAgain: again("a.test", [far]) });
      assertAbout(await importanceOf(world, far), 1);
    });

    it("is given by a page that comes back to what it brings as new, and to nothing else", async () => {
      const world = await begin({ firstCash });
      const known = url("a.test", "known", { source: "link" });
      await world.backend.add([seed]);
      await onPage(world, { links: [known] });
      assert.equal(await world.backend.revisit([{ id: await idOf(world, seed), priority: 0 }]), 1);
      await onPage(world, {});
      const fresh = url("a.test", "fresh", { source: "link" });
      const before = await importanceOf(world, known);
      await onPage(world, { links: [known, fresh], linksAgain: again("a.test", [known]) });
      assert.equal(await importanceOf(world, known), before);
      assertAbout(await importanceOf(world, fresh), 1 / 3);
    });

    it("lets the short list have two turns, and the classes one", async () => {
      const world = await begin({ firstCash });
      const own = Array.from({ length: 50 }, (_, i) => url("a.test", `own${i}`, { priority: 1, source: "link" }));
      await world.backend.add([seed, ...own, ...many]);
      await onPage(world, { linksAgain: again("a.test", many.slice(100, 104)) });
      const paths = await world.drain();
      assert.deepEqual(paths.slice(0, 6), ["p100", "own0", "p101", "p102", "own1", "p103"]);
    });

    it("keeps so many on the short list, those of most cash and admitted first, and leaves nobody out", async () => {
      const world = await begin({ firstCash });
      const { backend } = world;
      await backend.add([seed, url("a.test", "seed2"), ...many]);
      await onPage(world, { linksAgain: again("a.test", many.slice(100)) });
      await onPage(world, { linksAgain: again("a.test", [many[180]!]) });
      const paths = await world.drain();
      const early = paths.slice(0, 24).filter((path) => Number(path.slice(1)) >= 100);
      assert.equal(early[0], "p180");
      assert.equal(early.length, SHORT_LIST);
      assert.equal(new Set(paths).size, 200);
    });

    it("leaves alone what is leased, given back, delayed, or has ended", async () => {
      const world = await begin({ firstCash, hostConcurrency: 6 });
      const { backend } = world;
      await backend.add([...many.slice(0, 4), seed, ...many.slice(4)]);
      const [page, ...leases] = await backend.lease(6);
      const [ends, back, later, open] = leases;
      await world.settle(ends!, ended());
      await backend.release([{ lease: back!, hostReadyAt: 0 }]);
      await world.settle(later!, { kind: "retry", at: world.clock.time + 10, reason: "timeout" });
      await world.settle(page!, ended(), { linksAgain: again("a.test", many) });
      assert.deepEqual(await world.leasePaths(1), [pathOf(back!)]);
      world.clock.time += 10;
      assert.deepEqual(await world.leasePaths(1), [pathOf(later!)]);
      await world.settle(open!, ended());
      assert.equal(new Set(await world.drain()).size, 200 - 5);
    });

    it("is not kept unless it is asked for", async () => {
      const world = await begin();
      await world.backend.add([seed, ...many]);
      assert.equal((await world.backend.lease(1))[0]!.importance, 0);
      assert.equal(await importanceOf(world, seed), 0);
    });
  });
}
