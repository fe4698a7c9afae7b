/** robots.txt by RFC 9309: which rule decides, and that no file can hurt. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { decide, parseRobots } from "../../src/policy/robots.ts";
import { PARSED_OCTETS } from "../../src/policy/robots-groups.ts";
import { target } from "./urls.ts";

const AGENT = "trawlbot";

function allowed(robots: string | readonly string[], path: string, agent = AGENT): boolean {
  const body = typeof robots === "string" ? robots : robots.join("\n");
  return decide(parseRobots(body, agent), `https://a.test${path}`).allowed;
}

/** Rules for everybody. */
const all = (...rules: string[]) => ["User-agent: *", ...rules];

describe("the deciding rule", () => {
  it("is the longest match, wherever it stands", () => {
    const robots = all("Allow: /x/y", "Disallow: /x", "Allow: /x/y/z/open", "Disallow: /x/y/z");
    for (const path of ["/", "/x/y", "/x/y/z/open/1"]) assert.equal(allowed(robots, path), true, path);
    for (const path of ["/x", "/x/", "/x/y/z", "/x/y/z/o"]) assert.equal(allowed(robots, path), false, path);
  });

  it("is Allow among equals", () => {
    assert.equal(allowed(all("Disallow: /x", "Allow: /x"), "/x"), true);
    assert.equal(allowed(all("Allow: /x", "Disallow: /x"), "/x"), true);
  });

  it("is measured with its wildcards and its end", () => {
    assert.equal(allowed(all("Allow: /x", "Disallow: /x$"), "/x"), false);
    assert.equal(allowed(all("Allow: /x", "Disallow: /x*"), "/x"), false);
  });

  it("is told as written, with its line", () => {
    const rules = parseRobots("# hello\r\n\r\nUser-Agent: *\r\ndisallow:/a*b # no\r\n", AGENT);
    assert.deepEqual(decide(rules, "https://a.test/a/b"), { allowed: false, rule: "Disallow: /a*b", line: 4 });
    assert.deepEqual(decide(rules, "https://a.test/c"), { allowed: true, rule: null, line: null });
  });

  it("never denies robots.txt itself", () => assert.equal(allowed(all("Disallow: /"), "/robots.txt"), true));

  it("matches path and query, not the fragment, and case counts", () => {
    assert.equal(allowed(all("Disallow: /*?print="), "/x?print=1"), false);
    assert.equal(allowed(all("Disallow: /X"), "/x"), true);
    assert.equal(decide(parseRobots(all("Disallow: /*x").join("\n"), AGENT), "https://a.test/#x").allowed, true);
    assert.equal(decide(parseRobots(all("Disallow: /").join("\n"), AGENT), "https://a.test?x").allowed, false);
  });
});

describe("a pattern", () => {
  const table: readonly (readonly [string, string, boolean])[] = [
    ["/fish", "/fish.html", true],
    ["/fish*", "/fishheads/yummy.html", true],
    ["/fish/", "/fish", false],
    ["/*.php", "/folder/any.php?x=1", true],
    ["/*.php$", "/filename.php", true],
    ["/*.php$", "/filename.php/", false],
    ["/*.php$", "/a.php.php", true],
    ["/fish*.php", "/fishheads/catfish.php?x", true],
    ["/x$", "/x", true],
    ["/x$", "/xy", false],
    ["/a$b", "/a$b", true],
    ["/a%24b", "/a$b", true],
    ["/a%2Ab", "/a*b", true],
    ["/a%2ab", "/axb", false],
    ["/a*b", "/a*b", true],
    ["*", "/", true],
    ["*/x", "/y/x", true],
    ["x", "/x", false],
    ["/**/x", "/y/x", true],
    ["/*a*a*a*$", "/aaa", true],
    ["/a*bc$", "/abc-bc", true],
    ["/ab*ba$", "/aba", false],
    ["/%62%61%7A", "/baz", true],
    ["/baz", "/%62az", true],
    ["/ツ", "/%E3%83%84", true],
    ["/%e3%83%84", "/ツ", true],
    ["/a%2Fb", "/a/b", false],
    ["/a%2fb", "/a%2Fb", true],
    ["/a b", "/a%20b", true],
  ];
  for (const [pattern, path, matches] of table) {
    it(`${pattern} ${matches ? "matches" : "does not match"} ${path}`, () => {
      const href = new URL(path, "https://a.test").href;
      const rules = parseRobots(all(`Disallow: ${pattern}`).join("\n"), AGENT);
      assert.equal(decide(rules, href).allowed, !matches);
    });
  }

  it("matches as a regular expression made of it does", () => {
    const pattern = fc
      .array(fc.constantFrom("a", "b", "/", "*", "*", "ab"), { maxLength: 8 })
      .map((p) => `/${p.join("")}`);
    const path = fc.array(fc.constantFrom("a", "b", "/", "ab"), { maxLength: 12 }).map((p) => `/${p.join("")}`);
    fc.assert(
      fc.property(pattern, fc.boolean(), path, (text, toEnd, where) => {
        const asRegExp = new RegExp(`^${text.replaceAll("*", ".*")}${toEnd ? "$" : ""}`);
        assert.equal(allowed(all(`Disallow: ${text}${toEnd ? "$" : ""}`), where), !asRegExp.test(where));
      }),
      { numRuns: 3_000 },
    );
  });

  it("decides among many as each would by itself, the longest first", () => {
    const words = fc.constantFrom("abc", "bcd", "/", "*", "*", "x=1", "é");
    const rule = fc.record({
      allow: fc.boolean(),
      pattern: fc.array(words, { maxLength: 6 }).map((p) => `/${p.join("")}`),
    });
    const path = fc
      .array(fc.constantFrom("abc", "bcd", "/", "x=1", "é", "zz"), { maxLength: 10 })
      .map((p) => `/${p.join("")}`);
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 12 }), path, (rules, where) => {
        const octets = ({ pattern }: { pattern: string }) => encodeURI(pattern).length;
        const matching = rules.filter(({ pattern }) => new RegExp(`^${pattern.replaceAll("*", ".*")}`).test(where));
        const longest = Math.max(...matching.map(octets));
        const strongest = matching.filter((rule) => octets(rule) === longest);
        const expected = strongest.length === 0 || strongest.some(({ allow }) => allow);
        const lines = rules.map(({ allow, pattern }) => `${allow ? "Allow" : "Disallow"}: ${pattern}`);
        assert.equal(
          decide(parseRobots(all(...lines).join("\n"), AGENT), new URL(`https://a.test${where}`).href).allowed,
          expected,
        );
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("groups", () => {
  it("apply by product token, whatever its case and version", () => {
    const robots = ["User-agent: TrawlBot/2.0 (beta)", "Disallow: /ours", "User-agent: *", "Disallow: /theirs"];
    assert.equal(allowed(robots, "/ours"), false);
    assert.equal(allowed(robots, "/theirs"), true);
    assert.equal(allowed(robots, "/ours", "TRAWLBOT/1.0 (+https://a.test)"), false);
    assert.equal(allowed(robots, "/ours", "trawl"), true);
    assert.equal(allowed(robots, "/ours", "trawlbot2"), true);
  });

  it("of one token are one group, and several tokens share one", () => {
    const robots = [
      ...["User-agent: trawlbot", "User-agent: other", "Disallow: /a", "User-agent: *", "Disallow: /"],
      ...["User-agent: trawlbot", "Disallow: /b"],
    ];
    assert.equal(allowed(robots, "/a"), false);
    assert.equal(allowed(robots, "/b"), false);
    assert.equal(allowed(robots, "/c"), true);
    assert.equal(allowed(robots, "/b", "other"), true);
  });

  it("are not cut by other records, blank lines or comments", () => {
    const robots = [
      "User-agent: trawlbot",
      "Sitemap: /s.xml",
      "",
      "Crawl-delay: 3",
      "Noise: 1",
      "# x",
      "User-agent: b",
      "Disallow: /a",
    ];
    assert.equal(allowed(robots, "/a"), false);
    assert.equal(allowed(robots, "/a", "b"), false);
  });

  it("are not ended by a Crawl-delay, though it may look so", () => {
    assert.equal(allowed(["User-agent: *", "Crawl-delay: 10", "", "User-agent: badbot", "Disallow: /"], "/x"), false);
  });

  it("that say nothing allow all, and are not replaced by *", () => {
    assert.equal(allowed(["User-agent: *", "Disallow: /", "User-agent: trawlbot", "Disallow:"], "/x"), true);
    assert.equal(allowed(["User-agent: *", "Disallow: /", "User-agent: trawlbot"], "/x"), true);
  });

  it("begin with an agent: rules before it belong to nobody", () => assert.equal(allowed(["Disallow: /"], "/x"), true));

  it("of agents that are also obeyed count on top of our own", () => {
    const body =
      "User-agent: gptbot\nDisallow: /text\nUser-agent: *\nDisallow: /all\nUser-agent: ccbot\nDisallow: /x\nAllow: /all";
    const rules = parseRobots(body, AGENT, ["GPTBot", "CCBot", "nobody"]);
    for (const path of ["/text", "/all", "/x"])
      assert.equal(decide(rules, `https://a.test${path}`).allowed, false, path);
    assert.equal(decide(rules, "https://a.test/y").allowed, true);
  });
});

describe("lines", () => {
  it("may end in CR, LF or CRLF and begin with a byte order mark", () => {
    for (const end of ["\r", "\n", "\r\n"]) {
      const rules = parseRobots(`\uFEFF${["User-agent: *", "", "Disallow: /x"].join(end)}`, AGENT);
      assert.deepEqual(decide(rules, "https://a.test/x"), { allowed: false, rule: "Disallow: /x", line: 3 });
    }
  });

  it("end at NUL, may be indented, may have spaces before the colon", () => {
    assert.equal(allowed("  User-agent : *\0\n\tDisallow : /x \0/y", "/x"), false);
  });

  it("need a colon", () => assert.equal(allowed(all("Disallow /x"), "/x"), true));

  it("that a typo has changed say what they were meant to say", () =>
    assert.equal(allowed(all("Dissalow: /x"), "/x"), false));
});

describe("other records", () => {
  const body = [
    ...["Sitemap: https://a.test/1.xml", "User-agent: trawlbot", "Crawl-delay: 0.5", "Clean-param: x", "Host: a.test"],
    ...[
      "User-agent: *",
      "Crawl-delay: 10",
      "Disallow: /x",
      "sitemap:/2.xml",
      "Sitemap: https://a.test/1.xml",
      "Host: b.test",
    ],
  ].join("\n");

  it("give sitemaps wherever they stand, each once", () => {
    assert.deepEqual(parseRobots(body, AGENT).sitemaps, ["https://a.test/1.xml", "/2.xml"]);
  });

  it("give the Crawl-delay of the agents just above it", () => {
    assert.equal(parseRobots(body, AGENT).crawlDelayMs, 500);
    assert.equal(parseRobots(body, "other").crawlDelayMs, 10_000);
    assert.equal(
      parseRobots("User-agent: a\nUser-agent: b\nCrawl-delay: 2\nUser-agent: a\nCrawl-delay: 7", "a").crawlDelayMs,
      7_000,
    );
    assert.equal(parseRobots("Crawl-delay: 9\nUser-agent: *\nDisallow: /", "a").crawlDelayMs, 0);
  });

  for (const [text, ms] of [
    ["1.5", 1500],
    [".5", 500],
    ["3 # s", 3000],
    ["0", 0],
    ["-1", 0],
    ["1.2.3", 0],
    ["10a", 0],
    ["x", 0],
    ["", 0],
  ] as const) {
    it(`read a Crawl-delay of "${text}" as ${ms} ms`, () => {
      assert.equal(parseRobots(`User-agent: *\nCrawl-delay: ${text}`, AGENT).crawlDelayMs, ms);
    });
  }

  it("are counted when nothing is known of them", () => {
    assert.deepEqual(
      [...parseRobots(body, AGENT).others],
      [
        ["clean-param", 1],
        ["host", 2],
      ],
    );
  });
});

describe("hostile files", () => {
  it("are read for 500 KiB, and no line of them is believed by halves", () => {
    const filler = `# ${"x".repeat(97)}\n`;
    const fillers = Math.floor(PARSED_OCTETS / filler.length);
    const before = `User-agent: *\n${filler.repeat(fillers - 1)}`;
    assert.equal(allowed(`${before}Disallow: /x\n`, "/x"), false);
    // Cut by the fetcher at 512 KiB in the middle of "Disallow: /private".
    assert.equal(allowed(`${before}${filler.repeat(2)}${filler.repeat(120)}Disallow: /`, "/x"), true);
  });

  it("count octets, not characters", () => {
    const filler = `# ${"ツ".repeat(100)}\n`;
    const body = `User-agent: *\n${filler.repeat(Math.ceil(PARSED_OCTETS / 303))}Disallow: /x\n`;
    assert.equal(allowed(body, "/x"), true);
  });

  it("cannot make matching slow", () => {
    const stars = "a*".repeat(500_000);
    const rules = parseRobots(`User-agent: *\nDisallow: /${stars}$\n`, AGENT);
    assert.equal(decide(rules, `https://a.test/${"a".repeat(2_000)}b`).allowed, true);
  });

  it("and paths that would take for ever together are denied", () => {
    // Each rule finds its b at the very end of the path, and then no a.
    const rules = parseRobots(`User-agent: *\n${"Disallow: /*b*a\n".repeat(30_000)}`, AGENT);
    const { allowed, rule, line } = decide(rules, `https://a.test/${"c".repeat(2_000)}b`);
    assert.deepEqual([allowed, line], [false, null]);
    assert.match(rule!, /more rules with wildcards than are ever tried/);
    assert.equal(decide(rules, `https://a.test/cb`).allowed, true);
  });

  it("are told from honest ones of thousands of wildcards and long paths, which are tried to the end", () => {
    const names = Array.from({ length: 5_000 }, (_, i) => `Disallow: /*filter${i}=\nDisallow: /*/view-${i}.html$`);
    const rules = parseRobots(all(...names, "Disallow: /*&last=1").join("\n"), AGENT);
    const query = Array.from({ length: 170 }, (_, i) => `colour${i}=${i * 7}`).join("&");
    assert.equal(decide(rules, `https://a.test/shop/?${query}`).rule, null);
    assert.equal(decide(rules, `https://a.test/shop/?${query}&last=1`).rule, "Disallow: /*&last=1");
    assert.equal(decide(rules, `https://a.test/shop/?${query}&filter4999=1`).rule, "Disallow: /*filter4999=");
  });

  it("are told from honest ones of thousands of folders, each with the same wildcard", () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `Disallow: /shop/${i}/*?sort=`);
    const rules = parseRobots(all(...names).join("\n"), AGENT);
    const query = `?sort=price&${"x".repeat(1_000)}`;
    assert.equal(decide(rules, `https://a.test/news/${query}`).rule, null);
    assert.equal(decide(rules, `https://a.test/shop/9999/x${query}`).rule, "Disallow: /shop/9999/*?sort=");
  });

  it("have lines of any length, and none is cut to another rule", () => {
    const path = `/${"x".repeat(20_000)}`;
    assert.equal(allowed(all(`Disallow: ${path}/secret`), path), true);
    assert.equal(allowed(all("Disallow: /x", `Allow: ${path}/open`), `${path}/open`), true);
  });

  it("parse, whatever they hold", () => {
    const line = fc.constantFrom(
      "User-agent: *",
      "User-agent:",
      "Disallow: /",
      "Allow",
      ":",
      "Crawl-delay: 1e9",
      "\0",
      "﻿",
      "#",
      "*",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string(), target)), fc.string(), target, (lines, agent, path) => {
        const rules = parseRobots(lines.join("\n"), agent, [agent]);
        decide(rules, `https://a.test${path}`);
        assert.ok(rules.crawlDelayMs >= 0);
      }),
    );
  });
});
