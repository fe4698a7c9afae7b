/** DIR/crawler.json: which crawler of which crawl works in a directory. It is the same crawler after a restart. */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../base/replace-file.ts";
import { UsageError } from "../usage-error.ts";
import { CRAWLER_NAME } from "./crawl-dir.ts";

interface Kept {
  readonly trawl: "crawler";
  readonly id: string;
  /** The crawl's id, which outlives its name: it is found again, or it is another one. Null until it has joined one. */
  readonly crawl: string | null;
}

/** Letters and digits: it stands in the names of archive files. */
const ID_BYTES = 4;

/** The crawler in `dir`, a new one where there is none: from then on the directory is a crawler's, whatever else goes well. */
export async function crawlerIn(dir: string): Promise<Kept> {
  const kept = await read(join(dir, CRAWLER_NAME));
  return kept ?? keep(dir, { trawl: "crawler", id: randomBytes(ID_BYTES).toString("hex"), crawl: null });
}

/** Throws a `UsageError` when the crawler in `dir` is at another crawl. */
export function mustBeAt(crawl: string, dir: string, crawler: Kept): void {
  if (crawler.crawl === null || crawler.crawl === crawl) return;
  throw new UsageError(
    "directory",
    `${dir} belongs to a crawler of another crawl, or the frontier has lost this one; name another directory with --dir`,
  );
}

/** It is at this crawl from now on, and at no other. */
export async function keepCrawl(crawl: string, dir: string, crawler: Kept): Promise<void> {
  if (crawler.crawl !== crawl) await keep(dir, { ...crawler, crawl });
}

async function keep(dir: string, kept: Kept): Promise<Kept> {
  await replaceFile(join(dir, CRAWLER_NAME), [`${JSON.stringify(kept)}\n`]);
  return kept;
}

async function read(path: string): Promise<Kept | null> {
  try {
    const kept = JSON.parse(await readFile(path, "utf8")) as Partial<Kept> | null;
    if (typeof kept?.id === "string" && (kept.crawl === null || typeof kept.crawl === "string")) return kept as Kept;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw new UsageError("directory", `${path} was not written by Trawl; name another directory with --dir`);
}
