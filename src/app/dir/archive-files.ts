/** The archive files of a crawl as far as they are committed: what stands behind that is not part of the crawl. */
import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Blobs } from "../../ports/blobs.ts";
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
  /** Where it is, when it is not on this disk; `path` is then for people. */
  readonly store?: { readonly blobs: Blobs; readonly key: string };
}

export const IS_ARCHIVE = /\.warc(\.gz|\.zst)?$/;

/**
 * In order of name. `marks`: how much of each is committed; null when nobody knows, then all of it counts. Throws an
 * `ArchiveError` when a file is there twice, open and closed. `blobs`: the crawl's store, asked for what is not in `dir`.
 */
export async function archiveFiles(
  dir: string,
  marks: ReadonlyMap<string, number> | null,
  blobs: Blobs | null,
): Promise<readonly ArchiveFile[]> {
  const files: ArchiveFile[] = [];
  const names = await readdir(dir).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return [];
    throw cause;
  });
  for (const entry of names.sort()) {
    const name = entry.endsWith(OPEN_SUFFIX) ? entry.slice(0, -OPEN_SUFFIX.length) : entry;
    if (!IS_ARCHIVE.test(name)) continue;
    const path = join(dir, entry);
    if (files.some((file) => file.name === name)) {
      const words = `both ${name} and ${entry} are in ${dir}: one of them is a copy, move it away`;
      throw new ArchiveError("damaged", path, words);
    }
    const { size } = await stat(path).catch(() => stat(join(dir, name))); // finished and renamed meanwhile
    files.push({ path, name, size, bytes: marks === null ? size : Math.min(marks.get(name) ?? 0, size) });
  }
  const isLacking = (name: string): boolean => IS_ARCHIVE.test(name) && !files.some((file) => file.name === name);
  if (blobs === null || (marks !== null && ![...marks.keys()].some(isLacking))) return files;
  for await (const { key, bytes: size } of blobs.list("archive/")) {
    const name = key.slice("archive/".length);
    if (!isLacking(name)) continue;
    const bytes = marks === null ? size : Math.min(marks.get(name) ?? 0, size);
    files.push({ path: `${blobs.name}/${key}`, name, size, bytes, store: { blobs, key } });
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The bytes of a file that count, also when it is finished, and so renamed, after its name was read. */
export async function* committedBytes({ path, name, bytes, store }: ArchiveFile): AsyncGenerator<Uint8Array> {
  if (bytes === 0) return;
  if (store !== undefined) return yield* store.blobs.get(store.key, { offset: 0, length: bytes });
  const file: FileHandle = await open(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause;
    return open(join(dirname(path), name));
  });
  yield* file.createReadStream({ end: bytes - 1 }); // closes the file, however the reading ends
}
