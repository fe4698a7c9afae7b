/** The links of a crawl: what the metadata records of its archive say of the latest fetch of each page, and redirects. */
import { hashText } from "../../base/hash.ts";
import type { Edge } from "../../export/link-graph.ts";
import type { Locator } from "../../model/capture.ts";
import { pagesIn } from "../../model/end.ts";
import { header } from "../../model/fetch-result.ts";
import type { UrlName } from "../../model/link.ts";
import type { UrlRecord } from "../../model/record.ts";
import { KNOWN, parseUrl } from "../../model/url.ts";
import { urlKey } from "../../policy/url-key.ts";
import type { ReadOnlyState } from "../../ports/read-only.ts";
import { UsageError } from "../usage-error.ts";
import { archivedRecords } from "./archive-records.ts";
import type { ExportJob } from "./job.ts";
import type { Where } from "./where.ts";

/** Each link of a page once, `where` choosing the pages. Throws a `UsageError` when the archive does not tell. */
export async function* linksOf({
  name,
  archive,
  state,
  where,
  onProgress,
}: Pick<ExportJob, "name" | "archive" | "state" | "where" | "onProgress">): AsyncGenerator<Edge> {
  let pages = 0;
  for await (const file of archivedRecords({ archive, state, onProgress })) {
    let main = -1; // where the response stands that the records after it are about
    for await (const record of file.records) {
      if (isMain(record.type)) main = record.offset;
      if (record.type !== "metadata") continue;
      pages++;
      const target = header(record.fields, "warc-target-uri") ?? "";
      const from = await pageOf(target, { file: file.name, offset: main }, state);
      if (from !== null && (where === null || where(from.href, from.visit))) yield* edgesOf(from, record.block, state);
    }
  }
  if (pages === 0 && pagesIn(await state.endCounts()) > 0)
    throw new UsageError("export", `the archive of ${name} does not tell links: it was made with --no-metadata`);
  yield* redirectsOf(state, where);
}

/** Which URLs of the crawl texts are, in their order. Null for what is none. */
export async function idsOf(
  hrefs: readonly string[],
  state: Pick<ReadOnlyState, "idsOf">,
): Promise<readonly (number | null)[]> {
  const names = hrefs.map((href): UrlName | null => {
    const url = parseUrl(href, undefined, KNOWN);
    if (!url.ok) return null;
    const [fpHi, fpLo] = hashText(urlKey(url.value.parts));
    return { host: url.value.host, fpHi, fpLo };
  });
  const ids = (await state.idsOf(names.filter((name) => name !== null))).values();
  return names.map((name) => (name === null ? null : ids.next().value!));
}

export const isMain = (type: string): boolean => type === "response" || type === "revisit" || type === "resource";

/** The page of a record, if that tells of the latest fetch that brought it. */
export async function pageOf(
  href: string,
  place: { readonly file: string; readonly offset: number },
  state: ReadOnlyState,
): Promise<UrlRecord | null> {
  const [id] = await idsOf([href], state);
  const record = id == null ? null : await state.byId(id);
  const latest = record === null ? undefined : await readLast(record, state);
  return latest?.file === place.file && latest.offset === place.offset ? record : null;
}

/** An answer that nothing has changed has no body, hence no links. */
async function readLast({ id, visit }: UrlRecord, state: ReadOnlyState): Promise<Locator | undefined> {
  if (visit?.end !== "not-modified") return visit?.capture?.response;
  return (await state.visitsOf(id)).findLast(({ end }) => end === "fetched")?.capture?.response;
}

async function* edgesOf(from: UrlRecord, block: Buffer, state: ReadOnlyState): AsyncGenerator<Edge> {
  const links = [...outlinksIn(block)];
  const targets = await idsOf(
    links.map(({ toUrl }) => toUrl),
    state,
  );
  for (const [nth, link] of links.entries()) yield { from: from.id, fromUrl: from.href, to: targets[nth]!, ...link };
}

/** `outlink: URL L|E ELEMENT [nofollow]`, a line a link: see crawl/read. */
const OUTLINK = /^outlink: (\S+) ([LE]) (\S+)( nofollow)?\r?$/gm;

/** The links in the block of a metadata record. */
export function* outlinksIn(block: Buffer): Generator<Pick<Edge, "toUrl" | "element" | "embed" | "nofollow">> {
  for (const [, toUrl = "", letter, element = "", nofollow] of block.toString("utf8").matchAll(OUTLINK))
    yield { toUrl, element, embed: letter === "E", nofollow: nofollow !== undefined };
}

async function* redirectsOf(state: ReadOnlyState, where: Where | null): AsyncGenerator<Edge> {
  for await (const { id, href, visit } of state.urls({ endedOnly: true })) {
    const toUrl = visit?.end === "redirected" ? visit.redirectTo : null;
    if (toUrl === null || toUrl === undefined || (where !== null && !where(href, visit))) continue;
    const [to = null] = await idsOf([toUrl], state);
    yield { from: id, fromUrl: href, to, toUrl, element: "redirect", embed: false, nofollow: false };
  }
}
