/** Promise 8: links raise what waits. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { again, type Begin, ended, pathOf, type settled, url, type World } from "../frontier-world.ts";

export function links(begin: Begin): void {
  describe("8. links", () => {
    const RULES = { steps: [0, 0, 1, 1, 2, 2, 3, 3], highest: 1, foreign: 4 };
    /** Two hundred of class 4, so that most are on disk. */
    const many = Array.from({ length: 200 }, (_, i) => url("a.test", `p${i}`, { priority: 4, source: "link" }));
    const far = many[150]!;
    const onPage = async (world: World, links: Parameters<typeof settled>[3]): Promise<void> => {
      await world.settle(await world.leaseOne(), ended(), links);
    };

    it("raises what waits as links to it come, wherever it is in its queue, and gives it out once", async () => {
      const world = begin({ links: RULES });
      const { backend } = world;
      await backend.add(many);
      await onPage(world, { linksAgain: again("a.test", [far]) });
      assert.equal(pathOf(await world.leaseOne()), "p1", "two links say little");
      await world.reopen();
      await onPage(world, { linksAgain: again("a.test", [far], 128) });
      assert.equal(pathOf(await world.leaseOne()), "p150");
      await world.crash();
      const paths = await world.drain();
      assert.deepEqual([paths.length, new Set(paths).size], [198, 198]);
    });

    it("counts a link that comes as a new URL, and one from another host for more", async () => {
      const world = begin({ links: RULES });
      const { backend } = world;
      await backend.add([...many, url("b.test", "x"), url("b.test", "y")]);
      const [a, b] = await backend.lease(2);
      await world.settle(b!, ended(), { links: [{ ...far, via: b!.url.id }] });
      await world.settle(a!, ended(), { links: [{ ...many[151]!, via: a!.url.id }] });
      assert.deepEqual((await world.leasePaths(2)).sort(), ["p150", "y"]);
    });

    it("does not count what lists, embeds or drops a URL, nor a page's link to itself", async () => {
      const world = begin({ links: RULES });
      const { backend } = world;
      await backend.add(many);
      const links = (["listed", "embed", "redirect"] as const).flatMap((source) =>
        Array.from({ length: 200 }, () => ({ ...far, source })),
      );
      const drops = Array.from({ length: 200 }, () => ({ ...far, drop: { reason: "depth" } as const }));
      await onPage(world, { links: [...links, ...drops], linksAgain: again("a.test", [many[0]!], 200) });
      assert.deepEqual((await world.drain()).slice(0, 2), ["p1", "p2"]);
    });

    it("raises no further than to the class that is the highest for links, and leaves what is before it", async () => {
      const world = begin({ links: RULES });
      const { backend } = world;
      const seeds = ["s1", "s2"].map((path) => url("a.test", path, { priority: 0 }));
      await backend.add([...seeds, url("a.test", "c1", { priority: 1 }), url("a.test", "c2", { priority: 2 })]);
      await onPage(world, { linksAgain: again("b.test", many.concat(seeds, url("a.test", "c2")), 200) });
      assert.deepEqual(await world.drain(), ["s2", "c2", "c1"]);
    });

    it("lets what was raised and what was admitted to a class alternate", async () => {
      const world = begin({ links: RULES });
      const { backend } = world;
      const own = Array.from({ length: 9 }, (_, i) => url("a.test", `own${i}`, { priority: 1, source: "link" }));
      await backend.add([...own, ...many]);
      await onPage(world, { linksAgain: again("a.test", many.slice(100, 103), 200) });
      const first = (await world.drain()).filter((path) => !/^p\d\d?$/.test(path)).slice(0, 7);
      assert.deepEqual(first, ["p100", "own1", "p101", "own2", "p102", "own3", "own4"]);
    });

    it("raises so many at once and no more, and leaves nobody out", async () => {
      const world = begin({ links: RULES });
      const { backend } = world;
      await backend.add(many);
      await onPage(world, { linksAgain: again("a.test", many.slice(100), 200) });
      const paths = await world.drain();
      const raised = paths.slice(0, 64).filter((path) => Number(path.slice(1)) >= 100);
      assert.equal(raised.length, 32);
      assert.equal(new Set(paths).size, 199);
    });

    it("leaves alone what is leased, given back, delayed, or has ended", async () => {
      const world = begin({ links: RULES, hostConcurrency: 5 });
      const { backend } = world;
      await backend.add(many);
      const [ends, back, later, open, page] = await backend.lease(5);
      await world.settle(ends!, ended());
      backend.release([{ lease: back!, hostReadyAt: 0 }]);
      await world.settle(later!, { kind: "retry", at: world.clock.time + 10, reason: "timeout" });
      await world.settle(page!, ended(), { linksAgain: again("a.test", many.slice(0, 4), 200) });
      assert.deepEqual(await world.leasePaths(2), ["p1", "p5"]);
      world.clock.time += 10;
      assert.deepEqual(await world.leasePaths(1), ["p2"]);
      await world.settle(open!, ended());
      assert.equal(new Set(await world.drain()).size, 200 - 6);
    });

    it("passes over links to what it does not know", async () => {
      const world = begin({ links: RULES });
      const { backend } = world;
      await backend.add([url("a.test", "1")]);
      await onPage(world, { linksAgain: again("a.test", [url("a.test", "2"), url("z.test", "3")], 9) });
      assert.equal(backend.pending().queued, 0);
    });
  });
}
