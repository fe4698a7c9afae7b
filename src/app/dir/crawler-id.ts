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
  /** The crawl's id, which outlives its name: it is found again, or it is another one. */
  readonly crawl: string;
}

/** Letters and digits: it stands in the names of archive files. */
const ID_BYTES = 4;

/** The id of the crawler in `dir`, a new one where there is none. Throws a `UsageError` when it is at another crawl. */
export async function crawlerIn(dir: string, crawl: string): Promise<string> {
  const path = join(dir, CRAWLER_NAME);
  const kept = await read(path);
  if (kept !== null && kept.crawl !== crawl)
    throw new UsageError(
      "directory",
      `${dir} belongs to a crawler of another crawl, or the frontier has lost this one; name another directory with --dir`,
    );
  if (kept !== null) return kept.id;
  const id = randomBytes(ID_BYTES).toString("hex");
  await replaceFile(path, [`${JSON.stringify({ trawl: "crawler", id, crawl } satisfies Kept)}\n`]);
  return id;
}

async function read(path: string): Promise<Kept | null> {
  try {
    const kept = JSON.parse(await readFile(path, "utf8")) as Partial<Kept> | null;
    if (typeof kept?.id === "string" && typeof kept.crawl === "string") return kept as Kept;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw new UsageError("directory", `${path} was not written by Trawl; name another directory with --dir`);
}
