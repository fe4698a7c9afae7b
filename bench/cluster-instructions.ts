/**
 * How many machine instructions a page of bench/cluster's crawl costs Redis, counted by Valgrind: the same on a busy machine as
 * on a quiet one, so that two versions of a script can be compared. One master, one crawler.
 *
 *   npx node bench/cluster-instructions.ts [PAGES=400] [SHARDS=1024] [SEEN=exact]
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findCommand, need } from "../test/services/command.ts";
import { redisCluster } from "../test/services/redis-cluster.ts";
import { Crawlers } from "./cluster-crawlers.ts";
import { seenBy } from "./cluster-seen.ts";
import { costOf } from "./redis-costs.ts";

const run = promisify(execFile);
const WARM_PAGES = 400;
/** Commands a page of which there are fewer are not told. */
const SELDOM = 0.05;

const [pages = 400, shards = 1_024] = process.argv.slice(2, 4).map(Number);
const seen = seenBy(process.argv[4]);
const valgrind = await need("Valgrind", ["valgrind"], () => findCommand("valgrind"));
const control = await need("Valgrind", ["valgrind"], () => findCommand("callgrind_control"));
const dir = await mkdtemp(join(tmpdir(), "bench-instructions-"));
try {
  const out = join(dir, "callgrind.out");
  const under = [valgrind, "--tool=callgrind", "--instr-atstart=no", `--callgrind-out-file=${out}`];
  await using cluster = await redisCluster({ masters: 1, replicas: 0, under });
  await using crawlers = new Crawlers();
  const [node] = cluster.nodes;
  const name = "instructions";
  await crawlers.start([{ nodes: cluster.nodes, name, blobs: join(dir, "blobs"), nth: 0, crawlers: 1, shards, seen }]);
  await crawlers.go(WARM_PAGES);
  const pid = /process_id:(\d+)/.exec(await cluster.ask(node!, "INFO", "server"))![1]!;
  const before = await costOf(cluster, node!);
  await run(control, ["--instr=on", pid]);
  const stretch = await crawlers.go(pages);
  await run(control, ["--instr=off", pid]);
  await run(control, ["--dump", pid]);
  const after = await costOf(cluster, node!);
  const total = Number(/^totals: (\d+)/m.exec(await readFile(`${out}.1`, "utf8"))![1]);
  console.log(`npx node bench/cluster-instructions.ts ${pages} ${shards} ${seen.kind}`);
  console.log(`${Math.round(total / stretch.pages)} instructions a page; commands a page:`);
  for (const [command, { calls }] of after.calls) {
    const aPage = (calls - (before.calls.get(command)?.calls ?? 0)) / stretch.pages;
    if (aPage >= SELDOM) console.log(`${command.padEnd(14)} ${aPage.toFixed(2)}`);
  }
} finally {
  await rm(dir, { recursive: true, force: true });
}
