/** Cash finds the important pages before breadth-first does, in the frontier as it is. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { firstCash } from "../../src/policy/priority.ts";
import { memoryBackend } from "../../src/store/memory/backend.ts";
import { frontierVisits, linkGraph, massAfter, ranksOf, SteppedClock } from "../web/link-graph.ts";

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
