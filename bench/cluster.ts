/**
 * A synthetic crawl of the frontier in a Redis Cluster: crawlers that visit nothing lease, and commit pages of 60 links, 10
 * of them new. 100,000 hosts of Zipf size; eight of ten links lead to the page's own host; most were told lately.
 *
 *   npx node bench/cluster.ts [PAGES=40000] [CRAWLERS=2] [SHARDS=1024] [URLS=200000]
 *
 * With one master and with two (without replicas): pages a second; microseconds of CPU a page in the crawlers, in Redis (the
 * threads that run commands), in its busiest master, and by the wall in scripts; scripts and commands a page; how many of the
 * links told the crawlers knew to be in Redis; and the pages a second that the busiest master could do by its CPU time.
 * Then, with one master, which verbs and which commands that is; and what URLS URLs take in Redis when they are queued, and
 * when they have ended.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directoryBlobs } from "../src/blobs/directory.ts";
import { openCluster } from "../src/store/cluster/backend.ts";
import { Connection } from "../src/store/cluster/redis/connection.ts";
import { ended, settled, TestClock, url } from "../test/conformance/frontier-world.ts";
import { type RedisCluster, redisCluster } from "../test/services/redis-cluster.ts";
import type { Stretch } from "./cluster-crawler.ts";
import { Crawlers, together } from "./cluster-crawlers.ts";
import { bytesByKind, costOf, memoryOf, type RedisCost, timedByVerb } from "./redis-costs.ts";

const LINES = 5;
/** Of a crawl whose rows are in the object store, but for some. */
const FEW_ROWS = 1_600;
const URLS_A_HOST = 50;
const BATCH = 200;

interface Size {
  readonly pages: number;
  readonly crawlers: number;
  readonly shards: number;
  readonly urls: number;
  /** A folder. */
  readonly blobs: string;
}

const row = (...cells: readonly (string | number)[]) =>
  console.log(cells.map((cell, nth) => (nth === 0 ? String(cell).padEnd(14) : String(cell).padStart(14))).join(""));

/** Between two looks at a node. */
function spent(before: RedisCost, after: RedisCost) {
  const calls = new Map(
    [...after.calls].map(([name, { calls: count, us }]) => {
      const was = before.calls.get(name) ?? { calls: 0, us: 0 };
      return [name, { calls: count - was.calls, us: us - was.us }] as const;
    }),
  );
  const scripts = calls.get("fcall") ?? { calls: 0, us: 0 };
  const commands = [...calls.values()].reduce((sum, { calls: count }) => sum + count, -scripts.calls);
  return { cpuUs: after.cpuUs - before.cpuUs, calls, scripts, commands };
}

/** What a stretch has cost, and each master in it. */
interface Costs {
  readonly seconds: number;
  readonly stretch: Stretch;
  readonly masters: readonly ReturnType<typeof spent>[];
}

const HEADINGS = ["crawlers", "Redis", "busiest", "in scripts"].map((what) => `us ${what}`);

/** Pages a second that the busiest master could do, by its CPU time. */
function tell(title: string | number, { seconds, stretch, masters }: Costs): number {
  const aPage = (of: (cost: Costs["masters"][number]) => number) =>
    masters.reduce((sum, one) => sum + of(one), 0) / stretch.pages;
  const busiest = Math.max(...masters.map(({ cpuUs }) => cpuUs)) / stretch.pages;
  row(
    title,
    (stretch.pages / seconds).toFixed(0),
    (stretch.cpuUs / stretch.pages).toFixed(0),
    aPage(({ cpuUs }) => cpuUs).toFixed(1),
    busiest.toFixed(1),
    aPage(({ scripts }) => scripts.us).toFixed(1),
    aPage(({ scripts }) => scripts.calls).toFixed(2),
    aPage(({ commands }) => commands).toFixed(1),
    `${((100 * stretch.met) / stretch.asked).toFixed(0)} %`,
    (1e6 / busiest).toFixed(0),
  );
  return 1e6 / busiest;
}

/** Pages a second that so many masters could do. */
async function throughput(count: number, { pages, crawlers, shards, blobs }: Size): Promise<number> {
  await using cluster = await redisCluster({ masters: count, replicas: 0 });
  await using fleet = new Crawlers();
  const name = `bench-${count}`;
  const of = { nodes: cluster.nodes, name, blobs: join(blobs, name), crawlers, shards };
  await fleet.start(Array.from({ length: crawlers }, (_, nth) => ({ ...of, nth })));
  const look = () => Promise.all(cluster.nodes.map((node) => costOf(cluster, node)));
  const timed = async (work: () => Promise<Stretch>): Promise<Costs> => {
    const before = await look();
    const began = performance.now();
    const stretch = await work();
    const seconds = (performance.now() - began) / 1000;
    return { seconds, stretch, masters: (await look()).map((after, nth) => spent(before[nth]!, after)) };
  };
  console.log(`\n${count} ${count === 1 ? "master" : "masters"}, ${crawlers} crawlers, ${shards} shards`);
  row("pages", "pages/s", ...HEADINGS, "scripts", "commands", "known", "by CPU");
  let done = 0;
  const line = async (): Promise<Stretch> => {
    const costs = await timed(() => fleet.go(pages / LINES));
    done += costs.stretch.pages;
    tell(done, costs);
    return costs.stretch;
  };
  await line();
  const rest = await timed(async () => {
    const stretches: Stretch[] = [];
    for (let nth = 1; nth < LINES; nth++) stretches.push(await line());
    return together(stretches);
  });
  const possible = tell("without first", rest);
  const commands = rest.masters.map((one) => one.commands + one.scripts.calls);
  const most = Math.max(...commands) / commands.reduce((sum, one) => sum + one);
  if (count > 1) console.log(`one master ran ${(100 * most).toFixed(1)} % of the commands`);
  if (count === 1) await profile(cluster, fleet, pages / LINES);
  return possible;
}

async function profile(cluster: RedisCluster, fleet: Crawlers, pages: number): Promise<void> {
  await using connection = await Connection.open({ nodes: cluster.nodes });
  const [node] = cluster.nodes;
  const before = await costOf(cluster, node!);
  const verbs = await timedByVerb(connection, () => fleet.go(pages));
  const { calls } = spent(before, await costOf(cluster, node!));
  const table = (title: string, times: ReadonlyMap<string, { calls: number; us: number }>) => {
    const all = [...times.values()].reduce((sum, { us }) => sum + us, 0);
    row(`\n${title}`, "calls", "us each", "share");
    for (const [name, { calls: count, us }] of [...times].sort((a, b) => b[1].us - a[1].us).slice(0, 16))
      if (count > 0) row(name, count, (us / count).toFixed(1), `${((100 * us) / all).toFixed(1)} %`);
  };
  table("verb", verbs);
  for (const name of ["fcall", "slowlog|get"]) calls.delete(name);
  table("command", calls);
}

/** `rowsInRedis`: of all of them, so many rows at most. */
async function sizes({ urls, blobs }: Size, rowsInRedis: number): Promise<void> {
  await using cluster = await redisCluster({ masters: 1, replicas: 0 });
  await using connection = await Connection.open({ nodes: cluster.nodes });
  const [node] = cluster.nodes;
  const clock = new TestClock();
  const name = `sizes-${rowsInRedis}`;
  await using backend = await openCluster(connection, {
    name,
    clock,
    blobs: directoryBlobs(join(blobs, name)),
    shards: 16,
    rowsInRedis,
  });
  const empty = await memoryOf(cluster, node!);
  const tell = async (state: string) => {
    const gained = (await memoryOf(cluster, node!)) - empty;
    row(
      `\n${urls} URLs ${state}, ${URLS_A_HOST} a host, rows of ${rowsInRedis} in Redis: ${(gained / urls).toFixed(1)} bytes each`,
    );
    row("key", "keys", "bytes a URL", "bytes a key");
    for (const [kind, { keys, bytes }] of [...(await bytesByKind(connection, name))].sort(
      (a, b) => b[1].bytes - a[1].bytes,
    ))
      row(kind || "(shard)", keys, (bytes / urls).toFixed(1), (bytes / keys).toFixed(0));
  };
  for (let n = 0; n < urls; n += BATCH)
    await backend.add(
      Array.from({ length: BATCH }, (_, i) =>
        url(
          `www.host-number-${Math.floor((n + i) / URLS_A_HOST)}.example`,
          `section-${n % 97}/an-article-with-a-title-${n + i}.html`,
        ),
      ),
    );
  await tell("queued");
  for (;;) {
    const leases = await backend.lease(BATCH);
    if (leases.length === 0) break;
    clock.time++;
    await backend.commit({
      settled: leases.map((lease) => settled(lease, ended(), clock.time)),
      hosts: [],
      robots: [],
      marks: [],
    });
  }
  await tell("ended");
}

const [pages = 40_000, crawlers = 2, shards = 1_024, urls = 200_000] = process.argv.slice(2).map(Number);
console.log(`npx node bench/cluster.ts ${pages} ${crawlers} ${shards} ${urls}`);
const blobs = await mkdtemp(join(tmpdir(), "bench-cluster-"));
try {
  const size = { pages, crawlers, shards, urls, blobs };
  const one = await throughput(1, size);
  const two = await throughput(2, size);
  console.log(`\ntwo masters could do ${(two / one).toFixed(2)} times what one could, by their CPU time`);
  for (const rowsInRedis of [urls, FEW_ROWS]) await sizes(size, rowsInRedis);
} finally {
  await rm(blobs, { recursive: true, force: true });
}
