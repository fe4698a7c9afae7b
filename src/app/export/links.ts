/** The links of a crawl: what the metadata records of its archive say of the latest fetch of each page, and redirects. */

import { hashText } from "../../base/hash.ts";
import type { Edge } from "../../export/link-graph.ts";
import type { Locator } from "../../model/capture.ts";
import { pagesIn } from "../../model/end.ts";
import { header } from "../../model/fetch-result.ts";
import type { UrlRecord } from "../../model/record.ts";
import { KNOWN, parseUrl } from "../../model/url.ts";
import { urlKey } from "../../policy/url-key.ts";
import type { ReadOnlyState } from "../../store/embedded/read-only.ts";
import { UsageError } from "../usage-error.ts";
import { archivedRecords } from "./archive-records.ts";
import type { ExportJob } from "./job.ts";
import type { Where } from "./where.ts";

/** Each link of a page once, `where` choosing the pages. Memory holds 16 bytes a URL of the crawl. Throws a `UsageError` when the archive does not tell. */
export async function* linksOf({
  dir,
  state,
  where,
  onProgress,
}: Pick<ExportJob, "dir" | "state" | "where" | "onProgress">): AsyncGenerator<Edge> {
  const idOf = await idsOf(state);
  let pages = 0;
  for await (const file of archivedRecords({ dir, state, onProgress })) {
    let main = -1; // where the response stands that the records after it are about
    for await (const record of file.records) {
      if (isMain(record.type)) main = record.offset;
      if (record.type !== "metadata") continue;
      pages++;
      const from = await pageOf(
        header(record.fields, "warc-target-uri") ?? "",
        { file: file.name, offset: main },
        idOf,
        state,
      );
      if (from !== null && (where === null || where(from.href, from.visit))) yield* edgesOf(from, record.block, idOf);
    }
  }
  if (pages === 0 && pagesIn(await state.endCounts()) > 0)
    throw new UsageError("export", `the archive in ${dir} does not tell links: it was made with --no-metadata`);
  yield* redirectsOf(state, where, idOf);
}

/** Which URL of the crawl a text is, for many questions: 16 bytes a URL are held. Null for what is none. */
export async function idsOf(state: ReadOnlyState): Promise<(href: string) => number | null> {
  const ids = await state.ids();
  return (href) => {
    const url = parseUrl(href, undefined, KNOWN);
    if (!url.ok) return null;
    const [fpHi, fpLo] = hashText(urlKey(url.value.parts));
    return ids(fpHi, fpLo);
  };
}

export const isMain = (type: string): boolean => type === "response" || type === "revisit" || type === "resource";

/** The page of a record, if that tells of the latest fetch that brought it. */
export async function pageOf(
  href: string,
  place: { readonly file: string; readonly offset: number },
  idOf: (href: string) => number | null,
  state: ReadOnlyState,
): Promise<UrlRecord | null> {
  const id = idOf(href);
  const record = id === null ? null : await state.byId(id);
  const latest = record === null ? undefined : await readLast(record, state);
  return latest?.file === place.file && latest.offset === place.offset ? record : null;
}

/** An answer that nothing has changed has no body, hence no links. */
async function readLast({ id, visit }: UrlRecord, state: ReadOnlyState): Promise<Locator | undefined> {
  if (visit?.end !== "not-modified") return visit?.capture?.response;
  return (await state.visitsOf(id)).findLast(({ end }) => end === "fetched")?.capture?.response;
}

function* edgesOf(from: UrlRecord, block: Buffer, idOf: (href: string) => number | null): Generator<Edge> {
  for (const link of outlinksIn(block)) yield { from: from.id, fromUrl: from.href, to: idOf(link.toUrl), ...link };
}

/** `outlink: URL L|E ELEMENT [nofollow]`, a line a link: see crawl/read. */
const OUTLINK = /^outlink: (\S+) ([LE]) (\S+)( nofollow)?\r?$/gm;

/** The links in the block of a metadata record. */
export function* outlinksIn(block: Buffer): Generator<Pick<Edge, "toUrl" | "element" | "embed" | "nofollow">> {
  for (const [, toUrl = "", letter, element = "", nofollow] of block.toString("utf8").matchAll(OUTLINK))
    yield { toUrl, element, embed: letter === "E", nofollow: nofollow !== undefined };
}

async function* redirectsOf(
  state: ReadOnlyState,
  where: Where | null,
  idOf: (href: string) => number | null,
): AsyncGenerator<Edge> {
  for await (const { id, href, visit } of state.urls({ endedOnly: true })) {
    const toUrl = visit?.end === "redirected" ? visit.redirectTo : null;
    if (toUrl === null || toUrl === undefined || (where !== null && !where(href, visit))) continue;
    yield { from: id, fromUrl: href, to: idOf(toUrl), toUrl, element: "redirect", embed: false, nofollow: false };
  }
}
