/** What a crawl makes of robots.txt: when it is asked for, what its absence means, and where its redirects lead. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HostKey } from "../../src/model/host.ts";
import { sites } from "./sites.ts";
import { crawlWorld, type Reply, smallestGap } from "./world.ts";

const robotsOf = (body: string): Reply => ({ text: body });

describe("robots.txt in a crawl", () => {
  it("asks for robots.txt first, once a host, and never for what it denies", async () => {
    const web = sites(2, 4, { "http://h0.test/robots.txt": robotsOf("User-agent: *\nDisallow: /p2\n") });
    const { asked, ends } = await crawlWorld({ seeds: ["http://h0.test/p0"], web });
    const byHost = Map.groupBy(asked, ({ host }) => host);
    for (const [host, requests] of byHost) {
      assert.equal(requests[0]!.href, `${host}/robots.txt`);
      assert.equal(requests.filter(({ href }) => href.endsWith("/robots.txt")).length, 1);
    }
    assert.ok(!asked.some(({ href }) => href === "http://h0.test/p2"));
    assert.equal(ends.get("http://h0.test/p2"), "robots");
  });

  it("disallows all while robots.txt answers 503, and goes on when it answers again", async () => {
    const web = (href: string, nth: number): Reply | undefined => {
      if (href.endsWith("/robots.txt")) return nth < 3 ? { status: 503 } : robotsOf("");
      return { links: [] };
    };
    const { asked, ends } = await crawlWorld({ seeds: ["http://a.test/"], web });
    assert.deepEqual(
      asked.map(({ href }) => href),
      [...Array(3).fill("http://a.test/robots.txt"), "http://a.test/"],
    );
    assert.equal(ends.get("http://a.test/"), "fetched");
  });

  it("leaves a host alone for longer and longer whose robots.txt cannot be had, whatever the fault", async () => {
    const faults: readonly Reply[] = [
      ...[429, 500, 503].map((status) => ({ status })),
      ...(["closed", "timeout", "connect"] as const).map((fails) => ({ fails })),
    ];
    for (const fault of faults) {
      const web = (href: string): Reply => (href.endsWith("/robots.txt") ? fault : { links: [] });
      const { asked } = await crawlWorld({ seeds: ["http://a.test/"], web });
      const gaps = asked.slice(1).map(({ startedAt }, i) => startedAt - asked[i]!.endedAt);
      assert.equal(gaps.length, 3);
      assert.ok(gaps[0]! >= 2_500 && gaps[1]! > gaps[0]! && gaps[2]! > gaps[1]!, `${JSON.stringify(fault)}: ${gaps}`);
    }
  });

  it("gives a host up whose robots.txt cannot be had, and says so of its URLs", async () => {
    const web = (href: string): Reply => (href.endsWith("/robots.txt") ? { status: 500 } : { links: [] });
    const { asked, ends } = await crawlWorld({ seeds: ["http://a.test/", "http://a.test/b"], web });
    assert.ok(asked.every(({ href }) => href.endsWith("/robots.txt")));
    assert.deepEqual([...ends.values()], ["robots-unreachable", "robots-unreachable"]);
  });

  it("asks for robots.txt again after a day, and goes on by the old copy while the new one cannot be had", async () => {
    const day = 86_400_000;
    const web = (href: string, nth: number): Reply | undefined => {
      if (href.endsWith("/robots.txt")) return nth === 1 ? robotsOf("User-agent: *\nDisallow: /no\n") : { status: 500 };
      return { links: href.endsWith("/") ? Array.from({ length: 30 }, (_, i) => `/${i < 29 ? i : "no"}`) : [] };
    };
    const { asked, ends } = await crawlWorld({ seeds: ["http://a.test/"], web, delayMs: day / 12 });
    const robots = asked.filter(({ href }) => href.endsWith("/robots.txt"));
    assert.ok(robots.length >= 2);
    assert.ok(robots[1]!.startedAt - robots[0]!.endedAt >= day);
    assert.equal([...ends.values()].filter((end) => end === "fetched").length, 30);
    assert.equal(ends.get("http://a.test/no"), "robots");
  });

  it("follows robots.txt through redirects to another host, within both hosts' delays", async () => {
    const web = (href: string): Reply | undefined => {
      if (href === "http://a.test/robots.txt") return { status: 301, headers: ["Location", "http://b.test/r"] };
      if (href === "http://b.test/r") return robotsOf("User-agent: *\nDisallow: /secret\n");
      return href.endsWith("robots.txt") ? undefined : { links: ["/secret"] };
    };
    const { asked, ends } = await crawlWorld({ seeds: ["http://a.test/", "http://b.test/x"], web });
    assert.equal(ends.get("http://a.test/"), "fetched");
    assert.equal(ends.get("http://a.test/secret"), "robots");
    assert.ok(smallestGap(asked, "host") >= 1_000);
    assert.ok(smallestGap(asked, "address") >= 1_000);
  });

  it("follows five redirects of robots.txt in a row, and takes a sixth for none", async () => {
    const chain =
      (hops: number) =>
      (href: string): Reply | undefined => {
        const at = href.endsWith("/robots.txt") ? 0 : Number(/\/r(\d)$/.exec(href)?.[1] ?? Number.NaN);
        if (Number.isNaN(at)) return { links: [] };
        if (at < hops) return { status: 302, headers: ["Location", `/r${at + 1}`] };
        return robotsOf("User-agent: *\nDisallow: /\n");
      };
    const endOf = async (hops: number) =>
      (await crawlWorld({ seeds: ["http://a.test/"], web: chain(hops) })).ends.get("http://a.test/");
    assert.deepEqual([await endOf(1), await endOf(5), await endOf(6)], ["robots", "robots", "fetched"]);
  });

  it("holds it against robots.txt, not against the host, when its redirect leads to a name that does not exist", async () => {
    const web = (href: string): Reply | undefined =>
      href.endsWith("/robots.txt")
        ? { status: 302, headers: ["Location", "http://gone.test/robots.txt"] }
        : { links: [] };
    const addressOf = (name: string) => (name === "gone.test" ? null : "192.0.2.1");
    const { asked, ends, backend } = await crawlWorld({ seeds: ["http://a.test/"], web, addressOf });
    assert.equal(ends.get("http://a.test/"), "robots-unreachable");
    assert.equal(asked.filter(({ href }) => href === "http://a.test/robots.txt").length, 4);
    assert.match((await backend.robots("http://a.test" as HostKey))?.failure ?? "", /^dns/);
  });

  it("opens one request at a time to a host that asks for a Crawl-delay, whatever it was told", async () => {
    const web = (href: string): Reply =>
      href.endsWith("/robots.txt")
        ? robotsOf("User-agent: *\nCrawl-delay: 2\n")
        : { links: href.endsWith("/") ? ["/1", "/2", "/3", "/4"] : [], ms: 700 };
    const { asked } = await crawlWorld({ seeds: ["http://a.test/"], web, delayMs: 0, hostConcurrency: 8 });
    assert.equal(asked.length, 6);
    assert.ok(smallestGap(asked, "host") >= 2_000);
  });

  it("takes the sitemaps that robots.txt names, those they name in turn, and the pages they list", async () => {
    const web = (href: string): Reply | undefined => {
      if (href === "http://a.test/robots.txt") return { text: "Sitemap: http://a.test/index.xml\n" };
      if (href === "http://a.test/index.xml") return { links: ["/one.xml"] };
      if (href === "http://a.test/one.xml") return { links: ["/listed"] };
      return href === "http://a.test/" || href === "http://a.test/listed" ? { links: [] } : undefined;
    };
    const { settled } = await crawlWorld({ seeds: ["http://a.test/"], web });
    assert.deepEqual(
      settled.map(({ href, source, visit }) => [new URL(href).pathname, source, visit?.end]),
      [
        ["/", "seed", "fetched"],
        ["/index.xml", "sitemap", "sitemap"],
        ["/one.xml", "sitemap", "sitemap"],
        ["/listed", "listed", "fetched"],
      ],
    );
  });
});
