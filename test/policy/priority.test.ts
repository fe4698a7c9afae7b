/** Which class a URL waits in. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MOST_LINKED, PRIORITIES } from "../../src/model/link.ts";
import { LINK_RULES, priorityOf } from "../../src/policy/priority.ts";

describe("the class of a URL", () => {
  it("is the first for what was asked for by name, and for where that redirects to", () => {
    assert.equal(priorityOf("seed", 0, "/deep/page"), 0);
    assert.equal(priorityOf("added", 7, "/deep/page"), 0);
    assert.equal(priorityOf("redirect", 0, "/moved"), 0);
  });

  it("is the second for the root of a site, and for sitemaps", () => {
    assert.equal(priorityOf("link", 9, "/"), 1);
    assert.equal(priorityOf("sitemap", 0, "/sitemap.xml"), 1);
  });

  it("falls with depth, to a floor that is above assets", () => {
    const classes = [1, 2, 3, 4, 5, 6, 15].map((depth) => priorityOf("link", depth, "/a"));
    assert.deepEqual(classes, [2, 3, 4, 5, 6, 6, 6]);
    assert.equal(priorityOf("embed", 1, "/a.css"), PRIORITIES - 1);
  });
});

describe("links", () => {
  it("raise more the more they are, never before what was asked for", () => {
    const { steps, highest } = LINK_RULES;
    assert.equal(steps.length, MOST_LINKED + 1);
    assert.deepEqual(
      steps,
      [...steps].sort((a, b) => a - b),
    );
    assert.deepEqual([steps[0], steps[1]], [0, 0]);
    assert.ok(highest > 0);
  });
});
