import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { requestsOf } from "../web/log.ts";
import { deniedRequests, requestsBeforeRobots, smallestGap, smallestGaps } from "../web/politeness.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { fetchedAt, onBothSides } from "./sides.ts";
import { canonical, tempDir, trawl } from "./trawl.ts";

onBothSides("trawl crawl, against the fake web", (side) => {
  it("fetches exactly what is reachable, politely by the server's own log, and leaves a sound directory", async () => {
    await using web = await spawnFakeWeb({ hosts: 50, pagesPerHost: 3, addresses: 5 });
    await using place = await side.place();
    const seeds = Array.from({ length: 50 }, (_, i) => `${web.origin(i)}/`);
    const run = await trawl(
      [
        "crawl",
        ...["-i", "-", "--scope", "any", "--delay", "200ms", ...place.where],
        ...["--allow-net", web.allowNet, "--dns", web.dns],
      ],
      { stdin: seeds.join("\n") },
    );
    assert.equal(run.code, 0, run.stderr);

    const reachable = web.site.reachable({ from: seeds });
    const pages = canonical(await fetchedAt(place));
    assert.deepEqual([...pages].sort(), [...reachable].sort());

    const log = await web.entries();
    const gaps = smallestGaps(log);
    assert.equal(gaps.hosts.size, 50);
    assert.equal(gaps.addresses.size, 5);
    assert.ok(smallestGap(gaps.hosts)!.ms >= 200, `host: ${smallestGap(gaps.hosts)!.ms} ms`);
    assert.ok(smallestGap(gaps.addresses)!.ms >= 200, `address: ${smallestGap(gaps.addresses)!.ms} ms`);
    assert.deepEqual(deniedRequests(log, web.site.robotsByHost()), []);
    assert.deepEqual(requestsBeforeRobots(log), []);

    assert.deepEqual(await place.faults(), []);
  });

  it("stops at --limit to the page, and the same command goes on with a higher one", async () => {
    await using web = await spawnFakeWeb({ hosts: 4, pagesPerHost: 20 });
    await using place = await side.place();
    const command = (limit: string) => [
      ...["crawl", `${web.origin(0)}/`, "--scope", "any", "--delay", "0", "--limit", limit],
      ...["--allow-net", web.allowNet, "--dns", web.dns, ...place.where],
    ];
    const first = await trawl([...command("15"), "--fail-on-limit"]);
    assert.equal(first.code, 5, first.stderr);
    assert.equal((await fetchedAt(place)).size, 15);
    const second = await trawl(command("1000"));
    assert.equal(second.code, 0, second.stderr);
    assert.deepEqual([...canonical(await fetchedAt(place))].sort(), [...web.site.reachable()].sort());
    assert.deepEqual(await place.faults(), []);
    const asked = requestsOf(await web.entries()).filter(({ path }) => path !== "/robots.txt");
    assert.equal(asked.length, new Set(asked.map(({ host, path }) => host + path)).size);
  });

  it("asks a domain for no more pages than --max-per-domain, of all its hosts, and goes on with a higher one", async () => {
    const hosts = [...Array.from({ length: 24 }, (_, n) => `w${n}.many.test`), "a.few.test", "b.few.test"];
    const record = { kind: "addresses", addresses: ["127.0.1.1"] } as const;
    const names = Object.fromEntries(hosts.map((name) => [name, record]));
    await using web = await spawnFakeWeb({ hosts: 1, names, robots: { "*": { kind: "status", status: 404 } } });
    await using place = await side.place();
    const seeds = hosts.map((name) => `${web.origin(name)}/`);
    const crawl = (limit: string) =>
      trawl(
        [
          ...["crawl", "-i", "-", "--delay", "0", "--max-per-domain", limit, ...place.where],
          ...["--allow-net", web.allowNet, "--dns", web.dns],
        ],
        { stdin: seeds.join("\n") },
      );
    const first = await crawl("10");
    assert.match(first.stderr, /higher --max-per-host or --max-per-domain goes on/);
    const fetched = [...(await fetchedAt(place))];
    assert.equal(fetched.filter((href) => href.includes(".many.test")).length, 10);
    assert.equal(fetched.filter((href) => href.includes(".few.test")).length, 2);
    assert.equal((await place.ends()).size, seeds.length);
    const second = await crawl("1000");
    assert.equal(second.code, 0, second.stderr);
    assert.deepEqual([...(await fetchedAt(place))].sort(), [...seeds].sort());
    const asked = requestsOf(await web.entries()).filter(({ path }) => path !== "/robots.txt");
    assert.equal(asked.length, seeds.length);
  });

  it("goes on by today's rules: what is queued and not wanted any more ends, what was left out and is wanted comes in", async () => {
    await using web = await spawnFakeWeb({
      hosts: 2,
      pagesPerHost: 20,
      robots: { "*": { kind: "status", status: 404 } },
    });
    await using place = await side.place();
    const command = (...more: string[]) => [
      ...["crawl", `${web.origin(0)}/`, "--delay", "0", ...place.where, ...more],
      ...["--allow-net", web.allowNet, "--dns", web.dns],
    ];
    await trawl(command("--limit", "3"));
    const before = await fetchedAt(place);
    const narrow = await trawl(command("--exclude", "."));
    assert.equal(narrow.code, 0, narrow.stderr);
    assert.deepEqual(await fetchedAt(place), before);
    assert.ok([...(await place.ends()).values()].every((end) => end === "fetched" || end === "scope"));
    const wide = await trawl(command("--scope", "any"));
    assert.equal(wide.code, 0, wide.stderr);
    const wanted = web.site.reachable({ from: [`${web.origin(0)}/`] });
    assert.deepEqual([...canonical(await fetchedAt(place))].sort(), [...wanted].sort());
    assert.deepEqual(await place.faults(), []);
  });
});

describe("standard output of trawl crawl", () => {
  it("gives standard output to JSON lines alone, whatever a handler prints", async () => {
    await using web = await spawnFakeWeb({ hosts: 1, pagesPerHost: 5 });
    await using dir = await tempDir();
    const handler = join(dir.path, "loud.js");
    await writeFile(
      handler,
      `export const handler = { name: "loud", accepts: ["text/html"], read() { console.log("heard"); return { links: [] }; } };`,
    );
    const run = await trawl([
      ...["crawl", `${web.origin(0)}/`, "--jsonl", "--delay", "0", "--handler", handler, "--no-sitemaps"],
      ...["--allow-net", web.allowNet, "--dns", web.dns, "--dir", join(dir.path, "crawl")],
    ]);
    assert.equal(run.code, 0, run.stderr);
    const lines = run.stdout.trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).url),
      [`${web.origin(0)}/`],
    );
    assert.match(run.stderr, /^heard$/m);
  });

  it("writes a JSON line on standard output for each URL that has ended, and nothing else", async () => {
    await using web = await spawnFakeWeb({
      hosts: 1,
      pagesPerHost: 8,
      robots: { "*": { kind: "status", status: 404 } },
    });
    await using dir = await tempDir();
    const run = await trawl([
      ...["crawl", `${web.origin(0)}/`, "--delay", "0", "--jsonl", "--quiet", "--dir", dir.path],
      ...["--allow-net", web.allowNet, "--dns", web.dns],
    ]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(run.stderr, "");
    assert.equal(run.stdout, await readFile(join(dir.path, "pages/pages.jsonl"), "utf8"));
  });
});
