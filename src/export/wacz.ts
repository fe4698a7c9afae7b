/**
 * WACZ 1.1.1 (https://specs.webrecorder.net/wacz/1.1.1/): a crawl as one file that replay tools open. The archive files
 * go in as they are, stored and not compressed, so that a reader in a browser can fetch any record of them by its range.
 */

import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import type { Instant } from "../base/clock.ts";
import type { Stream } from "../base/streamed.ts";
import type { UrlRecord } from "../model/record.ts";

export interface WaczFile {
  /** Inside archive/. */
  readonly name: string;
  readonly bytes: number;
  open(): Readable;
}

export interface WaczContents {
  readonly archives: readonly WaczFile[];
  /** The CDXJ index of the archives. */
  readonly index: () => Readable;
  /** The crawl's URLs: the pages among them are listed. */
  readonly records: () => Stream<UrlRecord>;
  readonly title: string;
  /** Where a reader begins: a page that was fetched. */
  readonly mainPage: UrlRecord | null;
  /** The program and its version. */
  readonly software: string;
  readonly created: Instant;
}

interface Resource {
  readonly name: string;
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

/** The file in pieces; as much is held as the zip's own streams hold. `onBytes` hears how much has gone in. */
export async function* waczChunks(
  contents: WaczContents,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const mtime = new Date(contents.created);
  const resources: Resource[] = [];
  let taken = 0;
  const output = zip.outputStream as Readable;
  // What fails inside a stream that is opened late is told by that stream alone.
  const fail = (error: Error): void => void output.destroy(error);
  const read = (pieces: Stream<Uint8Array>): Readable => Readable.from(pieces, { objectMode: false }).on("error", fail);
  const add = (
    path: string,
    open: () => Readable,
    { size, compress = false }: { size?: number; compress?: boolean },
  ) => {
    const options = { mtime, compress, ...(size === undefined ? {} : { size }) };
    zip.addReadStreamLazy(path, options, (give) => {
      const count = (bytes: number): void => {
        taken += bytes;
        onBytes(taken);
      };
      give(null, read(digested(open(), path, resources, count)));
    });
  };
  for (const { name, bytes, open } of contents.archives) add(`archive/${name}`, open, { size: bytes });
  add("indexes/index.cdxj", contents.index, {});
  add("pages/pages.jsonl", () => Readable.from(pageLines(contents.records())), { compress: true });
  // Opened when the files before them have gone through, so that their digests are known.
  const packageOf = (): string => dataPackage(contents, resources);
  zip.addReadStreamLazy("datapackage.json", { mtime }, (give) => give(null, read([Buffer.from(packageOf())])));
  zip.addReadStreamLazy("datapackage-digest.json", { mtime }, (give) =>
    give(null, read([Buffer.from(packageDigest(packageOf()))])),
  );
  zip.end();
  zip.on("error", fail);
  try {
    for await (const chunk of output) yield chunk as Uint8Array;
  } finally {
    output.destroy();
  }
}

async function* digested(
  stream: Readable,
  path: string,
  resources: Resource[],
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of stream) {
    const piece = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Uint8Array);
    hash.update(piece);
    bytes += piece.length;
    count(piece.length);
    yield piece;
  }
  resources.push({ name: path.slice(path.lastIndexOf("/") + 1), path, hash: `sha256:${hash.digest("hex")}`, bytes });
}

/** Pages as the specification's section 5.2.2 has them: a header line, then what people would call pages. */
async function* pageLines(records: Stream<UrlRecord>): AsyncGenerator<string> {
  yield `${JSON.stringify({ format: "json-pages-1.0", id: "pages", title: "All pages", hasText: false })}\n`;
  for await (const record of records) {
    if (!isPage(record)) continue;
    const { href, visit, id, source } = record;
    const seed = source === "seed" ? { seed: true } : {};
    const title = visit?.page?.title || href;
    yield `${JSON.stringify({ id: String(id), url: href, ts: timeOf(record), title, ...seed })}\n`;
  }
}

/** HTML that was there. */
export function isPage({ visit }: UrlRecord): boolean {
  if (visit?.capture == null || (visit.status !== 200 && visit.end !== "not-modified")) return false;
  return /^(text\/html|application\/xhtml\+xml)\b/.test(visit.page?.mediaType ?? visit.contentType ?? "");
}

const timeOf = ({ visit, admittedAt }: UrlRecord): string => new Date(visit?.capture?.at ?? admittedAt).toISOString();

function dataPackage({ title, software, created, mainPage }: WaczContents, resources: readonly Resource[]): string {
  const main = mainPage === null ? {} : { mainPageUrl: mainPage.href, mainPageDate: timeOf(mainPage) };
  const facts = {
    profile: "data-package",
    wacz_version: "1.1.1",
    title,
    software,
    created: new Date(created).toISOString(),
    ...main,
    resources,
  };
  return `${JSON.stringify(facts, null, 2)}\n`;
}

function packageDigest(text: string): string {
  const hash = `sha256:${createHash("sha256").update(text).digest("hex")}`;
  return `${JSON.stringify({ path: "datapackage.json", hash }, null, 2)}\n`;
}
