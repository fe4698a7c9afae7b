/** Cash finds the important pages before breadth-first does, in the frontier as it is. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { firstCash } from "../../src/policy/priority.ts";
import { memoryBackend } from "../../src/store/memory/backend.ts";
import { frontierVisits, type Graph, linkGraph, massAfter, ranksOf, SteppedClock } from "../web/link-graph.ts";
import { random } from "../web/random.ts";

it("fetches more of all PageRank than breadth-first, after a tenth and three tenths of the visits", async () => {
  const graph = linkGraph(3_000, 4);
  const rank = await ranksOf(graph);
  const masses = async (breadthFirst: boolean) => {
    const clock = new SteppedClock();
    await using backend = memoryBackend({ clock, ...(!breadthFirst && { firstCash }) });
    const visits = frontierVisits(graph, backend, clock, breadthFirst ? () => 0 : undefined);
    return massAfter(visits, rank, [0.1, 0.3, 1]);
  };
  const [found, plain] = [await masses(false), await masses(true)];
  for (const mark of [0, 1]) assert.ok(found[mark]! > plain[mark]! + 0.01, `${found}; breadth-first ${plain}`);
  for (const all of [found[2]!, plain[2]!]) assert.ok(Math.abs(all - 1) < 1e-6, "every page is fetched in the end");
});

/** A site whose popular pages, a tenth, are anywhere in it: half of all links lead to them. */
function siteOf(pages: number, seed: number): Graph {
  const from = random(seed, "popular");
  const links = Array.from({ length: pages }, (): number[] => []);
  for (let page = 1; page < pages; page++) links[from.int(0, page - 1)]!.push(page);
  const popular = Array.from({ length: pages }, (_, page) => page).filter(() => from.chance(0.1));
  for (const own of links)
    for (let nth = 0; nth < 10; nth++) own.push(nth % 2 === 0 ? from.pick(popular) : from.int(0, pages - 1));
  const first = new Uint32Array(pages + 1);
  for (const [page, own] of links.entries()) first[page + 1] = first[page]! + own.length;
  return { hosts: 1, hostOf: new Uint32Array(pages), first, targets: Uint32Array.from(links.flat()) };
}

it("fetches first, of a site, what most links lead to: a fifth more of them than breadth-first after a tenth of the visits", async () => {
  const graph = siteOf(4_000, 3);
  const links = new Float64Array(graph.hostOf.length);
  for (const target of graph.targets) links[target]! += 1 / graph.targets.length;
  const shareOfLinks = async (breadthFirst: boolean) => {
    const clock = new SteppedClock();
    await using backend = memoryBackend({ clock, ...(!breadthFirst && { firstCash }) });
    const [tenth] = await massAfter(
      frontierVisits(graph, backend, clock, breadthFirst ? () => 0 : undefined),
      links,
      [0.1],
    );
    return tenth!;
  };
  const [found, plain] = [await shareOfLinks(false), await shareOfLinks(true)];
  assert.ok(found > plain * 1.2, `${found}; breadth-first ${plain}`);
});
