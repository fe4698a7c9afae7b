/** Which class a URL waits in. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PRIORITIES, type UrlSource } from "../../src/model/link.ts";
import { firstCash, priorityOf } from "../../src/policy/priority.ts";
import { url } from "../conformance/frontier-world.ts";

const NEW = url("a.test", "a");

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

describe("the first cash of a URL", () => {
  it("is one unit for what was asked for by name, none for all else, nor for what was asked for with a class of its own", () => {
    const of = (source: UrlSource, priority: number) => firstCash({ ...NEW, source, priority });
    assert.deepEqual([of("seed", 0), of("added", 0)], [1, 1]);
    assert.deepEqual([of("added", 3), of("redirect", 0), of("link", 1), of("sitemap", 1)], [0, 0, 0, 0]);
  });
});
