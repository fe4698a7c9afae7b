/** What many link to comes early, beyond what breadth-first alone would do; and what few link to comes all the same. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FirstCash } from "../../src/model/link.ts";
import { firstCash } from "../../src/policy/priority.ts";
import { memoryBackend } from "../../src/store/memory/backend.ts";
import { random } from "../web/random.ts";
import { crawlWorld } from "./world.ts";

const HOSTS = 4;
const PAGES = 500;
const LINKS = 20;

/**
 * Sites of `PAGES` pages with `LINKS` links each: half to pages drawn by a power law, whose favourites stand anywhere in
 * the order of numbers, so that nothing but links tells of them; half along the numbers, so that every page is reached.
 */
function graph(): {
  readonly links: ReadonlyMap<string, readonly string[]>;
  readonly inDegree: ReadonlyMap<string, number>;
} {
  const { word } = random(5, "links");
  const chance = () => word() / 2 ** 32;
  const links = new Map<string, string[]>();
  const inDegree = new Map<string, number>();
  const name = (host: number, page: number) => (page === 0 ? `http://h${host}.test/` : `http://h${host}.test/${page}`);
  for (let host = 0; host < HOSTS; host++)
    for (let page = 0; page < PAGES; page++) {
      const to = new Set<string>();
      for (let i = 1; i <= LINKS / 2; i++) to.add(name(host, (page * (LINKS / 2) + i) % PAGES));
      for (let i = 0; i < LINKS / 2; i++) {
        const rank = Math.floor(PAGES * chance() ** 4);
        const where = chance() < 0.1 ? Math.floor(chance() * HOSTS) : host;
        to.add(name(where, (rank * 389 + 17) % PAGES));
      }
      to.delete(name(host, page));
      links.set(name(host, page), [...to]);
      for (const href of to) inDegree.set(href, (inDegree.get(href) ?? 0) + 1);
    }
  return { links, inDegree };
}

describe("the order of a crawl", () => {
  const { links, inDegree } = graph();

  /** The URLs of pages in the order in which they were asked for. */
  async function order(cash: FirstCash | undefined): Promise<string[]> {
    const world = await crawlWorld({
      seeds: ["http://h0.test/"],
      web: (href) => (href.endsWith("/robots.txt") ? { status: 404 } : { links: links.get(href)! }),
      addressOf: (host) => `192.0.2.${host.charCodeAt(1)}`,
      backend: (clock) => memoryBackend({ clock, ...(cash !== undefined && { firstCash: cash }) }),
      concurrency: 8,
    });
    assert.equal(world.end, "done");
    return world.asked.map(({ href }) => href).filter((href) => !href.endsWith("/robots.txt"));
  }
  /** Links to each of these, in the mean. */
  const mean = (hrefs: readonly string[]) =>
    hrefs.reduce((sum, href) => sum + (inDegree.get(href) ?? 0), 0) / hrefs.length;

  it("brings in its first tenth pages that far more link to than breadth-first does, and every page in the end", async () => {
    const breadthFirst = await order(undefined);
    const byLinks = await order(firstCash);
    assert.deepEqual([...byLinks].sort(), [...breadthFirst].sort());
    const tenth = byLinks.length / 10;
    const [first, plain, all] = [byLinks.slice(0, tenth), breadthFirst.slice(0, tenth), byLinks].map(mean);
    assert.ok(first! > plain! * 1.2, `${first} links in the mean, ${plain} breadth-first, ${all} in all`);
    assert.ok(plain! > all!, "which is better than chance already");
    // Those that hardly anything links to are not left for the end.
    const few = byLinks.map((href) => inDegree.get(href)! <= LINKS / 2 + 2);
    const share = (hrefs: readonly boolean[]) => hrefs.filter((isFew) => isFew).length / hrefs.length;
    assert.ok(share(few.slice(0, tenth)) > share(few) / 8, `${share(few.slice(0, tenth))} of ${share(few)}`);
  });
});
