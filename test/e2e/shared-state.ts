/** What a crawl that crawlers share has left behind, in the cluster and in its store. */
import { IS_ARCHIVE } from "../../src/app/dir/archive-files.ts";
import { CrawlArchive } from "../../src/app/dir/crawl-archive.ts";
import { systemClock } from "../../src/base/clock.ts";
import { directoryBlobs } from "../../src/blobs/directory.ts";
import type { VisitRecord } from "../../src/model/record.ts";
import { openCluster } from "../../src/store/cluster/backend.ts";
import { Connection } from "../../src/store/cluster/redis/connection.ts";
import type { SharedSeen } from "../../src/store/cluster/shards/seen-filter.ts";
import type { RedisCluster } from "../services/redis-cluster.ts";

export interface SharedState extends AsyncDisposable {
  /** Every admitted URL with its end, or its state when it has none. */
  ends(): Promise<Map<string, string>>;
  /** URLs that were fetched and kept. */
  fetched(): Promise<Set<string>>;
  /** Of each URL every visit, in order. */
  visits(): Promise<(readonly VisitRecord[])[]>;
  /** Captures that cannot be read from the store, in words. */
  unreadable(): Promise<string[]>;
  /** Archive files that did not go up whole, or whose segments are there still. */
  segmented(): Promise<string[]>;
}

/** `store`: a directory. */
export async function sharedState(
  { nodes }: Pick<RedisCluster, "nodes">,
  name: string,
  shards: number,
  store: string,
  seen?: SharedSeen,
): Promise<SharedState> {
  const connection = await Connection.open({ nodes });
  const blobs = directoryBlobs(store);
  const parts = { clock: systemClock, name, shards, blobs, ...(seen !== undefined && { seen }) };
  const state = await openCluster(connection, { ...parts, joins: true, owner: "looks" });
  const place = { store, storeEndpoint: null, storeRegion: null, storePathStyle: false };
  const archive = new CrawlArchive({ folder: null, store: place });
  const ends = async () => {
    const urls = await Array.fromAsync(state.urls());
    return new Map(urls.map(({ href, state, visit }) => [href, state === "ended" ? String(visit?.end) : state]));
  };
  return {
    ends,
    fetched: async () => new Set([...(await ends())].flatMap(([href, end]) => (end === "fetched" ? [href] : []))),
    async visits() {
      const urls = await Array.fromAsync(state.urls());
      return Promise.all(urls.map(({ id }) => state.visitsOf(id)));
    },
    async unreadable() {
      const faults: string[] = [];
      for await (const { href, capture } of state.captures())
        await archive.at(capture!.response).catch((cause: Error) => faults.push(`${href}: ${cause.message}`));
      return faults;
    },
    async segmented() {
      const faults: string[] = [];
      for (const [file, bytes] of await state.marks())
        if (IS_ARCHIVE.test(file) && (await blobs.head(`archive/${file}`))?.bytes !== bytes)
          faults.push(`${file} is not there as a whole`);
      for await (const { key } of blobs.list("segments/")) faults.push(key);
      return faults;
    },
    async [Symbol.asyncDispose]() {
      await archive[Symbol.asyncDispose]();
      await state[Symbol.asyncDispose]();
      await connection[Symbol.asyncDispose]();
    },
  };
}
