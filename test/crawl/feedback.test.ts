/** What pages bring decides how many more of their kind are asked for: patterns, mirrors, farms, and pages that are none. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Feedback } from "../../src/crawl/feedback.ts";
import { type HostKey, newHostState } from "../../src/model/host.ts";
import type { Href } from "../../src/model/url.ts";
import type { Visited } from "../../src/model/visited.ts";
import { memoryBackend } from "../../src/store/memory/backend.ts";
import { random } from "../web/random.ts";
import { vocabulary } from "../web/words.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import { type Asked, crawlWorld, type Reply, type WorldOptions } from "./world.ts";

const words = vocabulary(3);
const prose = (what: string, sentences = 12): string => {
  const from = random(3, what);
  return Array.from({ length: sentences }, () => words.sentence(1, from)).join(" ");
};
const page = (text: string, links: readonly string[] = []): Reply => ({
  text: `<title>x</title><p>${text}</p>${links.map((href) => `<a href="${href.replaceAll("&", "&amp;")}"></a>`).join(" ")}`,
});
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const BUDGET = 20;

const crawl = (options: Pick<WorldOptions, "seeds" | "web"> & Partial<WorldOptions>) =>
  crawlWorld({
    addressOf: (name) => `192.0.2.${[...name].reduce((sum, c) => sum + c.charCodeAt(0), 0) % 250}`,
    asHtml: true,
    limit: 2_000,
    patternBudget: BUDGET,
    ...options,
  });
const PROBE = "/no-such-page-";
const asked = (all: readonly Asked[], part: string) =>
  all.filter(({ href }) => href.includes(part) && !href.includes(PROBE)).length;

/** A site of one host: `/` links to all, the rest is told by `pageOf`. */
const site =
  (links: readonly string[], pageOf: (path: string) => Reply | undefined) =>
  (href: string): Reply | undefined => {
    const { pathname, search } = new URL(href);
    if (pathname === "/robots.txt") return { status: 404 };
    return pathname + search === "/" ? page(prose("root"), links) : pageOf(pathname + search);
  };

describe("a pattern of URLs", () => {
  it("whose pages are copies is left after its budget; the rule is recorded, and nothing is asked", async () => {
    const links = numbers(400).map((n) => `/item/${n}`);
    const {
      asked: all,
      backend,
      end,
    } = await crawl({ seeds: ["http://a.test/"], web: site(links, () => page("same")) });
    assert.equal(end, "done");
    // One that is new, the budget, and a few trials: 1 in 4, 8, 16 ...
    assert.ok(asked(all, "/item/") > BUDGET && asked(all, "/item/") <= BUDGET + 8, String(asked(all, "/item/")));
    const left = (await Array.fromAsync(backend.urls())).filter(({ visit }) => visit?.end === "trap");
    assert.equal(left.length, 400 - asked(all, "/item/"));
    for (const { visit } of left) assert.deepEqual([visit?.detail, visit?.attempt], ["feedback: /item/{n}", 0]);
  });

  it("whose pages are near copies is left too; one with a good page in three is not", async () => {
    const links = numbers(300).flatMap((n) => [`/near/${n}`, `/third/${n}`]);
    const web = site(links, (path) => {
      const n = Number(path.split("/")[2]);
      if (path.startsWith("/near/")) return page(`${prose("near", 40)} ${n}`);
      return page(n % 3 === 0 ? prose(path) : `${prose("third", 40)} ${n}`);
    });
    const { asked: all } = await crawl({ seeds: ["http://a.test/"], web });
    assert.ok(asked(all, "/near/") <= BUDGET + 8, String(asked(all, "/near/")));
    assert.equal(asked(all, "/third/"), 300);
  });

  it("of one template is fetched whole, as long as each page says something of its own", async () => {
    const menu = prose("menu", 40);
    const names = random(3, "goods");
    const goods = numbers(300).map((n) => `${words.any(names)} ${words.any(names)} ${words.any(names)}, no. ${n}`);
    const links = numbers(300).flatMap((n) => [`/product/${n}`, `/topic.php?f=2&t=${n}`, `/same/${n}`]);
    const web = site(links, (path) => {
      if (!links.includes(path)) return undefined;
      const n = Number(/\d+$/.exec(path));
      return page(
        path.startsWith("/same/")
          ? `${menu} No. ${n}`
          : `${menu} ${path.startsWith("/topic") ? "On" : ""} ${goods[n]} at ${n * 3} crowns`,
      );
    });
    const { asked: all, settled } = await crawl({ seeds: ["http://a.test/"], web });
    assert.equal(asked(all, "/product/"), 300);
    assert.equal(asked(all, "/topic.php"), 300);
    assert.ok(asked(all, "/same/") <= BUDGET + 8, String(asked(all, "/same/")));
    const near = settled.filter(({ visit }) => visit?.nearDuplicateOf != null).length;
    assert.ok(near > 300, `as near copies they are recorded all the same: ${near}`);
  });

  it("of a script that shows all of a site is fetched whole, whatever its parameters are called", async () => {
    const links = numbers(200).map((n) => `/index.php?page=topic&f=2&id=${n}`);
    const web = site(links, (path) =>
      links.includes(path) ? page(prose(path), [links[(links.indexOf(path) + 1) % 200]!]) : undefined,
    );
    const { asked: all } = await crawl({ seeds: ["http://a.test/"], web });
    assert.equal(asked(all, "/index.php"), 200);
  });

  it("of a directory is left where all names lead to one page, and not where each is a copy of another", async () => {
    const names = [...new Set(numbers(120).map((n) => `${words.any(random(3, `n ${n}`))}-x${"y".repeat(n % 7)}`))];
    const links = names.flatMap((name) => [`/new/${name}`, `/old/${name}`, `/none/${name}`]);
    const web = site(links, (path) => {
      if (!links.includes(path)) return undefined;
      const [, directory, name] = path.split("/");
      if (directory === "none") return page(prose("none"));
      return page(prose(directory === "old" && names.indexOf(name!) % 10 === 0 ? path : name!));
    });
    const { asked: all } = await crawl({ seeds: ["http://a.test/"], web });
    assert.equal(asked(all, "/old/"), names.length);
    assert.ok(asked(all, "/none/") <= BUDGET + 12, String(asked(all, "/none/")));
  });

  it("of words is nobody's: what people have named is fetched, though it be much alike", async () => {
    const from = random(3, "names");
    const links = [...new Set(numbers(200).map(() => `/use/${words.any(from)}-${words.any(from)}.html`))];
    const web = site(links, (path) =>
      links.includes(path) ? page(`${prose("no usage", 40)} ${links.indexOf(path)}`) : undefined,
    );
    const { asked: all } = await crawl({ seeds: ["http://a.test/"], web });
    assert.equal(asked(all, "/use/"), links.length);
  });

  it("has no end where it is given none, and none is held against what was asked for by name", async () => {
    const links = numbers(100).map((n) => `/item/${n}`);
    const web = site(links, () => page("same"));
    const without = await crawl({ seeds: ["http://a.test/"], web, patternBudget: 0 });
    assert.equal(asked(without.asked, "/item/"), 100);
    const seeds = numbers(100).map((n) => `http://a.test/item/${n}`);
    assert.equal(asked((await crawl({ seeds, web })).asked, "/item/"), 100);
  });

  it("that filters a list is left when its pages lead to nothing but the list, and is not when they lead on", async () => {
    const links = numbers(120).flatMap((n) => [`/circle?color=c${n}&sort=up`, `/leads?color=c${n}&sort=up`]);
    const web = site(links, (path) => {
      if (path.startsWith("/circle")) return page(prose(path), ["/circle?color=c1&sort=down"]);
      return path.startsWith("/leads")
        ? page(prose(path), [`/${"p".repeat(1 + Number(/\d+/.exec(path)))}`])
        : page(prose(path));
    });
    const { asked: all } = await crawl({ seeds: ["http://a.test/"], web });
    assert.ok(asked(all, "/circle?") <= BUDGET + 8, String(asked(all, "/circle?")));
    assert.equal(asked(all, "/leads?"), 120);
  });

  it("whose pages are empty is left; so is one of short pages that say the same but for numbers and lead to each other", async () => {
    const links = [...numbers(300).map((n) => `/empty/${n}`), "/chain/0"];
    const web = site(links, (path) => {
      if (path.startsWith("/empty/")) return links.includes(path) ? { text: "" } : undefined;
      const n = Number(path.split("/")[2]);
      return page(
        `Week ${n} of many`,
        [1, 2, 3].map((step) => `/chain/${n + step}`),
      );
    });
    const { asked: all, end } = await crawl({ seeds: ["http://a.test/"], web });
    assert.equal(end, "done");
    assert.ok(asked(all, "/empty/") <= BUDGET + 8, String(asked(all, "/empty/")));
    const chain = asked(all, "/chain/");
    assert.ok(chain > BUDGET && chain <= BUDGET + 16, String(chain));
  });

  it("of short pages that pages of use lead to is left eight times as late: they are as many as somebody has listed", async () => {
    const links = numbers(300).map((n) => `/member/${n}`);
    const web = site(links, (path) => (links.includes(path) ? page(`Posts: ${path.split("/")[2]}`) : undefined));
    const { asked: all } = await crawl({ seeds: ["http://a.test/"], web });
    const members = asked(all, "/member/");
    assert.ok(members > BUDGET * 8 && members <= BUDGET * 8 + 8, String(members));
  });

  it("of pictures without a word is an album, listed or in a row", async () => {
    const picture = (n: number, next: readonly string[]): Reply => ({
      text: `<img src="/logo.png"><img src="/files/${n}.jpg">${next.map((href) => `<a href="${href}">on</a>`).join("")}`,
    });
    const links = [...numbers(300).map((n) => `/listed/${n}`), "/row/0"];
    const web = site(links, (path) => {
      const n = Number(path.split("/")[2]);
      if (!(n < 300)) return undefined;
      if (path.startsWith("/listed/")) return picture(n, []);
      const next = numbers(30).map((i) => n + 1 + i);
      return picture(
        1_000 + n,
        next.filter((i) => i < 300).map((i) => `/row/${i}`),
      );
    });
    const { asked: all } = await crawl({ seeds: ["http://a.test/"], web });
    assert.deepEqual([asked(all, "/listed/"), asked(all, "/row/")], [300, 300]);
  });

  it("recovers when its pages are worth something again", async () => {
    const links = numbers(400).map((n) => `/item/${n}`);
    const web = site(links, (path) => page(Number(path.split("/")[2]) < 60 ? "same" : prose(path)));
    const { asked: all } = await crawl({ seeds: ["http://a.test/"], web });
    assert.ok(asked(all, "/item/") > 400 - 60, String(asked(all, "/item/")));
  });
});

describe("hosts with the same pages", () => {
  const NAMES = numbers(120).map(
    (n) => `/${"ab".repeat(1 + (n % 6))}${words.any(random(3, `name ${n}`))}x${"c".repeat(n % 20)}`,
  );
  const paths = [...new Set(NAMES)];
  const mirror = (href: string): Reply | undefined => {
    const { pathname } = new URL(href);
    if (pathname === "/robots.txt") return { status: 404 };
    return page(prose(`mirror ${pathname}`), pathname === "/" ? paths : []);
  };

  it("are fetched whole once, from the one that came first, though all are asked at the same time", async () => {
    const hosts = ["one.test", "two.example", "three.invalid"];
    const web = (href: string): Reply | undefined =>
      new URL(href).hostname === "hub.test"
        ? href.endsWith("robots.txt")
          ? { status: 404 }
          : page(
              "hub",
              hosts.map((host) => `http://${host}/`),
            )
        : mirror(href);
    const { asked: all, backend } = await crawl({ seeds: ["http://hub.test/"], web });
    const whole = new Set(
      all.filter(({ host }) => host === "http://one.test").map(({ href }) => new URL(href).pathname),
    );
    for (const path of paths) assert.ok(whole.has(path), path);
    for (const host of hosts.slice(1)) assert.ok(asked(all, `//${host}/`) < paths.length, host);
    const rules = new Set((await Array.fromAsync(backend.urls())).map(({ visit }) => visit?.detail));
    assert.ok(
      [...rules].some((rule) => /^feedback: copies of http:\/\/(one|two)\./.test(rule ?? "")),
      [...rules].join(),
    );
  });

  it("of one domain, one after another without end, are left after a few; an honest host among them is not", async () => {
    const web = (href: string): Reply | undefined => {
      const { hostname, pathname } = new URL(href);
      if (pathname === "/robots.txt") return { status: 404 };
      if (hostname === "www.farm.test")
        return page(
          prose(href),
          numbers(60).map((n) => `/own-${"x".repeat(n)}`),
        );
      const n = Number(/\d+/.exec(hostname)?.[0] ?? 0);
      const next = [1, 2, 3].map((i) => `http://f${n * 3 + i}.farm.test/`);
      return page(prose("offer", 30), [...next, "http://www.farm.test/"]);
    };
    const { asked: all, end } = await crawl({ seeds: ["http://f0.farm.test/"], web });
    assert.equal(end, "done");
    assert.ok(new Set(all.map(({ host }) => host)).size < 25, "robots.txt of a few hosts alone was asked for");
    assert.equal(asked(all, "//www.farm.test/own-"), 60);
  });
});

describe("what the pages of a host have brought", () => {
  it("is known to the next run: a pattern that has had its budget gets trials, and no second one", async () => {
    const items = (from: number) => numbers(200).map((n) => `/item/${from + n}`);
    const web = (href: string): Reply | undefined => {
      const { pathname } = new URL(href);
      if (pathname === "/robots.txt") return { status: 404 };
      if (pathname.startsWith("/item/")) return page("same");
      return page(prose(pathname), items(pathname === "/" ? 0 : 1_000));
    };
    const clock = new SimulatedClock();
    const backend = memoryBackend({ clock });
    const run = (seed: string) => crawl({ seeds: [seed], web, clock, backend: () => backend });
    const first = asked((await run("http://a.test/")).asked, "/item/");
    const second = asked((await run("http://a.test/more")).asked, "/item/");
    assert.ok(first > BUDGET && first <= BUDGET + 8, String(first));
    assert.ok(second <= 8, String(second));
  });

  const lessons = async (paths: readonly string[], patternBudget: number) => {
    const feedback = new Feedback(async () => HOST, { patternBudget });
    const learn = async (learning: Feedback, path: string, id: number) => {
      const outcome = { kind: "answer", status: 200, bytes: 9_999 };
      const url = { id, href: `${HOST}${path}` as Href, host: HOST, source: "link", via: 1 };
      const visited = { lease: { url }, outcome, page: { simhash: "0".repeat(16) }, links: [] } as unknown as Visited;
      await learning.learn([{ visited, copy: { duplicateOf: 1, nearDuplicateOf: null } }]);
    };
    for (const [id, path] of paths.entries()) await learn(feedback, path, id + 2);
    return { state: feedback.withLessons(newHostState(HOST)), learn };
  };
  const HOST = "http://a.test" as HostKey;
  const refusal = (feedback: Feedback, path: string) =>
    feedback.refusal(
      {
        id: 9_999,
        href: `${HOST}${path}` as Href,
        host: HOST,
        source: "link",
        depth: 1,
        hops: 0,
        via: 1,
        priority: 2,
        admittedAt: 0,
      },
      40,
      0,
    );

  it("goes with its state to another crawler, which believes what more pages have told", async () => {
    const { state, learn } = await lessons(
      numbers(4).map((n) => `/item/${n}`),
      4,
    );
    const other = new Feedback(async () => HOST, { patternBudget: 4 });
    for (const n of numbers(3)) await learn(other, `/other/${n}`, 100 + n);
    assert.equal(refusal(other, "/item/77"), null);
    other.recall(state);
    assert.equal(refusal(other, "/item/77"), "/item/{n}");
    assert.equal(other.withLessons(newHostState(HOST)).lessons?.pages, 4);
    await learn(other, "/other/9", 110);
    other.recall(state);
    assert.equal(other.withLessons(state).lessons?.pages, 5, "and not what is older than its own");
    const richer = new Feedback(async () => HOST, { patternBudget: 5 });
    richer.recall(state);
    assert.equal(refusal(richer, "/item/77"), null, "by another budget it means nothing");
  });

  it("is less than 5 KB, however many patterns there are, and those that have had their budget among it", async () => {
    const many = numbers(240).map(
      (n) => `/${"é".repeat(n % 30)}${words.any(random(3, `p ${n}`))}${"x".repeat(n % 90)}/${n}`,
    );
    const { state } = await lessons([...numbers(6).map((n) => `/item/${n}`), ...many], 6);
    assert.ok(JSON.stringify(state.lessons).length < 5_000, String(JSON.stringify(state.lessons).length));
    assert.equal(state.lessons?.patterns.find(([name]) => name === "/item/{n}")?.[1], 0);
  });

  it("is nothing where all were of use", async () => {
    assert.equal(new Feedback(async () => HOST, { patternBudget: 4 }).withLessons(newHostState(HOST)).lessons, null);
  });
});

describe("a host that answers 200 for pages it does not have", () => {
  const sorry = (path: string): Reply => page(`Sorry, ${path} is not here.`, [`/lost/${path.length}x/more`]);
  const links = numbers(40).map(
    (n) => `/gone/${words.any(random(3, `gone ${n}`))}-${"abcdefghij"[n % 10]}${"z".repeat(n)}`,
  );

  it("is asked once for one that cannot exist, in its turn; pages like that end as soft-404", async () => {
    const web = site(["/real", ...links], (path) => (path === "/real" ? page(prose("real")) : sorry(path)));
    const { asked: all, ends, backend } = await crawl({ seeds: ["http://a.test/"], web });
    const probes = all.filter(({ href }) => href.includes(PROBE));
    assert.equal(probes.length, 1);
    assert.equal(ends.get("http://a.test/real"), "fetched");
    const missing = [...ends.values()].filter((end) => end === "soft-404").length;
    assert.ok(missing >= 10, `${missing}`);
    const urls = await Array.fromAsync(backend.urls());
    const missed = new Set(urls.flatMap(({ id, visit }) => (visit?.end === "soft-404" ? [id] : [])));
    assert.deepEqual(
      urls.filter(({ via }) => missed.has(via)),
      [],
      "no link of such a page is followed",
    );
    const recorded = (await Array.fromAsync(backend.requests())).filter(({ href }) => href.includes(PROBE));
    assert.equal(recorded.length, 1, "the request is recorded");
    assert.ok(!urls.some(({ href }) => href.includes(PROBE)), "it is no URL of the crawl");
  });

  it("is told from one that has many alike pages and says 404", async () => {
    const web = site(links, (path) => (links.includes(path) ? page("Nothing here yet.") : undefined));
    const { asked: all, ends } = await crawl({ seeds: ["http://a.test/"], web });
    assert.equal(all.filter(({ href }) => href.includes(PROBE)).length, 1);
    assert.deepEqual(new Set(ends.values()), new Set(["fetched"]));
  });

  it("is not asked where robots.txt forbids it, nor where pages differ", async () => {
    const forbidding = (href: string): Reply | undefined =>
      href.endsWith("/robots.txt") ? { text: "User-agent: *\nDisallow: /gone/no-such\n" } : site(links, sorry)(href);
    const differing = site(links, (path) => page(prose(path)));
    const some = site(links, (path) => (links.indexOf(path) % 4 === 0 ? sorry(path) : page(prose(path))));
    for (const web of [forbidding, differing, some]) {
      const { asked: all } = await crawl({ seeds: ["http://a.test/"], web });
      assert.equal(all.filter(({ href }) => href.includes(PROBE)).length, 0);
    }
  });
});
