/** URLs that are traps, and honest ones that look a little like them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { TRAP_RULES, trapOf } from "../../src/policy/traps.ts";
import { target, url } from "./urls.ts";

const trap = (text: string) => trapOf(url(text, "http://a.test/").parts);
const parameters = (n: number) => Array.from({ length: n }, (_, i) => `p${i}=${i}`).join("&");

const TRAPS: readonly (readonly [string, string])[] = [
  ["/a/b/a/b/a/b", "repeated-path"],
  ["/a/b/a/b/a/b/", "repeated-path"],
  ["/x/news/2024/all/news/2024/all/news/2024/all/y", "repeated-path"],
  ["/css/css/css/css/", "repeated-segment"],
  ["/img/a/img/b/img/c/img/d", "repeated-segment"],
  ["/1/1/1/1/1/1/1/", "repeated-segment"],
  ["/?f=red&f=red&f=red&f=red", "repeated-parameter"],
  [`/?${parameters(41)}`, "many-parameters"],
  ["/go?u=%252525252F", "growing-escapes"],
  ["/a%2525b", "growing-escapes"],
  ["/a;jsessionid=1/b;jsessionid=2", "session-in-path"],
  ["/(S(lit3py55t21z5v55vlm25s55))/x/(S(lit3py55t21z5v55vlm25s56))/y", "session-in-path"],
  [`/${Array.from({ length: 31 }, (_, i) => `d${i}`).join("/")}`, "deep-path"],
];

const HONEST: readonly string[] = [
  "/",
  "/2024/05/06/a-title/",
  "/2020/20/20/2020/",
  "/tiles/0/0/0.png",
  "/tiles/0/1/0/1/0/1.png",
  "/files/a/a/a/a/aaaa1.jpg",
  "/files/a/a/a/a/a/a/x.jpg",
  "/src/foo/foo/foo/__init__.py",
  "/docs/api/docs/api/v1/index.html",
  "/debian/pool/main/p/python3/python3/",
  "/shop?color=red&color=blue&color=green&color=black&size=1&page=2",
  "/?c[]=1&c[]=2&c[]=3&c[]=4",
  "/login?return=https%3A%2F%2Fa.test%2Fx%253Fy%253D1",
  "/wiki/100%25",
  "/page;jsessionid=0A1B2C?x=1",
  "/(S(lit3py55t21z5v55vlm25s55))/x.aspx",
  "/javadoc/org/apache/commons/lang3/lang3/Lang3.html",
  "/en/en-us/en/",
  `/?${parameters(40)}`,
  "//a//b//c//d//",
];

describe("trapOf", () => {
  for (const [text, rule] of TRAPS) it(`takes ${text.slice(0, 60)} for ${rule}`, () => assert.equal(trap(text), rule));
  for (const text of HONEST) it(`lets ${text.slice(0, 60)} pass`, () => assert.equal(trap(text), null));

  it("answers for whatever URL there is, by a rule that exists", () => {
    const names = new Set<string | null>([null, ...TRAP_RULES.map((rule) => rule.name)]);
    fc.assert(
      fc.property(target, (text) => {
        const parts = URL.parse(`http://a.test${text}`);
        if (parts !== null) assert.ok(names.has(trapOf(parts)));
      }),
    );
  });

  it("does not look away at a glance from what a rule would catch", () => {
    const segment = fc.constantFrom("a", "bb", "news", "1", "");
    const parameter = fc.constantFrom("x=1", "y=2", "");
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 12 }), fc.array(parameter, { maxLength: 8 }), (path, query) => {
        const parts = new URL(`http://a.test/${path.join("/")}?${query.join("&")}`);
        const view = {
          path: parts.pathname,
          segments: path.filter((one) => one !== ""),
          parameters: query.filter((one) => one !== ""),
          target: parts.pathname + parts.search,
        };
        assert.equal(trapOf(parts), TRAP_RULES.find((rule) => rule.catches(view))?.name ?? null);
      }),
      { numRuns: 3_000 },
    );
  });
});
