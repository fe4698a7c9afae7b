/** A crawl is moved from its directory into a Redis Cluster and a store, where any number of crawlers go on with it. */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { archiveKey } from "../../blobs/segments.ts";
import type { Blobs } from "../../ports/blobs.ts";
import { openCluster } from "../../store/cluster/backend.ts";
import { removeCrawl } from "../../store/cluster/crawl/crawl.ts";
import { Facts, STARTED_AT } from "../../store/cluster/crawl/facts.ts";
import type { Connection } from "../../store/cluster/redis/connection.ts";
import { holdDirectory } from "../../store/embedded/database.ts";
import { openState } from "../../store/embedded/read-only.ts";
import { repairArchive } from "../../warc/repair.ts";
import { readConfig, sharedConfig } from "../config/config.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import { mustBeShareable, type SharedCrawl, sharedSeen } from "../config/sharing.ts";
import { IS_ARCHIVE } from "../dir/archive-files.ts";
import { mustHoldCrawl } from "../dir/crawl-dir.ts";
import { claimStore, marksHere, openStore, ownerOf, STORE_ID } from "../dir/store.ts";
import { rememberSeen } from "../inspect/report/seen-loss.ts";
import { placeName } from "../place/place.ts";
import { CONFIG, openFrontier } from "../place/shared-crawl.ts";
import { seenChoice } from "../run/opening.ts";
import { UsageError } from "../usage-error.ts";
import { MOVED_FACTS, MOVING } from "./facts.ts";
import { moveState, type OnProgress } from "./move-state.ts";

type StoreOption = "store" | "storeEndpoint" | "storeRegion" | "storePathStyle";

export interface IntoParts {
  readonly dir: string;
  readonly crawl: SharedCrawl;
  /** Where its archive is to be, into how many shards, and how it remembers what was seen; what is left out is as the crawl has it. */
  readonly options: Partial<Pick<CrawlConfig, StoreOption | "shards" | "seen" | "seenCapacity" | "seenError">>;
  readonly onProgress: OnProgress;
}

/**
 * Nobody may be at it, and nothing of that name be in the cluster, but what a move has left that was killed: then it begins
 * again. The directory stays as it is. Throws a `UsageError`, or an error of the state, the store or the cluster.
 */
export async function moveIntoCluster({ dir, crawl, options, onProgress }: IntoParts): Promise<void> {
  await mustHoldCrawl(dir);
  const config = await configOf(dir, crawl, options);
  using _held = holdDirectory(dir);
  using state = openState(dir);
  await using blobs = (await openStore(config))!; // it is shareable
  const owner = await ownerOf(blobs);
  const archive = join(dir, "archive");
  const marks = await state.marks();
  const kept = await readConfig(dir);
  await repairArchive(archive, kept?.store == null ? marks : await marksHere(archive, marks, blobs));
  await using connection = await openFrontier(crawl.frontier);
  const facts = new Facts(connection, crawl.name);
  await beginIn(connection, facts, crawl);
  for (const fact of MOVED_FACTS) {
    const value = await state.fact(fact);
    if (value !== null) await facts.setFact(fact, value);
  }
  await claimStore(facts, blobs, owner, randomUUID());
  const files = [...marks].flatMap(([file, bytes]) => (IS_ARCHIVE.test(file) && bytes > 0 ? [{ file, bytes }] : []));
  for (const { file, bytes } of files) await send(join(archive, file), archiveKey(file), bytes, blobs);
  const { name } = crawl;
  const { shards } = config;
  const parts = { name, shards, seen: sharedSeen(config), blobs };
  await moveState({
    from: state,
    open: (told) => openCluster(connection, { ...told, ...parts, isMove: true }),
    marks: files,
    now: systemClock.now(),
    onProgress,
  });
  await using moved = await openCluster(connection, { ...parts, clock: systemClock, joins: true });
  await rememberSeen(moved, seenChoice(config), { isMoved: true });
  await facts.settle(STARTED_AT, String(systemClock.now()));
  await facts.setFact(CONFIG, JSON.stringify(sharedConfig(config)));
  await facts.setFact(MOVING, "");
  await connection.replicated();
}

async function configOf(dir: string, crawl: SharedCrawl, options: IntoParts["options"]): Promise<CrawlConfig> {
  const kept = await readConfig(dir);
  if (kept === null) throw new UsageError("directory", `${dir} has no crawl.json; trawl crawl --dir writes one`);
  const config: CrawlConfig = { ...kept, ...options, ...crawl };
  mustBeShareable(config, config.seeds, crawl);
  if (kept.store === null || kept.store === config.store) return config;
  throw new UsageError("store", `the archive of ${dir} is in ${kept.store}, and stays there; leave --store out`);
}

/** Makes the name this move's own; what an earlier try has put into the store is so still. */
async function beginIn(connection: Connection, facts: Facts, crawl: SharedCrawl): Promise<void> {
  const [storeId, isOurs] = [await facts.fact(STORE_ID), (await facts.fact(MOVING)) === "in"];
  if (isOurs) await removeCrawl(connection, crawl.name);
  else if (!(await facts.renew("")))
    throw new UsageError(
      "frontier",
      `there is a crawl ${placeName({ kind: "shared", crawl })} already; choose another --name`,
    );
  await facts.setFact(MOVING, "in");
  if (isOurs && storeId !== null) await facts.setFact(STORE_ID, storeId);
  await connection.replicated();
}

/** What is in the store already, by an earlier try or because the crawl keeps its archive there, is not sent again. */
async function send(path: string, key: string, bytes: number, blobs: Blobs): Promise<void> {
  if ((await blobs.head(key))?.bytes === bytes || !existsSync(path)) return;
  await blobs.putFile(key, path);
}
