/** Every format that a crawl can be exported to, and how each is made of its directory. */
import { createReadStream } from "node:fs";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { temporaryFolder } from "../../base/temporary.ts";
import { Bitmap } from "../../dedup/bitmap.ts";
import { rowFormats } from "../../export/formats.ts";
import type { HostNames } from "../../export/parquet.ts";
import { isPage, waczChunks } from "../../export/wacz.ts";
import type { UrlRecord } from "../../model/record.ts";
import { registrableDomain, registryDomain } from "../../policy/url-key.ts";
import { ArchiveError } from "../../warc/error.ts";
import { PACKINGS } from "../../warc/packings.ts";
import { surt } from "../../warc/surt.ts";
import { type ArchiveFile, committedBytes, IS_ARCHIVE } from "../dir/archive-files.ts";
import { writeIndex } from "../dir/index-file.ts";
import { UsageError } from "../usage-error.ts";
import { VERSION } from "../version.ts";
import { chosenRecords } from "./chosen-records.ts";
import { writeWat, writeWet } from "./derived.ts";
import type { ExportFormat, ExportJob } from "./job.ts";
import { linksOf } from "./links.ts";
import { writeMarkdown } from "./markdown-tree.ts";
import { writeSitemap } from "./sitemap-files.ts";

export const EXPORTS: readonly ExportFormat[] = [
  {
    name: "graph",
    suffix: "graph.parquet",
    says: "a table of links: a row for each link of each page",
    ofOneMoment: true,
    chooses: true,
    async write(job) {
      const { edgesParquet } = await import("../../export/link-graph.ts");
      await job.emit(edgesParquet(job.tally.each("link", linksOf(job))));
    },
  },
  {
    name: "graphml",
    suffix: ".graphml",
    says: "who links to whom, for Gephi, yEd, NetworkX",
    ofOneMoment: true,
    chooses: true,
    write: writeGraph,
  },
  ...rowFormats.map(
    ({ name, suffix, says, chunks }): ExportFormat => ({
      name,
      suffix,
      says,
      chooses: true,
      write: (job) => job.emit(chunks(job.tally.each("row", chosenRecords(job)), NAMES)),
    }),
  ),
  {
    name: "markdown",
    suffix: ".md",
    says: "the main content of each page, a file a page in folders as in its URL",
    folder: true,
    chooses: true,
    write: writeMarkdown,
  },
  {
    name: "wet",
    suffix: ".wet.gz",
    says: "the text of pages, a conversion record each, as Common Crawl's WET",
    chooses: true,
    write: writeWet,
  },
  {
    name: "wat",
    suffix: ".wat.gz",
    says: "status, fields and links of answers as JSON, a record each, as Common Crawl's WAT",
    ofOneMoment: true,
    chooses: true,
    write: writeWat,
  },
  {
    name: "sitemap",
    suffix: ".xml",
    says: "a sitemap of what may be indexed; above 50,000 pages parts beside it, and an index",
    chooses: true,
    write: (job) => writeSitemap(job),
  },
  {
    name: "cdxj",
    suffix: ".cdxj",
    says: "an index of the captures, for replay tools",
    chooses: true,
    write: (job) => withIndex(job, (index) => job.emit(createReadStream(index))),
  },
  {
    name: "wacz",
    suffix: ".wacz",
    says: "the whole crawl as one file that ReplayWeb.page opens (WACZ 1.1.1)",
    ofOneMoment: true,
    chooses: false,
    write: writeWacz,
  },
];

const NAMES: HostNames = { surt, registryDomain, privateDomain: registrableDomain };

const CAPTURES_AT_ONCE = 1024;

/** Makes an index of the captures that are meant for as long as it is used. */
async function withIndex(
  { state, where, tally, onProgress }: Pick<ExportJob, "state" | "where" | "tally" | "onProgress">,
  use: (path: string) => Promise<void>,
): Promise<void> {
  await using folder = await temporaryFolder("export");
  const path = join(folder.path, "index.cdxj");
  async function* captures() {
    let nth = 0;
    for await (const visit of state.captures()) {
      if (nth++ % CAPTURES_AT_ONCE === 0) onProgress("captures", nth, null);
      if (where === null || where(visit.href, visit)) yield visit;
    }
  }
  await writeIndex(folder.path, { captures: () => tally.each("capture", captures()) }, path);
  await use(path);
}

/** Of the URLs that are meant, and the links between them. */
async function writeGraph(job: ExportJob): Promise<void> {
  const { graphml } = await import("../../export/link-graph.ts");
  const chosen = job.where === null ? null : new Bitmap(); // a bit a URL
  async function* nodes() {
    for await (const { id, href, visit } of job.tally.each("URL", chosenRecords(job))) {
      chosen?.add(id);
      yield { id, url: href, status: visit?.status ?? null, title: visit?.page?.title ?? null };
    }
  }
  async function* edges() {
    for await (const edge of linksOf(job)) if (edge.to !== null && (chosen === null || chosen.has(edge.to))) yield edge;
  }
  await job.emit(graphml(nodes(), job.tally.each("link", edges())));
}

/** What was committed must be there: a crawl that is packed with a part missing would pass for whole. */
function refuseDamage(files: readonly ArchiveFile[], marks: ReadonlyMap<string, number>): void {
  const there = new Map(files.map(({ name, bytes }) => [name, bytes]));
  for (const [name, bytes] of marks) {
    if (!IS_ARCHIVE.test(name) || (there.get(name) ?? 0) === bytes) continue;
    const words = `archive file ${name} is gone or cut; put back a copy (trawl verify tells what else is damaged)`;
    throw new ArchiveError("damaged", name, words);
  }
}

async function firstPage(state: ExportJob["state"]): Promise<UrlRecord | null> {
  for await (const record of state.urls({ endedOnly: true })) if (isPage(record)) return record;
  return null;
}

/** The index first: in the archive, looked at later, is all that it speaks of, also while the crawl runs. */
function writeWacz(job: ExportJob): Promise<void> {
  return withIndex({ ...job, where: null }, async (index) => {
    const { state, config, now } = job;
    const seed = config?.seeds[0];
    const files = await replayable(job);
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const contents = {
      archives: files.flatMap((file) =>
        file.bytes === 0 ? [] : { ...file, open: () => Readable.from(committedBytes(file), { objectMode: false }) },
      ),
      index: () => createReadStream(index),
      records: () => state.urls({ endedOnly: true }),
      title: seed === undefined ? basename(job.name) : `Crawl of ${seed}`,
      mainPage: await firstPage(state),
      software: `trawl/${VERSION}`,
      created: now,
    };
    await job.emit(waczChunks(contents, (bytes) => job.onProgress("bytes", bytes, total)));
  });
}

/** The files of the archive. Throws when one of them is damaged, or is none that replay tools read. */
async function replayable({ archive, state }: ExportJob): Promise<readonly ArchiveFile[]> {
  const marks = await state.marks();
  const files = await archive.files(marks);
  refuseDamage(files, marks);
  const zstd = files.find(({ name }) => name.endsWith(PACKINGS.zstd.suffix));
  if (zstd === undefined) return files;
  throw new UsageError(
    "export",
    `${zstd.name} is packed with zstd, which replay tools do not read; crawl with --warc-compression gzip for .wacz`,
  );
}
