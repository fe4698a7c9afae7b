/** The archive files of a crawl as far as they are committed: what stands behind that is not part of the crawl. */
import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { archiveKey } from "../../blobs/segments.ts";
import type { StoredFiles } from "../../blobs/stored-files.ts";
import { ArchiveError } from "../../warc/error.ts";
import { OPEN_SUFFIX } from "../../warc/growing-file.ts";

export interface ArchiveFile {
  readonly path: string;
  /** Without `.open`. */
  readonly name: string;
  /** How many of its bytes count. */
  readonly bytes: number;
  /** How many it has. */
  readonly size: number;
  /** Where it is, whole or in segments, when it is not on this disk; `path` is then for people. */
  readonly store?: StoredFiles;
}

export const IS_ARCHIVE = /\.warc(\.gz|\.zst)?$/;

/**
 * In order of name. `marks`: how much of each is committed; null when nobody knows, then all of it counts. Throws an
 * `ArchiveError` when a file is there twice, open and closed. `dir`: where they are on this disk, if they are. `stored`: those in
 * the crawl's store, asked for what is not in `dir`.
 */
export async function archiveFiles(
  dir: string | null,
  marks: ReadonlyMap<string, number> | null,
  stored: StoredFiles | null,
): Promise<readonly ArchiveFile[]> {
  const files: ArchiveFile[] = [];
  const taken = new Set<string>();
  const take = (name: string, path: string, size: number, store?: ArchiveFile["store"]): void => {
    const bytes = marks === null ? size : Math.min(marks.get(name) ?? 0, size);
    taken.add(name);
    files.push({ path, name, size, bytes, ...(store === undefined ? {} : { store }) });
  };
  for (const entry of dir === null ? [] : await namesIn(dir)) {
    const name = entry.endsWith(OPEN_SUFFIX) ? entry.slice(0, -OPEN_SUFFIX.length) : entry;
    if (!IS_ARCHIVE.test(name)) continue;
    const path = join(dir!, entry);
    if (taken.has(name)) {
      const words = `both ${name} and ${entry} are in ${dir}: one of them is a copy, move it away`;
      throw new ArchiveError("damaged", path, words);
    }
    const { size } = await stat(path).catch(() => stat(join(dir!, name))); // finished and renamed meanwhile
    take(name, path, size);
  }
  const lacking = () =>
    [...(marks ?? [])].filter(([name, bytes]) => IS_ARCHIVE.test(name) && bytes > 0 && !taken.has(name));
  if (stored === null || (marks !== null && lacking().length === 0)) return files;
  const { blobs } = stored;
  for await (const { key, bytes: size } of blobs.list(archiveKey(""))) {
    const name = key.slice(archiveKey("").length);
    if (IS_ARCHIVE.test(name) && !taken.has(name)) take(name, `${blobs.name}/${key}`, size, stored);
  }
  for (const [name, bytes] of lacking()) {
    const inSegments = await stored.lengthInSegments(name);
    const size = inSegments < bytes ? ((await blobs.head(archiveKey(name)))?.bytes ?? inSegments) : inSegments; // gone up since
    if (size > 0) take(name, `${blobs.name}/${archiveKey(name)}`, size, stored);
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function namesIn(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return [];
    throw cause;
  });
  return names.sort();
}

/** The bytes of a file that count, also when it is finished, and so renamed, after its name was read. */
export async function* committedBytes({ path, name, bytes, store }: ArchiveFile): AsyncGenerator<Uint8Array> {
  if (bytes === 0) return;
  if (store !== undefined) return yield* store.bytes(name, { offset: 0, length: bytes });
  const file: FileHandle = await open(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause;
    return open(join(dirname(path), name));
  });
  yield* file.createReadStream({ end: bytes - 1 }); // closes the file, however the reading ends
}
