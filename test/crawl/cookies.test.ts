/** Cookies in a crawl: a session goes on from page to page, and a cookie wall is passed with or without them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chainCookies, SessionCookies } from "../../src/net/cookies.ts";
import { crawlWorld, type WorldOptions } from "./world.ts";

const SITE = "http://a.test";

async function sent(web: WorldOptions["web"], cookies: NonNullable<WorldOptions["cookies"]>) {
  const asked: (readonly [string, string | undefined])[] = [];
  const world = await crawlWorld({
    seeds: [`${SITE}/`],
    cookies,
    web,
    onAsked(request) {
      asked.push([request.href.slice(SITE.length), request.headers?.cookie]);
    },
  });
  return { asked, ends: world.ends };
}

/** Redirects to itself until its cookie comes back; sets one more on the page. */
const wall: WorldOptions["web"] = (href, _, cookie) => {
  if (href === `${SITE}/` && cookie === undefined)
    return { status: 302, headers: ["Location", "/", "Set-Cookie", "seen=1"] };
  if (href === `${SITE}/`) return { headers: ["Set-Cookie", "page=2"], links: ["/next"] };
  return href === `${SITE}/next` ? { links: [] } : undefined;
};

describe("a crawl that keeps cookies", () => {
  it("sends them with every page of the site, and never with robots.txt", async () => {
    const { asked, ends } = await sent(wall, (clock) => new SessionCookies(clock, []));
    assert.deepEqual(asked, [
      ["/robots.txt", undefined],
      ["/", undefined],
      ["/", "seen=1"],
      ["/next", "seen=1; page=2"],
    ]);
    assert.equal(ends.get(`${SITE}/`), "fetched");
  });
});

describe("a crawl that keeps none", () => {
  it("passes a cookie wall all the same, and forgets the cookie", async () => {
    const { asked, ends } = await sent(wall, chainCookies);
    assert.deepEqual(asked, [
      ["/robots.txt", undefined],
      ["/", undefined],
      ["/", "seen=1"],
      ["/next", undefined],
    ]);
    assert.equal(ends.get(`${SITE}/`), "fetched");
  });

  it("ends a wall that no cookie opens as a loop", async () => {
    const endless: WorldOptions["web"] = (href, nth) =>
      href === `${SITE}/` ? { status: 302, headers: ["Location", "/", "Set-Cookie", `n=${nth}`] } : undefined;
    assert.equal((await sent(endless, chainCookies)).ends.get(`${SITE}/`), "redirect-loop");
  });
});

/** `/page` is for those who bring the cookie of `/login`, which sends everybody back. */
const bounce =
  (login: string): WorldOptions["web"] =>
  (href, _, cookie) => {
    if (href === `${SITE}/`) return { links: ["/page", "/other"] };
    if (href === `${SITE}/other`) return { links: ["/page"] };
    if (href === `${SITE}/page` && cookie?.includes("member=1") !== true)
      return { status: 302, headers: ["Location", login, "Set-Cookie", "from=page"] };
    if (href === `${SITE}/page`) return { links: ["/inside"] };
    if (href === new URL(login, SITE).href)
      return { status: 302, headers: ["Location", `${SITE}/page`, "Set-Cookie", "member=1; Domain=a.test"] };
    return href === `${SITE}/inside` ? { links: [] } : undefined;
  };

for (const [how, cookies] of [
  ["keeps cookies", (clock) => new SessionCookies(clock, [])],
  ["keeps none", chainCookies],
] satisfies [string, NonNullable<WorldOptions["cookies"]>][])
  describe(`a page that leads to a login and back, in a crawl that ${how}`, () => {
    it("is fetched with the cookie, once, and its links with it", async () => {
      const { asked, ends } = await sent(bounce("/login"), cookies);
      const pages = asked.filter(([path]) => path === "/page");
      assert.equal(pages.length, 2);
      assert.match(pages[1]![1]!, /member=1/);
      assert.equal(asked.filter(([path]) => path === "/login").length, 1);
      assert.equal(ends.get(`${SITE}/page`), "fetched");
      assert.equal(ends.get(`${SITE}/login`), "redirected");
      assert.equal(ends.get(`${SITE}/inside`), "fetched");
    });

    it("is fetched over another host of the site, which has its own robots.txt and clock", async () => {
      const { asked, ends } = await sent(bounce("http://login.a.test/"), cookies);
      assert.equal(ends.get(`${SITE}/page`), "fetched");
      assert.ok(asked.length < 12);
    });

    it("is not fetched again when the login gives no cookie", async () => {
      const circle: WorldOptions["web"] = (href) => {
        if (href === `${SITE}/`) return { status: 302, headers: ["Location", "/login"] };
        return href === `${SITE}/login` ? { status: 302, headers: ["Location", "/"] } : undefined;
      };
      const { asked, ends } = await sent(circle, cookies);
      assert.deepEqual(
        asked.map(([path]) => path),
        ["/robots.txt", "/", "/login"],
      );
      assert.deepEqual([...ends.values()], ["redirected", "redirected"]);
    });

    it("is met as seen when the login gives the same cookie again, and ends by its hops when it gives others", async () => {
      const stubborn =
        (cookie: (nth: number) => string): WorldOptions["web"] =>
        (href, nth) => {
          if (href === `${SITE}/`) return { status: 302, headers: ["Location", "/login"] };
          if (href !== `${SITE}/login`) return undefined;
          return { status: 302, headers: ["Location", "/", "Set-Cookie", cookie(nth)] };
        };
      const same = await sent(
        stubborn(() => "c=1"),
        cookies,
      );
      assert.deepEqual(
        same.asked.map(([path]) => path),
        ["/robots.txt", "/", "/login", "/", "/login"],
      );
      const other = await sent(
        stubborn((nth) => `c=${nth}`),
        cookies,
      );
      assert.equal(other.asked.length, 1 + 21);
      assert.ok([...other.ends.values()].includes("redirect-loop"));
    });
  });
