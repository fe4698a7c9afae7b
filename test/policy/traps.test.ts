/** URLs that are traps, and honest ones that look a little like them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ruleOf, TRAP_RULES, trapOf, trapText } from "../../src/policy/traps.ts";
import { target, url } from "./urls.ts";

const NOW = Date.UTC(2026, 10, 30);
const trap = (text: string) => trapOf(url(text, "http://a.test/").parts, NOW)?.rule ?? null;
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
  ["/a.test/x/a.test/y", "host-in-path"],
  ["/list?sort=a&x=1&sort=b&sort=c", "repeated-parameter"],
  ["/list?color=red&size=xl&brand=x&price=1-2&rating=4&gender=f&sort=up", "facets"],
  ["/list?filter1=on&filter2=on&filter3=on&filter4=on&filter5=on&filter6=on", "facets"],
  ["/list?f%5B0%5D=a&f%5B1%5D=b&f%5B2%5D=c&f%5B3%5D=d&f%5B4%5D=e&f%5B5%5D=f", "facets"],
  ["/x?a=1&amp;amp;b=2", "growing-escapes"],
  ["/calendar/2029/12/", "calendar"],
  ["/calendar/2031/5", "calendar"],
  ["/kalender/1931-05-01", "calendar"],
  ["/events/2029-03/", "calendar"],
  ["/2037/01/01/", "calendar"],
  ["/archive/2039-04-01", "calendar"],
  ["/events?month=20310506", "calendar"],
  ["/?year=2029&month=1", "calendar"],
  ["/?year=2044", "calendar"],
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
  "/calendar/2028/12/",
  "/calendar/4711/5-km-run",
  "/calendar/event/1204/3",
  "/events/3012/05-road-race",
  "/index.php?page=10045",
  "/page/48213/about-us",
  "/genome?chr=1&start=55039974",
  "/shop?brand=a&color=b&size=c&sort=price&order=asc&limit=24&page=2",
  "/index.php?view=category&layout=blog&limit=10&dir=asc&order=1&page=3",
  "/calendar/",
  "/events/2543/",
  "/events/2543/10",
  "/1889/05/06/eiffel-tower-opens",
  "/agenda-2030/",
  "/thread/2350/10/",
  "/item/20510301",
  "/part/4400-12",
  "/v1.2050-01.tar.gz",
  "/outlook?year=2035",
  "/stays?checkin=2027-05-01&checkout=2027-05-04",
  "/news?page=10000",
  "/?p=123456",
  "/forum?start=1000000",
  "/list?sort=date&sort=title",
  "/list?color=red&size=xl&sort=price&order=asc&page=3",
  "/list?color=&size=&brand=&price=&rating=&sort=&order=&page=2",
  "/whois/a.test",
  "/camp;camp/",
];

describe("trapOf", () => {
  it("says what it saw", () => {
    const saw = (text: string) => trapText(trapOf(url(text, "http://a.test/").parts, NOW)!);
    assert.equal(saw("/x/a/b/a/b/a/b/y"), "repeated-path: a/b");
    assert.equal(saw("/calendar/2031/05/"), "calendar: 2031/05");
    assert.equal(saw(`/${"long".repeat(40)}/`.repeat(4)), `repeated-segment: ${"long".repeat(15)}...`);
    assert.equal(ruleOf(saw("/calendar/2031/05/")), "calendar");
  });

  it("holds dates against the time it is told", () => {
    const parts = new URL("http://a.test/calendar/2031/05/");
    assert.equal(trapOf(parts, Date.UTC(2029, 0, 2)), null);
    assert.equal(trapOf(parts, Date.UTC(2028, 11, 1))?.rule, "calendar");
  });

  for (const [text, rule] of TRAPS) it(`takes ${text.slice(0, 60)} for ${rule}`, () => assert.equal(trap(text), rule));
  for (const text of HONEST) it(`lets ${text.slice(0, 60)} pass`, () => assert.equal(trap(text), null));

  it("answers for whatever URL there is, by a rule that exists", () => {
    const names = new Set<string | null>([null, ...TRAP_RULES.map((rule) => rule.name)]);
    fc.assert(
      fc.property(target, (text) => {
        const parts = URL.parse(`http://a.test${text}`);
        if (parts !== null) assert.ok(names.has(trapOf(parts, NOW)?.rule ?? null));
      }),
    );
  });

  it("does not look away at a glance from what a rule would catch", () => {
    const segment = fc.constantFrom("a", "bb", "news", "1", "", "2039", "05", "calendar", "page", "10001", "a.test");
    const parameter = fc.constantFrom("x=1", "y=2", "", "page=10001", "year=2044", "sort=a", "sort=b", "amp;amp;c=1");
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 12 }), fc.array(parameter, { maxLength: 8 }), (path, query) => {
        const parts = new URL(`http://a.test/${path.join("/")}?${query.join("&")}`);
        const view = {
          hostname: "a.test",
          now: NOW,
          path: parts.pathname,
          segments: path.filter((one) => one !== ""),
          parameters: query.filter((one) => one !== ""),
          target: parts.pathname + parts.search,
        };
        const caught = TRAP_RULES.find((rule) => rule.catches(view) !== null)?.name ?? null;
        assert.equal(trapOf(parts, NOW)?.rule ?? null, caught);
      }),
      { numRuns: 3_000 },
    );
  });
});
