/** A crawl that is moved into a cluster, and out of it again, by the command. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { main } from "../../../src/app/cli/main.ts";
import { MOVING } from "../../../src/app/migrate/facts.ts";
import { systemClock } from "../../../src/base/clock.ts";
import type { HostKey } from "../../../src/model/host.ts";
import { Facts } from "../../../src/store/cluster/crawl/facts.ts";
import { openMembers } from "../../../src/store/cluster/crew/members.ts";
import { Connection } from "../../../src/store/cluster/redis/connection.ts";
import { shardOf } from "../../../src/store/cluster/shards/shard-of.ts";
import { openEmbedded } from "../../../src/store/embedded/backend.ts";
import { type RedisCluster, redisCluster } from "../../services/redis-cluster.ts";
import { type TestShell, testShell } from "../shell.ts";
import { smallCrawl } from "../small-crawl.ts";

let redis: RedisCluster;
let connection: Connection;
let frontier: string;
before(async () => {
  redis = await redisCluster();
  connection = await Connection.open({ nodes: redis.nodes });
  frontier = `redis://${redis.nodes.map(({ host, port }) => `${host}:${port}`).join(",")}`;
});
after(async () => {
  await connection?.[Symbol.asyncDispose]();
  await redis?.[Symbol.asyncDispose]();
});

let crawls = 0;
const nameOf = (): string => `moved-${++crawls}`;

async function run(argv: readonly string[], cwd: TestShell): Promise<{ code: number; out: string; err: string }> {
  using shell = testShell();
  const code = await main(argv, { ...shell, cwd: cwd.cwd });
  return { code, out: shell.out(), err: shell.err() };
}

async function done(argv: readonly string[], cwd: TestShell): Promise<string> {
  const { code, out, err } = await run(argv, cwd);
  assert.equal(code, 0, err + out);
  return out;
}

/** What an export tells, but for ids. */
async function rowsOf(where: readonly string[], cwd: TestShell): Promise<object[]> {
  const lines = (await done(["export", ...where, "--to", "-", "--quiet"], cwd)).trim().split("\n");
  const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return rows.map(({ id: _, ...row }) => row).sort((a, b) => (String(a.url) < String(b.url) ? -1 : 1));
}

const into = (dir: string, name: string, ...more: string[]) => [
  ...["migrate", dir, frontier, "--name", name, "--shards", "3"],
  ...more,
];

describe("trawl migrate", () => {
  it("moves a crawl into a cluster and out again: it is whole there, and tells the same", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    const before = await rowsOf([dir], shell);
    const name = nameOf();
    const out = await done(into(dir, name, "--store", "store"), shell);
    assert.match(out, new RegExp(`^6 URLs moved from ${dir} to ${name} in redis:`));
    const there = ["--frontier", frontier, "--name", name];
    assert.deepEqual(await rowsOf(there, shell), before);
    assert.match(await done(["verify", ...there], shell), /Sound\.\n$/);
    assert.match(await done(["status", ...there], shell), /to do {4}1 queued/);

    for (const [to, ...more] of [["back"], ["local", "--local"]] as const) {
      await done(["migrate", frontier, to, "--name", name, ...more], shell);
      assert.deepEqual(await rowsOf([to], shell), before);
      if (to === "local") rmSync(join(shell.cwd, "store"), { recursive: true });
      assert.match(await done(["verify", to], shell), /pages {4}5 lines\n {2}index {4}4 lines\n(.*\n)*Sound\.\n$/);
      assert.match(await done(["get", to, "https://a.test/"], shell), /welcome/);
    }
    assert.deepEqual(readdirSync(join(shell.cwd, "back", "archive")), []);
    assert.equal(readdirSync(join(shell.cwd, "local", "archive")).length, 1);
  });

  it("moves a crawl to filters of seen URLs and out again, and loses nothing by that", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    const before = await rowsOf([dir], shell);
    const name = nameOf();
    const seen = ["--seen", "bloom", "--seen-capacity", "1000", "--seen-error", "0.5"];
    await done(into(dir, name, "--store", "store", ...seen), shell);
    const there = ["--frontier", frontier, "--name", name];
    assert.deepEqual(await rowsOf(there, shell), before);
    assert.match(await done(["verify", ...there], shell), /Sound\.\n$/);
    assert.match(await done(["report", ...there], shell), /no URL by being taken for another \(--seen bloom\)/);
    assert.match(await done(["explain", "https://a.test/", ...there], shell), /\n +end +fetched/);
    await done(["migrate", frontier, "back", "--name", name], shell);
    assert.deepEqual(await rowsOf(["back"], shell), before);
    assert.match(await done(["verify", "back"], shell), /Sound\.\n$/);
  });

  it("takes what is left of a crawl of which Redis has lost a part", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    const urls = (rows: object[]) => rows.map((row) => String((row as { url: unknown }).url));
    const before = urls(await rowsOf([dir], shell));
    for (const lost of [0, 1, 2]) {
      const name = nameOf();
      await done(into(dir, name, "--store", `store-${lost}`), shell);
      await connection.remove(`trawl:{${name}:${lost}}*`);
      const goesOn = await run(["crawl", "--frontier", frontier, "--name", name, "--dir", `crawler-${lost}`], shell);
      assert.match(goesOn.err, /Redis has lost a part of the crawl moved-\d+: 1 of its 3 shards are gone; put back/);
      assert.equal(goesOn.code, 3);
      await done(["migrate", frontier, `left-${lost}`, "--name", name], shell);
      const there = (url: string) => shardOf(new URL(url).origin as HostKey, 3) !== lost;
      assert.deepEqual(urls(await rowsOf([`left-${lost}`], shell)), before.filter(there));
    }
  });

  it("is begun again when it was killed, and nobody begins the crawl meanwhile", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    const name = nameOf();
    await done(into(dir, name, "--store", "store"), shell);
    const facts = new Facts(connection, name);
    await facts.setFact(MOVING, "in");
    const { code, err } = await run(
      ["crawl", "https://a.test/", "--frontier", frontier, "--name", name, "--store", "store", "--dir", "crawler"],
      shell,
    );
    assert.equal(code, 2);
    assert.match(
      err,
      /is being moved into the cluster; wait, or, if that was killed, give its trawl migrate command again/,
    );
    await done(into(dir, name, "--store", "store"), shell);
    assert.match(await done(["verify", "--frontier", frontier, "--name", name], shell), /Sound\.\n$/);
  });

  it("refuses what is open, what is there already, and what does not go with many crawlers", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    const name = nameOf();
    const refusal = async (argv: readonly string[]): Promise<string> => {
      const { code, err } = await run(argv, shell);
      assert.equal(code, 2, err);
      return err;
    };
    assert.match(await refusal(into(dir, name)), /crawlers that share a crawl keep its archive in one place/);
    {
      await using _writer = openEmbedded(dir, { clock: shell.clock });
      assert.match(await refusal(into(dir, name, "--store", "store")), /is being run by another process/);
    }
    await done(into(dir, name, "--store", "store"), shell);
    assert.match(
      await refusal(into(dir, name, "--store", "other")),
      /there is a crawl .* already; choose another --name/,
    );
    const out = ["migrate", frontier, "out", "--name", name];
    const members = { name, id: "x", clock: systemClock, log: { info() {}, error() {}, warn() {} }, shards: 3 };
    {
      await using _crawler = await openMembers(connection, { ...members, divide: (n) => Array(n).fill("x") });
      assert.match(await refusal(out), /crawlers are at .*: x; stop them, and give the same command again/);
    }
    assert.match(
      await refusal(["migrate", frontier, dir, "--name", name]),
      /holds a crawl; name an empty or a new directory/,
    );
    assert.equal(existsSync(join(shell.cwd, "out")), false);
  });
});
