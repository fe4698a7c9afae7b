/**
 * A sitemap as files: one when one can hold all, else parts beside it and an index in its place. Who reads it at any moment
 * finds the old pages or the new ones, and never some of both: a part is named by its content, so that none is ever changed;
 * the index, which alone says what is a part, comes last.
 */
import { createHash, type Hash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join, parse } from "node:path";
import { besidePath } from "../../base/beside.ts";
import type { Stream } from "../../base/streamed.ts";
import { Listing, SITEMAP_LIMITS, type SitemapLimits, sitemapIndex } from "../../export/sitemap.ts";
import { UsageError } from "../usage-error.ts";
import { chosenRecords } from "./chosen-records.ts";
import type { ExportJob } from "./job.ts";

/** The index names its parts at the first page's origin. Throws a `UsageError` when there are parts and no place for them. */
export async function writeSitemap(job: ExportJob, limits: SitemapLimits = SITEMAP_LIMITS): Promise<void> {
  const listing = await Listing.of(chosenRecords(job), () => job.tally.count("page"));
  const { path } = job;
  const origin = listing.next === null ? "" : new URL(listing.next).origin;
  const first = await Array.fromAsync(listing.texts(limits)); // a sitemap is bounded; whether it holds all must be known before one is written
  if (listing.next === null) {
    await job.emit(first);
    if (path !== null) await removeParts(path, []);
    return;
  }
  if (path === null)
    throw new UsageError(
      "export",
      `one sitemap cannot hold more than ${limits.urls} pages; name a file with --to, or choose with --where host=NAME`,
    );
  const parts = await writeParts(job, path, first, listing, limits);
  await job.emit([sitemapIndex(parts.map((part) => `${origin}/${encodeURIComponent(part)}`))]);
  await removeParts(path, parts);
}

/** Their names, in order. None is there before all are written. */
async function writeParts(
  { emit }: Pick<ExportJob, "emit">,
  path: string,
  first: readonly string[],
  listing: Listing,
  limits: SitemapLimits,
): Promise<readonly string[]> {
  const { dir, name, ext } = parse(path);
  const beside = besidePath(path);
  const parts: string[] = [];
  try {
    await mkdir(beside);
    for (let texts: Stream<string> = first; ; texts = listing.texts(limits)) {
      const hash = createHash("sha256");
      const nth = parts.length + 1;
      await emit(hashedBy(hash, texts), join(beside, String(nth)));
      parts.push(`${name}-${nth}-${mark(hash.digest("hex"))}${ext}`);
      if (listing.next === null) break;
    }
    for (const [i, part] of parts.entries()) await rename(join(beside, String(i + 1)), join(dir, part));
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
  return parts;
}

async function* hashedBy(hash: Hash, texts: Stream<string>): AsyncGenerator<string> {
  for await (const text of texts) {
    hash.update(text);
    yield text;
  }
}

const mark = (digest: string): string => digest.slice(0, 16);

/** Parts that no index names any more: of an older export, or of one that was killed. What a part's name does not vouch for is somebody's. */
async function removeParts(path: string, kept: readonly string[]): Promise<void> {
  const { dir, name, ext } = parse(path);
  for (const file of await readdir(dir)) {
    if (!file.startsWith(`${name}-`) || !file.endsWith(ext) || kept.includes(file)) continue;
    const [, said] = /^\d+-([0-9a-f]{16})$/.exec(file.slice(name.length + 1, file.length - ext.length)) ?? [];
    if (said === undefined) continue;
    const bytes = await readFile(join(dir, file)).catch(() => null);
    if (bytes !== null && mark(createHash("sha256").update(bytes).digest("hex")) === said) await rm(join(dir, file));
  }
}
