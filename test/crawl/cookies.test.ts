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
