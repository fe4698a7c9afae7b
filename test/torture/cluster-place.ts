/** Where a crawl on a cluster takes place: a web, a Redis Cluster, an object store; and what an embedded crawl finds there. */
import { join } from "node:path";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { systemClock } from "../../src/base/clock.ts";
import { s3Blobs } from "../../src/blobs/s3.ts";
import { openCluster } from "../../src/store/cluster/backend.ts";
import { Connection } from "../../src/store/cluster/redis/connection.ts";
import { frontierOf } from "../e2e/sides.ts";
import { canonical, fetchedIn, tempDir, trawl } from "../e2e/trawl.ts";
import { front } from "../services/front.ts";
import { objectStore, plainClient } from "../services/object-store.ts";
import { redisCluster } from "../services/redis-cluster.ts";
import { requestsOf } from "../web/log.ts";
import type { FakeWebOptions } from "../web/options.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { type ClusterReport, type ClusterRound, crawlThroughFaults } from "./cluster-round.ts";
import { Crew } from "./crew.ts";

export interface ClusterPlace extends AsyncDisposable {
  /** Pages of the web. */
  readonly pages: number;
  /** A crawl of its own, through its own faults. */
  crawl(round: Pick<ClusterRound, "delayMs" | "leaseMs" | "awayMs" | "seed" | "happens">): Promise<ClusterReport>;
}

const BUCKET = "crawls";
const SHARDS = 64;
const CONCURRENCY = 16;
/** The embedded crawl is nobody's proof of politeness. */
const BASELINE_DELAY_MS = 50;
const PATIENCE_MS = 600_000;

export async function clusterPlace(options: FakeWebOptions): Promise<ClusterPlace> {
  await using stack = new AsyncDisposableStack();
  const web = stack.use(await spawnFakeWeb(options));
  const dir = stack.use(await tempDir());
  const cluster = stack.use(await redisCluster());
  const store = stack.use(await objectStore());
  Object.assign(process.env, store.env);
  const between = stack.use(await front(store.port));
  const client = await plainClient(store);
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  client.destroy();

  const command = (to: string, delayMs: number): string[] => [
    ...["crawl", `${web.origin(0)}/`, "--scope", "any", "--delay", `${delayMs}ms`, "--slowdown", "0", "--tries", "20"],
    ...["--allow-net", web.allowNet, "--dns", web.dns, "--dir", to],
  ];
  const embedded = join(dir.path, "embedded");
  const first = await trawl(command(embedded, BASELINE_DELAY_MS));
  if (first.code !== 0) throw new Error(first.stderr);
  const pages = canonical(fetchedIn(embedded));
  const requests = requestsOf(await web.entries()).length;

  let crawls = 0;
  const owned = stack.move();
  return {
    pages: pages.size,
    async crawl(round) {
      const { delayMs, leaseMs } = round;
      const name = `crawl-${++crawls}`;
      const where = ["--frontier", frontierOf(cluster), "--name", name];
      await using opened = new AsyncDisposableStack();
      const crew = opened.use(
        new Crew({
          dir: join(dir.path, name),
          env: store.env,
          patienceMs: PATIENCE_MS,
          command: (to) => [
            ...command(to, delayMs),
            ...[
              "--concurrency",
              String(CONCURRENCY),
              "--threads",
              "1",
              "--lease",
              `${leaseMs}ms`,
              "--total-timeout",
              "4s",
            ],
            ...[...where, "--shards", String(SHARDS)],
            ...["--store", `s3://${BUCKET}/${name}`, "--store-endpoint", between.endpoint],
          ],
        }),
      );
      const look = async () => {
        const place = { bucket: BUCKET, prefix: name, endpoint: store.endpoint, region: null, pathStyle: null };
        const blobs = opened.use(await s3Blobs(place));
        const connection = opened.use(await Connection.open({ nodes: cluster.nodes }));
        const clock = systemClock;
        const state = await openCluster(connection, { name, clock, shards: SHARDS, joins: true, blobs });
        return { state: opened.use(state), blobs };
      };
      const verify = async () => {
        const { stdout, stderr, code } = await trawl(["verify", ...where], { env: store.env });
        return code === 0 ? [] : [`trawl verify ends with ${code}: ${stdout}${stderr}`];
      };
      return await crawlThroughFaults({ web, cluster, between, crew, pages, requests, look, verify, ...round });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
