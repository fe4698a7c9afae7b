/** Every format that a crawl can be exported to, and how each is made of its directory. */
import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, parse } from "node:path";
import { Readable } from "node:stream";
import { replaceFile } from "../../base/replace-file.ts";
import { rowFormats } from "../../export/formats.ts";
import type { HostNames } from "../../export/parquet.ts";
import { Listing, SITEMAP_LIMITS, type SitemapLimits, sitemapIndex } from "../../export/sitemap.ts";
import { isPage, waczChunks } from "../../export/wacz.ts";
import type { UrlRecord } from "../../model/record.ts";
import { registrableDomain, registryDomain } from "../../policy/url-key.ts";
import { ArchiveError } from "../../warc/error.ts";
import { PACKINGS } from "../../warc/packings.ts";
import { surt } from "../../warc/surt.ts";
import { type ArchiveFile, archiveFiles, committedBytes, IS_ARCHIVE } from "../dir/archive-files.ts";
import { writeIndex } from "../dir/index-file.ts";
import { storeOf } from "../dir/store.ts";
import { UsageError } from "../usage-error.ts";
import { VERSION } from "../version.ts";
import { writeWat, writeWet } from "./derived.ts";
import type { ExportFormat, ExportJob } from "./job.ts";
import { linksOf } from "./links.ts";
import { writeMarkdown } from "./markdown-tree.ts";

export const EXPORTS: readonly ExportFormat[] = [
  {
    name: "graph",
    suffix: "graph.parquet",
    says: "a table of links: a row for each link of each page",
    unit: "bytes",
    chooses: true,
    async write(job) {
      const { edgesParquet } = await import("../../export/link-graph.ts");
      await job.emit(edgesParquet(linksOf(job)));
    },
  },
  {
    name: "graphml",
    suffix: ".graphml",
    says: "who links to whom, for Gephi, yEd, NetworkX",
    unit: "bytes",
    chooses: true,
    write: writeGraph,
  },
  ...rowFormats.map(
    ({ name, suffix, says, chunks }): ExportFormat => ({
      name,
      suffix,
      says,
      unit: "URLs",
      chooses: true,
      write: (job) => job.emit(chunks(recordsOf(job), NAMES)),
    }),
  ),
  {
    name: "markdown",
    suffix: ".md",
    says: "the main content of each page, a file a page in folders as in its URL",
    unit: "URLs",
    folder: true,
    chooses: true,
    write: writeMarkdown,
  },
  {
    name: "wet",
    suffix: ".wet.gz",
    says: "the text of pages, a conversion record each, as Common Crawl's WET",
    unit: "URLs",
    chooses: true,
    write: writeWet,
  },
  {
    name: "wat",
    suffix: ".wat.gz",
    says: "status, fields and links of answers as JSON, a metadata record each, as Common Crawl's WAT",
    unit: "bytes",
    chooses: false,
    write: writeWat,
  },
  {
    name: "sitemap",
    suffix: ".xml",
    says: "a sitemap of what may be indexed; more than 50,000 pages: several, and an index",
    unit: "URLs",
    chooses: true,
    write: (job) => writeSitemap(job),
  },
  {
    name: "cdxj",
    suffix: ".cdxj",
    says: "an index of the captures, for replay tools",
    unit: "URLs",
    chooses: true,
    write: (job) => withIndex(job, (index) => job.emit(createReadStream(index))),
  },
  {
    name: "wacz",
    suffix: ".wacz",
    says: "the whole crawl as one file that ReplayWeb.page opens (WACZ 1.1.1)",
    unit: "bytes",
    chooses: false,
    write: writeWacz,
  },
];

const NAMES: HostNames = { surt, registryDomain, privateDomain: registrableDomain };

/** The records that are meant, counted as they go. */
function* recordsOf({ state, where, onProgress }: ExportJob): Generator<UrlRecord> {
  let seen = 0;
  for (const record of state.urls()) {
    if ((++seen & 1023) === 0) onProgress(seen, null);
    if (where === null || where(record.href, record.visit)) yield record;
  }
}

/** Makes an index of the captures that are meant for as long as it is used. */
async function withIndex(
  { state, where }: Pick<ExportJob, "state" | "where">,
  use: (path: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "trawl-export-"));
  try {
    const path = join(folder, "index.cdxj");
    const captures = () =>
      Iterator.from(state.captures()).filter((visit) => where === null || where(visit.href, visit));
    await writeIndex(folder, { captures }, path);
    await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of the URLs that are meant, and the links between them. */
async function writeGraph(job: ExportJob): Promise<void> {
  const { graphml } = await import("../../export/link-graph.ts");
  const chosen = new Set<number>();
  function* nodes() {
    for (const { id, href, visit } of job.state.urls()) {
      if (job.where !== null && !job.where(href, visit)) continue;
      chosen.add(id);
      yield { id, url: href, status: visit?.status ?? null, title: visit?.page?.title ?? null };
    }
  }
  async function* edges() {
    for await (const edge of linksOf(job)) if (edge.to !== null && chosen.has(edge.to)) yield edge;
  }
  await job.emit(graphml(nodes(), edges()));
}

/** One file when one can hold all; else parts beside it, and an index in its place that names them at the first page's origin. */
export async function writeSitemap(job: ExportJob, limits: SitemapLimits = SITEMAP_LIMITS): Promise<void> {
  const listing = new Listing(recordsOf(job));
  const { path } = job;
  const origin = listing.next === null ? "" : new URL(listing.next).origin;
  const first = [...listing.texts(limits)]; // a sitemap is bounded; whether it holds all must be known before one is written
  if (listing.next === null) return job.emit(first);
  if (path === null)
    throw new UsageError(
      "export",
      `one sitemap cannot hold more than ${limits.urls} pages; name a file with --to, or choose with --where host=NAME`,
    );
  const { dir, name, ext } = parse(path);
  const parts: string[] = [];
  for (let texts: Iterable<string> = first; ; texts = listing.texts(limits)) {
    const part = `${name}-${parts.length + 1}${ext}`;
    await replaceFile(join(dir, part), texts);
    parts.push(part);
    if (listing.next === null) break;
  }
  await replaceFile(path, [sitemapIndex(parts.map((part) => `${origin}/${encodeURIComponent(part)}`))]);
}

/** What was committed must be there: a crawl that is packed with a part missing would pass for whole. */
function refuseDamage(archive: string, files: readonly ArchiveFile[], marks: ReadonlyMap<string, number>): void {
  const there = new Map(files.map(({ name, bytes }) => [name, bytes]));
  for (const [name, bytes] of marks) {
    if (!IS_ARCHIVE.test(name) || (there.get(name) ?? 0) === bytes) continue;
    const path = join(archive, name);
    const words = `archive file ${path} is gone or cut; put back a copy (trawl verify tells what else is damaged)`;
    throw new ArchiveError("damaged", path, words);
  }
}

async function writeWacz(job: ExportJob): Promise<void> {
  const { dir, state, seeds, now } = job;
  const archive = join(dir, "archive");
  const marks = state.marks();
  await using store = await storeOf(dir);
  const files = await archiveFiles(archive, marks, store);
  refuseDamage(archive, files, marks);
  const zstd = files.find(({ name }) => name.endsWith(PACKINGS.zstd.suffix));
  if (zstd !== undefined)
    throw new UsageError(
      "export",
      `${zstd.name} is packed with zstd, which replay tools do not read; crawl with --warc-compression gzip for .wacz`,
    );
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  await withIndex({ state, where: null }, (index) =>
    job.emit(
      waczChunks(
        {
          archives: files.flatMap((file) =>
            file.bytes === 0 ? [] : { ...file, open: () => Readable.from(committedBytes(file), { objectMode: false }) },
          ),
          index: () => createReadStream(index),
          records: () => state.urls({ endedOnly: true }),
          title: seeds[0] === undefined ? basename(dir) : `Crawl of ${seeds[0]}`,
          mainPage: Iterator.from(state.urls({ endedOnly: true })).find(isPage) ?? null,
          software: `trawl/${VERSION}`,
          created: now,
        },
        (bytes) => job.onProgress(bytes, total),
      ),
    ),
  );
}
