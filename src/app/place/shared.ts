/** A crawl that crawlers share, as commands look at it from anywhere: its state in Redis, its archive in the store. */
import { samplesOf } from "../../crawl/parted-schedule.ts";
import { sampleRecords } from "../../crawl/schedule.ts";
import type { InboxSlot } from "../../ports/inbox.ts";
import { openCluster } from "../../store/cluster/backend.ts";
import { Facts } from "../../store/cluster/crawl/facts.ts";
import { ClusterDomains } from "../../store/cluster/crew/domains.ts";
import { clusterSlot } from "../../store/cluster/crew/inbox.ts";
import { livingIn } from "../../store/cluster/crew/members.ts";
import { clusterParts } from "../../store/cluster/crew/parts.ts";
import type { Connection } from "../../store/cluster/redis/connection.ts";
import { sharedConfigIn } from "../config/config.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import { type SharedCrawl, sharedSeen } from "../config/sharing.ts";
import { CrawlArchive } from "../dir/crawl-archive.ts";
import { UsageError } from "../usage-error.ts";
import { placeName } from "./place.ts";
import { openFrontier } from "./shared-crawl.ts";
import type { CrawlView } from "./view.ts";

/** @throws UsageError when there is no such crawl, ClusterError when the cluster does not answer. */
export async function openSharedCrawl(crawl: SharedCrawl): Promise<CrawlView> {
  await using parts = new AsyncDisposableStack();
  const { connection, config } = await begun(crawl, parts);
  const { name } = crawl;
  const archive = parts.use(new CrawlArchive({ folder: null, store: config }));
  const blobs = (await archive.blobs())!; // none is begun without a store
  // Who only looks may have any clock.
  const clock = connection.time;
  const { shards } = config;
  const seen = sharedSeen(config);
  const state = parts.use(await openCluster(connection, { name, shards, seen, clock, blobs, looks: true }));
  const all = parts.move();
  return {
    ...{ name: nameOf(crawl), dir: null, config, archive, state },
    domains: new ClusterDomains(connection, { name, id: "" }),
    unpointed: () => state.unpointed(),
    damage: () => [],
    async standing() {
      const crawlers = await livingIn(connection, name, clock);
      const paused = await clusterSlot(connection, name).isPaused();
      const gone = await state.gone();
      const lost = gone === 0 ? {} : { lost: `Redis has lost ${gone} of its ${shards} shards` };
      return { running: crawlers.length > 0, paused, crawlers, masters: await connection.masters(), ...lost };
    },
    async panel() {
      const parts = clusterParts(connection, { name, shards, state, members: null });
      return sampleRecords(await samplesOf(parts), state);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Throws as `openSharedCrawl` does. */
export async function openSharedSlot(crawl: SharedCrawl): Promise<InboxSlot & AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  const { connection } = await begun(crawl, parts);
  const all = parts.move();
  return { ...clusterSlot(connection, crawl.name), [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function begun(
  crawl: SharedCrawl,
  parts: AsyncDisposableStack,
): Promise<{ readonly connection: Connection; readonly config: CrawlConfig }> {
  const connection = parts.use(await openFrontier(crawl.frontier));
  const config = await sharedConfigIn(connection, crawl.name);
  if (config !== null && (await new Facts(connection, crawl.name).isBegun())) return { connection, config };
  throw new UsageError("frontier", `there is no crawl ${nameOf(crawl)}; look at --name and --frontier`);
}

const nameOf = (crawl: SharedCrawl): string => placeName({ kind: "shared", crawl });
