/** URLs that a machine counts up share a pattern; what people have named does not. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { urlPattern } from "../../src/policy/url-pattern.ts";
import { target } from "./urls.ts";

const of = (path: string) => urlPattern(`http://a.test${path}`);

const PATTERNS: readonly (readonly [string, string])[] = [
  ["", "/"],
  ["/", "/"],
  ["/about/team.html", "/about/team.html"],
  ["/calendar/2031/05/", "/calendar/{date}"],
  ["/calendar/2031/05/06", "/calendar/{date}"],
  ["/calendar/2031-05-06.html", "/calendar/{n}-{n}-{n}.html"],
  ["/calendar/2031-05", "/calendar/{date}"],
  ["/2026/11/30/a-title/", "/{date}/a-title"],
  ["/item-123.html", "/item-{n}.html"],
  ["/user/77/posts", "/user/{n}/posts"],
  ["/s/00000000000000000000000075bd0015/index.html", "/s/{hex}/index.html"],
  ["/r/123e4567-e89b-12d3-a456-426614174000.json", "/r/{uuid}.json"],
  ["/v/dQw4w9WgXcQ", "/v/{id}"],
  ["/wiki/Windows_95", "/wiki/Windows_{n}"],
  ["/deadbeef/facade", "/deadbeef/facade"],
  ["/x.php?id=12", "/x.php?id"],
  ["/x.php?b=1&a=two", "/x.php?a&b"],
  ["/w/index.php?title=Salmon&action=edit", "/w/index.php?action=edit&title"],
  ["/w/index.php?title=Trout&action=history", "/w/index.php?action=history&title"],
  ["/shop/shoes?color=red&size=44&page=2", "/shop/shoes?page&{filters}"],
  ["/shop/shoes?brand=x&sort=up", "/shop/shoes?{filters}"],
  ["/shop?filter1=on&filter2=on", "/shop?{filters}"],
  ["/shop?marke1=x&marke2=y", "/shop?marke{n}"],
];

describe("a URL's pattern", () => {
  for (const [path, pattern] of PATTERNS)
    it(`of ${path || "a bare host"} is ${pattern}`, () => assert.equal(of(path).pattern, pattern));

  it("belongs to that of its directory, or of all combinations of its parameters", () => {
    assert.deepEqual([of("/a/b").wider, of("/a/b").combined], ["/a/*", false]);
    assert.equal(of("/a/b-1").wider, null);
    assert.equal(of("/").wider, "/*");
    assert.deepEqual([of("/a?x=1&y=2").wider, of("/a?x=1&y=2").combined], ["/a?*", true]);
    assert.equal(of("/a?x=1").wider, null);
    assert.equal(of("/a?action=edit&title=X").combined, false);
    for (const path of ["/a?x=1&x=2", "/a?view=list&view=list"])
      assert.deepEqual([of(path).wider, of(path).combined], ["/a?*", true], path);
  });

  it("belongs to the loop that its path goes round in", () => {
    assert.deepEqual(
      [of("/maze/left/right/left/").wider, of("/maze/left/right/left/").combined],
      ["/maze/{loop}", true],
    );
    assert.equal(of("/maze/up/left/left").wider, "/maze/{loop}", "by whichever way it got there");
    assert.equal(of("/x/12/12/b").wider, "/x/{n}/{n}/*");
    assert.equal(of("/left/left").wider, "/{loop}");
  });

  it("is faceted when two parameters filter or order", () => {
    assert.equal(of("/a?color=red&sort=up").faceted, true);
    assert.equal(of("/a?color=red&q=shoe").faceted, false);
  });

  it("is short, whatever the URL, and the same for what differs in numbers alone", () => {
    fc.assert(
      fc.property(target, (text) => {
        const parts = URL.parse(`http://a.test${text}`);
        if (parts !== null) assert.ok(urlPattern(parts.href).pattern.length <= 200);
      }),
    );
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (a, b) => {
        // Years are told apart from other numbers.
        const write = (n: number) => of(`/x/item-${n}/p_${n}.html?id=${n}`).pattern;
        assert.equal(write(a), write(b));
      }),
    );
  });
});
