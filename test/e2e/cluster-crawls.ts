/** Crawls that crawlers share, by the real command: on a Redis Cluster that the tests of a file have together, with directories as stores. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { SharedSeen } from "../../src/store/cluster/shards/seen-filter.ts";
import { type RedisCluster, redisCluster } from "../services/redis-cluster.ts";
import { requestsOf } from "../web/log.ts";
import type { SpawnedWeb } from "../web/spawn.ts";
import { type SharedState, sharedState } from "./shared-state.ts";
import { frontierOf } from "./sides.ts";
import { type Run, type TempDir, tempDir } from "./trawl.ts";

export const DELAY_MS = 100;
/** Where a crawl is to last long enough for what happens to it. */
export const LONG = ["--delay", "400ms"];

export let cluster: RedisCluster;
export let dir: TempDir;
let crawls = 0;

/** To be called once by each file of tests. */
export function haveCluster(): void {
  before(async () => {
    cluster = await redisCluster();
    dir = await tempDir();
  });
  after(async () => {
    await cluster[Symbol.asyncDispose]();
    await dir[Symbol.asyncDispose]();
  });
}

/** A crawl of its own, in a place of its own. */
export function crawlOf(web: SpawnedWeb) {
  const name = `crawl-${++crawls}`;
  const frontier = frontierOf(cluster);
  const store = join(dir.path, name, "store");
  const rules = ["--scope", "any", "--delay", `${DELAY_MS}ms`, "--shards", "16", "--store", store];
  const where = ["--frontier", frontier, "--name", name];
  return {
    name,
    store,
    where,
    dirOf: (crawler: string) => join(dir.path, name, crawler),
    begins: (crawler: string, ...more: string[]) => [
      ...["crawl", `${web.origin(0)}/`, ...rules, ...where, "--dir", join(dir.path, name, crawler), ...more],
      ...["--allow-net", web.allowNet, "--dns", web.dns],
    ],
    joins: (crawler: string, ...more: string[]) => ["crawl", ...where, "--dir", join(dir.path, name, crawler), ...more],
    state: (seen?: SharedSeen): Promise<SharedState> => sharedState(cluster, name, 16, store, seen),
  };
}

export const done = (run: Run): void => assert.equal(run.code, 0, run.stderr);

/** All that was asked for but robots.txt, and how often. */
export async function asked(web: SpawnedWeb): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const { host, path } of requestsOf(await web.entries()))
    if (path !== "/robots.txt") times.set(host + path, (times.get(host + path) ?? 0) + 1);
  return times;
}

export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 900; i++) {
    if (await holds()) return;
    await sleep(50);
  }
  assert.fail(`never: ${what}`);
}
