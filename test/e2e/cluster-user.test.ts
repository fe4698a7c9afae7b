/** A crawl by a user of Redis who may do what docs/cluster.md says that crawlers need, and nothing else. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { type RedisCluster, redisCluster } from "../services/redis-cluster.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { tempDir, trawl } from "./trawl.ts";

const PASSWORD = "p@:/w";

/** What Redis has refused, by all nodes. */
async function refused({ nodes, ask }: RedisCluster): Promise<string[]> {
  const logs = await Promise.all(nodes.map((node) => ask(node, "ACL", "LOG")));
  return logs.filter((log) => log !== "");
}

it("a user with the rights that are told crawls, looks, visits again, and moves the crawl; nothing is refused to him", {
  timeout: 300_000,
}, async () => {
  const docs = await readFile(join(import.meta.dirname, "../../docs/cluster.md"), "utf8");
  const [told] = /^ACL SETUSER trawl .*>PASSWORD.*$/m.exec(docs)!;
  await using cluster = await redisCluster();
  await using dir = await tempDir();
  await using web = await spawnFakeWeb({ hosts: 4, pagesPerHost: 6, addresses: 4 });
  for (const node of cluster.nodes) {
    assert.equal(await cluster.ask(node, ...told.replace("PASSWORD", PASSWORD).split(" ")), "OK");
  }
  const nodes = cluster.nodes.map(({ host, port }) => `${host}:${port}`).join(",");
  const frontier = `redis://trawl:${encodeURIComponent(PASSWORD)}@${nodes}`;
  const net = ["--allow-net", web.allowNet, "--dns", web.dns];
  const rules = ["--scope", "any", "--delay", "20ms", "--shards", "16", ...net];
  const where = (name: string) => ["--frontier", frontier, "--name", name];
  const does = async (...words: string[]) => {
    const run = await trawl(words);
    assert.equal(run.code, 0, `${words[0]}: ${run.stderr}`);
  };
  const crawls = (name: string, crawler: string, ...more: string[]) =>
    does(
      ...["crawl", `${web.origin(0)}/`, ...rules, ...where(name), "--store", join(dir.path, name, "store")],
      ...["--dir", join(dir.path, name, crawler), ...more],
    );

  await Promise.all([crawls("table", "a"), crawls("table", "b")]);
  await crawls("filters", "a", "--seen", "bloom", "--seen-capacity", "10000", "--redis-rows", "64");
  for (const command of ["status", "report", "verify", "due", "pause", "resume"])
    await does(command, ...where("table"));
  await does("explain", ...where("filters"), `${web.origin(0)}/`);
  await does("add", ...where("table"), `${web.origin(0)}/more`);
  await does("export", ...where("table"), "--to", join(dir.path, "pages.parquet"));
  await does("recrawl", ...where("table"), "--dir", join(dir.path, "table", "a"));
  const out = join(dir.path, "out");
  await does("migrate", frontier, out, "--name", "table", "--local");
  await does("migrate", out, frontier, "--name", "back", "--store", join(dir.path, "back"));
  assert.deepEqual(await refused(cluster), []);

  await cluster.ask(cluster.nodes[0]!, "ACL", "SETUSER", "trawl", "-role", "-info");
  const shut = await trawl(["status", ...where("table")]);
  assert.notEqual(shut.code, 0);
  assert.match(shut.stderr, /^trawl: .*permission/m);
  assert.notDeepEqual(await refused(cluster), []);
});
