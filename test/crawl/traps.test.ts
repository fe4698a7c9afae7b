/** A crawl that traps cannot drown: an honest site of 2,000 pages among traps without end, with everything at its default. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OPTIONS } from "../../src/app/config/options.ts";
import { HONEST_HOST, HONEST_PAGES, isMazeHost, maze, visitsOf } from "../web/maze/maze.ts";
import { type Asked, crawlWorld, type Reply } from "./world.ts";

const web = maze();
const answer = (href: string): Reply | undefined => {
  const { hostname, pathname, search } = new URL(href);
  const html = web.serve(hostname, pathname + search);
  return html === null ? undefined : { text: html };
};
const askedOf = (asked: readonly Asked[]) =>
  asked.map(({ href }) => {
    const { hostname, pathname, search } = new URL(href);
    return { host: hostname, path: pathname + search };
  });

const told = (byTrap: ReadonlyMap<string, number>): string => [...byTrap].map(([trap, n]) => `${trap} ${n}`).join(", ");

describe("a crawl among traps", () => {
  it("fetches every honest page, spends less than a fifth of its requests in traps, and ends", async () => {
    assert.equal(web.honest.size, HONEST_PAGES);
    const world = await crawlWorld({
      seeds: [`http://${HONEST_HOST}/`],
      web: answer,
      addressOf: (name) => (isMazeHost(name) ? `192.0.2.${(name.charCodeAt(1) * 7 + name.length) % 200}` : null),
      asHtml: true,
      patternBudget: OPTIONS.patternBudget.default,
      limit: 20_000,
    });
    const visits = visitsOf(askedOf(world.asked), web);
    assert.equal(world.end, "done");
    assert.deepEqual(visits.missed, []);
    assert.deepEqual(visits.missedMirrored, [], "of mirrors one is whole");
    assert.ok(visits.wasted <= visits.requests / 5, `${visits.wasted} of ${visits.requests}: ${told(visits.byTrap)}`);
    const rules = new Set<string>();
    for await (const { visit } of world.backend.urls()) if (visit?.end === "trap") rules.add(visit.detail ?? "no rule");
    for (const pattern of ["/calendar/{date}", "/s/{hex}/item-{n}.html", "/finder?*", "/maze/{loop}", "*.farm.test"])
      assert.ok(rules.has(`feedback: ${pattern}`), pattern);
  });
});
