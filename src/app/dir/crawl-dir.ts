/** The directory of a crawl: whether it may be used, the configuration kept in it, and what of it is ours. */
import { constants } from "node:fs";
import { access, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UsageError } from "../usage-error.ts";

/** All that a crawl writes (SPEC 11). `--overwrite` removes these and nothing else. */
const OURS =
  /^(crawl(er)?\.json(\.tmp)?|(state|lock)\.db(-\w+)?|state\.seen(\.tmp)?|archive|indexes|pages|logs|exports|spool)$/;

/** What file systems and desktops put into a directory by themselves. */
const NOBODYS = /^(lost\+found|\.DS_Store|\.directory|Thumbs\.db)$/;

const CONFIG_NAME = "crawl.json";
/** In the working directory of a crawler that shares a crawl with others: which it is. */
export const CRAWLER_NAME = "crawler.json";

/**
 * Whether `dir` is new (or empty), or holds a crawl. Throws a `UsageError` when it is a file, cannot be written, or
 * holds something else. Writes nothing.
 */
export async function inspectDir(dir: string): Promise<"new" | "crawl"> {
  const names = await namesIn(dir);
  if (names === null) {
    await mustBeWritable(await nearestExisting(dirname(dir)), dir);
    return "new";
  }
  await mustBeWritable(dir, dir);
  if (names.includes("state.db")) return "crawl";
  if (names.includes(CRAWLER_NAME))
    throw new UsageError(
      "directory",
      `${dir} belongs to a crawler that shares a crawl with others; give --frontier and --name, or another directory with --dir`,
    );
  // A crawl that was killed in its first moments may have made folders, empty ones, and nothing else. Full ones are
  // somebody's: `logs` and `pages` are common names, and what is ours may be removed.
  const foreign = await foreignIn(dir, names);
  if (foreign !== null && !(names.includes(CONFIG_NAME) && (await isCrawlConfig(dir))))
    throw new UsageError(
      "directory",
      `${dir} holds something that is no crawl ("${foreign}"); name an empty or a new directory with --dir`,
    );
  await mustHoldNoResults(dir, names);
  return names.includes(CONFIG_NAME) ? "crawl" : "new";
}

/** The same for the working directory of a crawler that shares a crawl. */
export async function inspectCrawlerDir(dir: string): Promise<void> {
  const names = await namesIn(dir);
  if (names === null) return mustBeWritable(await nearestExisting(dirname(dir)), dir);
  await mustBeWritable(dir, dir);
  if (names.includes(CRAWLER_NAME)) return;
  const foreign = names.includes("state.db") ? "state.db" : await foreignIn(dir, names);
  if (foreign !== null)
    throw new UsageError(
      "directory",
      `${dir} holds something that is no crawler's ("${foreign}"); name an empty or a new directory with --dir`,
    );
}

/** The name of something in a directory without a state that no crawl has put there; null when there is nothing such. */
async function foreignIn(dir: string, names: readonly string[]): Promise<string | null> {
  for (const name of names) {
    if (NOBODYS.test(name)) continue;
    if (!OURS.test(name)) return name;
    if (!name.includes(".") && (await readdir(join(dir, name)).catch(() => [name])).length > 0) return name;
  }
  return null;
}

/** A crawl makes its state before anything else: results without one are somebody's own, or of a crawl whose state is lost. */
async function mustHoldNoResults(dir: string, names: readonly string[]): Promise<void> {
  for (const name of ["archive", "indexes", "pages", "logs", "exports"]) {
    if (!names.includes(name) || ((await namesIn(join(dir, name))) ?? []).length === 0) continue;
    throw new UsageError(
      "directory",
      `${dir} holds files in ${name}/ and no state.db, so it cannot be gone on with; put state.db back, move ${name}/ away, or name another directory with --dir`,
    );
  }
}

/** Throws a `UsageError` unless a crawl is in `dir`: for commands that look at one. */
export async function mustHoldCrawl(dir: string): Promise<void> {
  const names = await namesIn(dir);
  if (names === null) throw new UsageError("directory", `there is no directory ${dir}; name the directory of a crawl`);
  if (names.includes(CRAWLER_NAME) && !names.includes("state.db"))
    throw new UsageError(
      "directory",
      `${dir} belongs to a crawler that shares a crawl with others; name that crawl with --frontier and --name`,
    );
  if (!names.includes("state.db"))
    throw new UsageError(
      "directory",
      `${dir} holds no crawl (no state.db); name the directory that was given as --dir`,
    );
}

/**
 * Removes a crawl's files from its directory, and nothing else; crawl.json last, which tells that the others are ours.
 * `keep` names what stays. The caller holds the crawl's lock or knows that nobody does.
 */
export async function clearCrawl(dir: string, keep?: string): Promise<void> {
  const ours = ((await namesIn(dir)) ?? []).filter((name) => OURS.test(name) && name !== keep);
  for (const name of [...ours.filter((name) => name !== CONFIG_NAME), CONFIG_NAME])
    await rm(join(dir, name), { recursive: true, force: true });
}

/** The names in a directory, or null when it does not exist. */
async function namesIn(dir: string): Promise<string[] | null> {
  try {
    return await readdir(dir);
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    if (hasCode(cause, "ENOTDIR"))
      throw new UsageError("directory", `${dir} is a file, not a directory; name another with --dir`);
    if (hasCode(cause, "EACCES"))
      throw new UsageError("directory", `${dir} may not be read; change its permissions, or name another with --dir`);
    throw cause;
  }
}

async function nearestExisting(dir: string): Promise<string> {
  const entry = await stat(dir).catch(() => null);
  if (entry?.isDirectory()) return dir;
  if (entry !== null)
    throw new UsageError("directory", `${dir} is a file, so no directory can be made in it; name another with --dir`);
  return dirname(dir) === dir ? dir : nearestExisting(dirname(dir));
}

async function mustBeWritable(existing: string, dir: string): Promise<void> {
  try {
    await access(existing, constants.W_OK | constants.X_OK);
  } catch {
    const what = existing === dir ? `${dir} is` : `${dir} cannot be made, since ${existing} is`;
    throw new UsageError("directory", `${what} not writable; change its permissions, or name another with --dir`);
  }
}

async function isCrawlConfig(dir: string): Promise<boolean> {
  const kept = await readKept(dir).catch(() => null);
  return kept !== null;
}

/** What DIR/crawl.json holds, unchecked but for its mark; null when there is none. */
export async function readKept(dir: string): Promise<Record<string, unknown> | null> {
  const path = join(dir, CONFIG_NAME);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (hasCode(cause, "ENOENT") || hasCode(cause, "ENOTDIR")) return null;
    throw cause;
  }
  try {
    const kept: unknown = JSON.parse(text);
    if (typeof kept === "object" && kept !== null && "trawl" in kept) return { ...kept };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw new UsageError("directory", `${path} was not written by Trawl; name another directory with --dir`);
}

/** What says that the disk is at fault, not the name of the directory. */
const DISK_CODES = ["ENOSPC", "EDQUOT", "EIO"];

/**
 * Makes a directory and those above it, a level at a time: Node's own recursive `mkdir` never returns below /proc. Throws a
 * `UsageError` when it cannot be made, the system's error when the disk is full or broken.
 */
export async function makeDir(dir: string): Promise<void> {
  try {
    await makeIn(dir);
  } catch (cause) {
    if (DISK_CODES.some((code) => hasCode(cause, code)) || !(cause instanceof Error && "code" in cause)) throw cause;
    const sentence = `${dir} cannot be made (${cause.code}); name another directory`;
    throw new UsageError("directory", sentence, { cause });
  }
}

/** Others may be making the same ones: what is there is as good as made. `again`: the one above has been seen to. */
async function makeIn(dir: string, again = false): Promise<void> {
  try {
    await mkdir(dir);
  } catch (cause) {
    if (hasCode(cause, "EEXIST") && (await stat(dir).catch(() => null))?.isDirectory()) return;
    if (again || !hasCode(cause, "ENOENT") || dirname(dir) === dir) throw cause;
    await makeIn(dirname(dir));
    await makeIn(dir, true);
  }
}

/** Writes DIR/crawl.json whole or not at all; makes the directory. Readable by its owner only: header fields may be secret. */
export async function writeKept(dir: string, kept: object): Promise<void> {
  await makeDir(dir);
  const path = join(dir, CONFIG_NAME);
  await writeFile(`${path}.tmp`, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.tmp`, path);
}

const hasCode = (cause: unknown, code: string): boolean =>
  cause instanceof Error && "code" in cause && cause.code === code;
