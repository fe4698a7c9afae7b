import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readConfig, resolveConfig, sharedConfig, writeConfig } from "../../../src/app/config/config.ts";
import type { CrawlConfig } from "../../../src/app/config/crawl-config.ts";
import { frontierName, parseFrontier } from "../../../src/app/config/frontier.ts";
import { mustBeShareable, sharedCrawl, unlike } from "../../../src/app/config/sharing.ts";
import { testShell } from "../shell.ts";

const SHARED = { frontier: "redis://127.0.0.1:7001", name: "web" };

async function configOf(...argv: string[]): Promise<CrawlConfig> {
  using shell = testShell();
  return (await resolveConfig(["https://a.test/", ...argv], shell)).config;
}

describe("the address of a frontier", () => {
  it("names some nodes, and may have a user, a password and TLS", () => {
    const of = (text: string) => {
      const parsed = parseFrontier(text);
      return parsed.ok ? parsed.value : parsed.error;
    };
    assert.deepEqual(of("redis://a.test:7001,10.0.0.1,[::1]:7002"), {
      nodes: [
        { host: "a.test", port: 7001 },
        { host: "10.0.0.1", port: 6379 },
        { host: "::1", port: 7002 },
      ],
      tls: false,
      credentials: null,
    });
    assert.deepEqual(of("rediss://me:p%40ss@a.test"), {
      nodes: [{ host: "a.test", port: 6379 }],
      tls: true,
      credentials: { user: "me", password: "p@ss" },
    });
    for (const wrong of ["redis://", "redis://a.test:99999", "http://a.test", "redis://a.test,,b.test", "redis://a b"])
      assert.match(String(of(wrong)), /^is no Redis Cluster; write redis:/, wrong);
  });

  it("is shown without its secret", () => {
    assert.equal(frontierName("rediss://me:secret@a.test:1,b.test"), "rediss://a.test:1,b.test");
    assert.equal(frontierName("redis://a.test"), "redis://a.test");
  });

  it("is shown without it also where it is refused, and the mend names the escapes", async () => {
    const wrong = "redis://me:hu@sh/:x@a.test:1";
    await assert.rejects(configOf("--frontier", wrong, "--name", "web"), ({ message }: Error) => {
      assert.match(message, /"redis:\/\/\.\.\.@a\.test:1" is no Redis Cluster; .*write @ as %40/);
      return true;
    });
  });
});

describe("a crawl that is shared", () => {
  it("is named by its frontier and its name, and not by one of them", () => {
    assert.deepEqual(sharedCrawl(SHARED), SHARED);
    assert.equal(sharedCrawl({ frontier: null, name: null }), null);
    assert.throws(() => sharedCrawl({ frontier: SHARED.frontier }), /--frontier needs the name of a crawl/);
    assert.throws(() => sharedCrawl({ name: "web" }), /the crawl web is in a Redis Cluster; say in which/);
  });

  it("refuses, each in one sentence with its mend, what is for one crawler alone", async () => {
    const refused: readonly (readonly [string[], RegExp])[] = [
      [[], /name it with --store/],
      [["--store", "s3://bucket/p", "--store-sync", "files"], /--store-sync files/],
      [["--store", "s3://bucket/p", "--overwrite"], /--overwrite .* under another --name/],
      [["--store", "s3://bucket/p", "--seen", "counting-bloom"], /--seen counting-bloom .* take --seen scalable-bloom/],
      [["--store", "s3://bucket/p", "--seen", "bloom+exact"], /--seen bloom\+exact .* leave it out/],
    ];
    for (const [argv, words] of refused) {
      const config = await configOf(...argv);
      assert.throws(() => mustBeShareable(config, config.seeds, SHARED), words, argv.join(" "));
    }
    const config = await configOf("--store", "s3://bucket/p");
    mustBeShareable(config, config.seeds, SHARED);
    assert.throws(
      () => mustBeShareable(config, ["file:///home/"], SHARED),
      /file:\/\/\/home\/ is a file of this machine/,
    );
  });
});

describe("crawlers of one crawl", () => {
  it("have alike what decides about URLs and hosts, and each for itself what its machine bears", async () => {
    const one = await configOf("--depth", "3", "--threads", "1");
    assert.equal(unlike(one, await configOf("--depth", "3", "--threads", "2", "--concurrency", "7"), "web"), null);
    const other = unlike(await configOf("--no-robots"), await configOf(), "web");
    assert.match(
      String(other),
      /^the crawlers at web run without --no-robots, this one would run with --no-robots; leave seeds and options out to join them/,
    );
    assert.match(
      String(unlike(await configOf(), one, "web")),
      /run with --depth 3, this one would run with --depth 15/,
    );
    assert.match(String(unlike(await configOf("https://b.test/"), one, "web")), /have other seeds/);
    assert.match(
      String(unlike(await configOf("--depth", "3"), await configOf("--depth", "3", "--continuous"), "web")),
      /run with --continuous, this one would run without --continuous/,
    );
    assert.equal(unlike(await configOf("--depth", "3", "--events", "a.jsonl"), one, "web"), null);
  });

  it("tell each other nothing that may be secret, and nothing that is a machine's own", async () => {
    const secret = ["--header", "X: hush", "--auth", "a.test=me:hush", "--proxy", "http://me:hush@127.0.0.1:1"];
    const told = sharedConfig(await configOf(...secret, "--cookies", "hush.txt", "--threads", "3", "--depth", "3"));
    assert.ok(!JSON.stringify(told).includes("hush"));
    assert.ok(!("threads" in told) && !("headers" in told) && !("dir" in told));
    assert.equal(told.depth, 3);
    assert.equal(sharedConfig(await configOf("--continuous")).continuous, true, "who joins is continuous, too");
    assert.deepEqual(told.seeds, ["https://a.test/"]);
  });

  it("leave no password of the frontier in their directories", async () => {
    using shell = testShell();
    const { config } = await resolveConfig(["https://a.test/"], shell);
    await writeConfig({ ...config, frontier: "redis://me:hush@127.0.0.1:1", name: "web" });
    const kept = await readConfig(config.dir);
    assert.deepEqual([kept?.frontier, kept?.name], [null, "web"]);
  });
});
