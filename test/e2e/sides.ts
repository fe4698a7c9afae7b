/** A crawl alone in its directory, and one that is shared by way of a cluster: what holds of the one holds of the other. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { type RedisCluster, redisCluster } from "../services/redis-cluster.ts";
import { type SharedState, sharedState } from "./shared-state.ts";
import { checkArchive, endsIn, tempDir, trawl } from "./trawl.ts";

export interface Side {
  /** A place for a crawl of its own. */
  place(): Promise<Place>;
}

/** Where a crawl is. */
export interface Place extends AsyncDisposable {
  /** What `trawl crawl` is told of it. */
  readonly where: readonly string[];
  /** What `trawl recrawl` is told of it. */
  readonly again: readonly string[];
  /** What commands are told that look at it, or ask something of it. */
  readonly crawl: readonly string[];
  /** The folder of its archive's files, when they are finished. */
  readonly archive: string;
  /** Its index, line by line. */
  index(): Promise<string[]>;
  /** Every admitted URL with its end, or its state when it has none. */
  ends(): Promise<Map<string, string>>;
  /** What is wrong with what it has left behind, in words. */
  faults(): Promise<readonly string[]>;
}

type Tests = (side: Side) => void;

export function onBothSides(what: string, tests: Tests): void {
  inADirectory(what, tests);
  onACluster(what, tests);
}

export function inADirectory(what: string, tests: Tests): void {
  describe(`${what}, in a directory`, () => tests({ place: directory }));
}

export function onACluster(what: string, tests: Tests): void {
  describe(`${what}, on a cluster`, () => {
    let cluster: RedisCluster;
    before(async () => {
      cluster = await redisCluster();
    });
    after(() => cluster[Symbol.asyncDispose]());
    tests({ place: () => onCluster(cluster) });
  });
}

export async function fetchedAt(place: Place): Promise<Set<string>> {
  return new Set([...(await place.ends())].flatMap(([href, end]) => (end === "fetched" ? [href] : [])));
}

async function directory(): Promise<Place> {
  const dir = await tempDir();
  const files = ["crawl.json", "state.db", "pages/pages.jsonl", "indexes/index.cdxj"];
  return {
    where: ["--dir", dir.path],
    again: [dir.path],
    crawl: [dir.path],
    archive: join(dir.path, "archive"),
    index: async () => linesOf(await readFile(join(dir.path, "indexes/index.cdxj"), "utf8")),
    ends: async () => endsIn(dir.path),
    async faults() {
      const missing = files.filter((file) => !existsSync(join(dir.path, file)));
      return [...missing, ...(await checkArchive(dir.path)).faults];
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const linesOf = (text: string): string[] => text.trimEnd().split("\n");

const SHARDS = 16;
let crawls = 0;

export const frontierOf = ({ nodes }: Pick<RedisCluster, "nodes">): string =>
  `redis://${nodes.map(({ host, port }) => `${host}:${port}`).join(",")}`;

async function onCluster(cluster: RedisCluster): Promise<Place> {
  const dir = await tempDir();
  const name = `both-${++crawls}`;
  const store = join(dir.path, "store");
  const asked = async <T>(question: (state: SharedState) => Promise<T>): Promise<T> => {
    await using state = await sharedState(cluster, name, SHARDS, store);
    return await question(state);
  };
  const crawl = ["--frontier", frontierOf(cluster), "--name", name];
  return {
    where: [...crawl, "--shards", String(SHARDS), "--store", store, "--dir", join(dir.path, "crawler")],
    again: [...crawl, "--dir", join(dir.path, "crawler")],
    crawl,
    archive: join(store, "archive"),
    async index() {
      const run = await trawl(["export", ...crawl, "--to", "-", "--format", "cdxj"]);
      if (run.code !== 0) throw new Error(run.stderr);
      return linesOf(run.stdout);
    },
    ends: () => asked((state) => state.ends()),
    faults: () => asked(async (state) => [...(await state.unreadable()), ...(await state.segmented())]),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
