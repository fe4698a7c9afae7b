/** The store of a crawl, if it has one: opened from its configuration, and held by one crawl at a time. */
import { access, mkdir, open, rename, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { hashText } from "../../base/hash.ts";
import { directoryBlobs } from "../../blobs/directory.ts";
import { s3Blobs } from "../../blobs/s3.ts";
import { archiveKey, bytesOf, removeSegments, segmentedFiles, segmentsOf } from "../../blobs/segments.ts";
import { BlobError, type Blobs } from "../../ports/blobs.ts";
import type { Backend, StateQueries } from "../../ports/frontier.ts";
import { OPEN_SUFFIX } from "../../warc/growing-file.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import { UsageError } from "../usage-error.ts";
import { IS_ARCHIVE } from "./archive-files.ts";

export type StoreConfig = Pick<CrawlConfig, "store" | "storeEndpoint" | "storeRegion" | "storePathStyle">;

/**
 * Null when the crawl has no store. Contacts nobody yet; throws a `BlobError` when the AWS SDK is wanted and not there. `dir`:
 * of the crawler that writes there.
 */
export async function openStore({
  store,
  dir,
  ...how
}: StoreConfig & Partial<Pick<CrawlConfig, "dir">>): Promise<Blobs | null> {
  if (store === null) return null;
  const [, bucket, prefix = ""] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(store) ?? [];
  if (bucket === undefined) return directoryBlobs(store, dir === undefined ? "" : writerIn(dir));
  return s3Blobs({
    bucket,
    prefix,
    endpoint: how.storeEndpoint,
    region: how.storeRegion,
    pathStyle: how.storePathStyle ? true : null,
  });
}

/** The same for the same directory of the same machine, and no other's. */
function writerIn(dir: string): string {
  return hashText(`${hostname()} ${dir}`)
    .map((word) => word.toString(16).padStart(8, "0"))
    .join("");
}

/** Tells whose a place in a store is. */
const OWNER = "owner.json";
export const STORE_ID = "storeId";
const PLACE = "store";

/** The id of the crawl that a place belongs to; null when it is nobody's. Throws a `BlobError` when the store cannot be used. */
export async function ownerOf(blobs: Blobs): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of blobs.get(OWNER)) pieces.push(piece);
  } catch (cause) {
    if (!(cause instanceof BlobError)) throw cause;
    if (cause.code === "store-missing") return null;
    if (cause.code !== "store-away") throw cause;
    const mend = "look whether it runs, and at --store-endpoint; then give the same command again";
    throw new BlobError("away", `${cause.message}; ${mend}`, cause);
  }
  try {
    return String((JSON.parse(Buffer.concat(pieces).toString()) as { id?: unknown }).id);
  } catch {
    return "";
  }
}

/** Throws a `UsageError` when the crawl's archive is in another store than the one that is given. */
export async function mustBeSameStore(state: Pick<StateQueries, "fact">, blobs: Blobs | null): Promise<void> {
  const place = await state.fact(PLACE);
  if (place === null || place === blobs?.name) return;
  const given = blobs === null ? "" : `, not ${blobs.name}`;
  throw new UsageError("store", `the archive of this crawl is in ${place}${given}; give --store ${place}`);
}

/** Makes the place the crawl's own, or throws a `UsageError` when another crawl's archive is there. `id`: if it has none yet. */
export async function claimStore(
  state: Pick<Backend, "fact" | "setFact">,
  blobs: Blobs,
  owner: string | null,
  id: string,
): Promise<void> {
  const own = (await state.fact(STORE_ID)) ?? id;
  if (owner !== null && owner !== own && (await holdsArchive(blobs))) {
    const words = `${blobs.name} holds the archive of another crawl; name another place with --store`;
    throw new UsageError("store", words);
  }
  if (owner !== own) await blobs.put(OWNER, Buffer.from(`${JSON.stringify({ trawl: "store", id: own })}\n`));
  if ((await state.fact(STORE_ID)) === null) await state.setFact(STORE_ID, own);
  if ((await state.fact(PLACE)) === null) await state.setFact(PLACE, blobs.name);
}

async function holdsArchive(blobs: Blobs): Promise<boolean> {
  for (const prefix of ["archive/", "segments/"]) for await (const _ of blobs.list(prefix)) return true;
  return false;
}

/** Takes away what the crawl has in the store: for `--overwrite`, before its state goes. */
export async function clearStore(state: Pick<StateQueries, "marks" | "fact">, blobs: Blobs): Promise<void> {
  if ((await state.fact(PLACE)) !== blobs.name) return;
  for (const file of (await state.marks()).keys()) {
    if (!IS_ARCHIVE.test(file)) continue;
    await blobs.remove([archiveKey(file)]);
    await removeSegments(blobs, file);
  }
}

/**
 * Segments of files of which nothing was ever committed speak of nothing, and those of files that are whole in the store
 * were left by one who died while he took them away. `marks`: as `marksHere` has left them. `owns`: which files are the caller's.
 */
export async function sweepSegments(
  marks: ReadonlyMap<string, number>,
  blobs: Blobs,
  owns: (file: string) => boolean,
): Promise<void> {
  for (const file of await segmentedFiles(blobs)) if (owns(file) && !marks.has(file)) await removeSegments(blobs, file);
}

/**
 * The marks of files that must be on this disk: those that are whole in the store, and not here, are not among them. What is
 * neither here nor there with just these bytes is brought back from there, whole or from its segments.
 */
export async function marksHere(
  dir: string,
  marks: ReadonlyMap<string, number>,
  blobs: Blobs,
): Promise<ReadonlyMap<string, number>> {
  const here = new Map(marks);
  let stored: Map<string, number> | null = null;
  for (const [file, bytes] of marks) {
    if (!IS_ARCHIVE.test(file) || bytes === 0 || (await isHere(dir, file))) continue;
    stored ??= await storedFiles(blobs);
    const whole = stored.get(file) ?? 0;
    const range = { offset: 0, length: bytes };
    if (whole === bytes) here.delete(file);
    // A state that was put back from a copy knows less of it than has gone up.
    else if (whole > bytes) await restore(join(dir, file), blobs.get(archiveKey(file), range), bytes);
    else {
      const segments = await Array.fromAsync(segmentsOf(blobs, file));
      await restore(join(dir, file), bytesOf(blobs, segments, range), bytes);
    }
  }
  return here;
}

export async function isHere(dir: string, file: string): Promise<boolean> {
  for (const name of [file, file + OPEN_SUFFIX, file])
    if (
      await access(join(dir, name)).then(
        () => true,
        () => false,
      )
    )
      return true;
  return false;
}

/** Sizes by file name. */
async function storedFiles(blobs: Blobs): Promise<Map<string, number>> {
  const stored = new Map<string, number>();
  for await (const { key, bytes } of blobs.list("archive/")) stored.set(key.slice("archive/".length), bytes);
  return stored;
}

/** There whole or not at all; when segments are missing it is not there, and the repair says that the file is gone. */
async function restore(path: string, pieces: AsyncIterable<Uint8Array>, bytes: number): Promise<void> {
  const beside = `${path}.restored`;
  await mkdir(join(path, ".."), { recursive: true });
  let written = 0;
  try {
    await using handle = await open(beside, "w");
    for await (const piece of pieces) {
      await handle.writeFile(piece);
      written += piece.length;
    }
    await handle.sync();
  } catch (cause) {
    await rm(beside, { force: true });
    throw cause;
  }
  if (written === bytes) await rename(beside, path);
  else await rm(beside);
}
