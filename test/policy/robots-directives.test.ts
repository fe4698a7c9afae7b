/** What pages say to crawlers: in meta elements and in X-Robots-Tag, for all or for one agent. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { robotsDirectives } from "../../src/policy/robots-directives.ts";

const says = (metas: readonly string[], tags: readonly string[]): string => {
  const { noindex, nofollow } = robotsDirectives(metas, tags, "trawlbot");
  return [noindex ? "noindex" : "", nofollow ? "nofollow" : ""].filter((word) => word !== "").join(" ");
};

describe("directives for robots", () => {
  for (const [metas, tags, expected] of [
    [[], [], ""],
    [["all"], ["index, follow"], ""],
    [["NOINDEX"], [], "noindex"],
    [["none"], [], "noindex nofollow"],
    [[" nofollow , noarchive"], ["noindex"], "noindex nofollow"],
    [["noindex", "index"], [], "noindex"],
    [[], ["trawlbot: nofollow"], "nofollow"],
    [[], ["TrawlBot : noindex, nofollow"], "noindex nofollow"],
    [[], ["otherbot: noindex, nofollow"], ""],
    [[], ["otherbot: none", "nofollow"], "nofollow"],
    [[], ["unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"], "noindex"],
    [[], ["max-snippet: 0, nofollow"], "nofollow"],
    [["no index"], ["no-follow"], ""],
    [[], ["otherbot: noindex, trawlbot: nofollow"], "nofollow"],
    [[], ["trawlbot: nofollow, otherbot: noindex"], "nofollow"],
    [[], ["noindex, otherbot: nofollow"], "noindex"],
    [[], ["otherbot: none, max-snippet: 5, nofollow"], ""],
    [[], ["trawlbot: max-snippet: 5, nofollow"], "nofollow"],
  ] as const)
    it(`${JSON.stringify([...metas, ...tags])} say ${expected || "nothing"}`, () =>
      assert.equal(says(metas, tags), expected));

  it("may be half a million in one value", () =>
    assert.equal(says([`${",".repeat(500_000)}nofollow`], [",".repeat(500_000)]), "nofollow"));
});
