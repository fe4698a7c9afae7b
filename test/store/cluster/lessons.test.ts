/** What the pages of a host have brought to one crawler is known to the one that asks there next. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { type Clock, systemClock } from "../../../src/base/clock.ts";
import { openCluster } from "../../../src/store/cluster/backend.ts";
import { crawlWorld, type Reply } from "../../crawl/world.ts";
import { type ClusterBench, clusterBench } from "./store.ts";

let bench: ClusterBench;
before(async () => {
  bench = await clusterBench();
});
after(() => bench[Symbol.asyncDispose]());

const BUDGET = 12;
const quick: Clock = {
  now: () => Date.now() * 20,
  sleep: (ms, signal) => systemClock.sleep(ms / 20, signal),
};

/** Each of `/` and `/more` leads to a hundred pages that are the same. */
function web(href: string): Reply {
  const { pathname } = new URL(href);
  if (pathname.startsWith("/item/")) return { text: "<p>the same again</p>" };
  const links = Array.from({ length: 100 }, (_, n) => `<a href="/item/${n}${pathname === "/" ? 0 : 1}">x</a>`);
  return { text: `<p>${pathname} is a page of its own</p>${links.join("")}` };
}

it("a pattern of URLs has its budget once, whichever crawlers ask", async () => {
  const crawl = async (owner: string, seed: string, joins: boolean): Promise<number> => {
    const blobs = bench.blobs("lessons");
    const backend = await openCluster(bench.connection, {
      name: "lessons",
      clock: quick,
      blobs,
      shards: 4,
      owner,
      joins,
    });
    const { asked, end } = await crawlWorld({
      ...{ seeds: [seed], web, clock: quick, backend: () => backend, delayMs: 20, obeyRobots: false },
      ...{ asHtml: true, patternBudget: BUDGET },
    });
    assert.equal(end, "done");
    return asked.filter(({ href }) => href.includes("/item/")).length;
  };
  const first = await crawl("one", "http://a.test/", false);
  assert.ok(first > BUDGET && first <= BUDGET + 6, `${first} requests`);
  const second = await crawl("other", "http://a.test/more", true);
  assert.ok(second <= 6, `${second} requests`);
});
