/** What is done to the archive on start: each file is cut back to its last committed record, and finished. */
import { lstat, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveError, archiveError } from "./error.ts";
import { OPEN_SUFFIX, syncDirectory } from "./growing-file.ts";
import { isArchiveName } from "./packings.ts";

export interface Repair {
  /** The final name. */
  readonly file: string;
  /** Bytes that are left; 0 when the file was removed or set aside. */
  readonly bytes: number;
  /** Bytes that were cut, which nothing committed refers to. */
  readonly cut: number;
}

/** Given to the names of finished archive files that the state does not know: nobody's bytes are removed for that. */
const UNKNOWN_SUFFIX = ".unknown";

/**
 * Cuts every archive file of `dir` back to its committed length, and gives `.open` files their final name. Of files with
 * nothing committed, those still open are removed; finished ones are somebody's, or of a state that was lost: they are
 * set aside under a name ending in `.unknown`. Files elsewhere that are linked to are never cut. `committed` may hold other outputs too; only names of archive files are looked at. Tells which files were
 * changed. Throws an `ArchiveError` with code "damaged", before anything is changed, when a file is gone or shorter
 * than what was committed.
 */
export async function repairArchive(dir: string, committed: ReadonlyMap<string, number>): Promise<readonly Repair[]> {
  const files = await archiveFiles(dir);
  for (const [name, bytes] of committed) {
    if (isArchiveName(name) && bytes > 0) refuseDamage(dir, name, bytes, files.get(name));
  }
  const repairs: Repair[] = [];
  for (const [name, { path, size, isLink }] of files) {
    const bytes = committed.get(name) ?? 0;
    const cut = size - bytes;
    try {
      if (bytes === 0) await (path.endsWith(OPEN_SUFFIX) ? unlink(path) : rename(path, path + UNKNOWN_SUFFIX));
      else if (cut > 0 && !isLink) await cutBack(path, bytes);
      if (bytes > 0 && path.endsWith(OPEN_SUFFIX)) await rename(path, join(dir, name));
      else if ((cut === 0 || isLink) && bytes > 0) continue;
    } catch (cause) {
      throw archiveError(cause, path);
    }
    repairs.push({ file: name, bytes, cut: isLink && bytes > 0 ? 0 : cut });
  }
  if (repairs.length > 0) await syncDirectory(dir);
  return repairs;
}

interface Found {
  readonly path: string;
  readonly size: number;
  /** Of a file that is elsewhere, and somebody's: what it holds beyond what was committed is left in it. */
  readonly isLink: boolean;
}

async function archiveFiles(dir: string): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  const names = await readdir(dir).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return [];
    throw archiveError(cause, dir);
  });
  for (const entry of names.sort()) {
    const name = entry.endsWith(OPEN_SUFFIX) ? entry.slice(0, -OPEN_SUFFIX.length) : entry;
    if (!isArchiveName(name)) continue;
    const path = join(dir, entry);
    if (found.has(name)) {
      const words = `both ${name} and ${entry} are in ${dir}: one of them is a copy, move it away`;
      throw new ArchiveError("damaged", path, words);
    }
    const isLink = (await lstat(path)).isSymbolicLink();
    found.set(name, { path, size: (await stat(path)).size, isLink });
  }
  return found;
}

function refuseDamage(dir: string, name: string, bytes: number, found: Found | undefined): void {
  if (found !== undefined && found.size >= bytes) return;
  const what = found === undefined ? "is gone" : `has ${found.size} bytes of the ${bytes} that were committed`;
  const words = `archive file ${join(dir, name)} ${what}: put back a copy, or start the crawl again with --overwrite`;
  throw new ArchiveError("damaged", found?.path ?? join(dir, name), words);
}

async function cutBack(path: string, bytes: number): Promise<void> {
  const handle = await open(path, "r+");
  try {
    await handle.truncate(bytes);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
