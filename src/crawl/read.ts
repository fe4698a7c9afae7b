/** What a body says: facts of the page, and the links in it that the frontier has not been told of lately. */

import { hashesOf, printSimhash } from "../dedup/simhash.ts";
import { type FetchResponse, header, headers } from "../model/fetch-result.ts";
import type { Lease } from "../model/lease.ts";
import type { LinksAgain, NewUrl, RawLink, UrlSource } from "../model/link.ts";
import type { ListedWords } from "../model/listed.ts";
import { isTextType } from "../model/media-type.ts";
import type { PageInfo } from "../model/page.ts";
import { type Href, limitsFrom, parseUrl, withoutFragment } from "../model/url.ts";
import type { Answer } from "../model/visited.ts";
import { type Found, isOfSeed } from "../policy/admission.ts";
import { gistOf } from "../policy/gist.ts";
import { robotsDirectives } from "../policy/robots-directives.ts";
import type { Conversion } from "../ports/archive.ts";
import type { Read } from "../ports/media-handler.ts";
import type { VisitContext } from "./context.ts";
import { Said } from "./said.ts";
import { Told } from "./told.ts";

type ReadContext = Pick<VisitContext, "reading" | "admission" | "rules" | "sentLately" | "clock" | "log">;

/** What there is to say of a body. */
export interface Reading {
  readonly page: PageInfo | null;
  readonly links: readonly NewUrl[];
  /** See `Visited.linksAgain`. */
  readonly linksAgain: LinksAgain | null;
  /** See `Visited.listed`. */
  readonly listed?: ListedWords;
  /** Every link found, for the archive; empty when that is not asked for. See `outlinkOf`. */
  readonly outlinks: readonly string[];
  readonly conversions: readonly Conversion[];
  /** See `Visited.gist`. */
  readonly gist?: string;
}

export const NOTHING_READ: Reading = { page: null, links: [], linksAgain: null, outlinks: [], conversions: [] };

export async function read(
  response: FetchResponse,
  mediaType: string,
  answer: Answer,
  lease: Lease,
  context: ReadContext,
): Promise<Reading> {
  if (answer.location !== null) return { ...NOTHING_READ, links: redirectTarget(answer.location, lease, context) };
  const isPage = response.status >= 200 && response.status < 300 && response.bodyRead && answer.challenge === null;
  if (!isPage) return NOTHING_READ;

  const { rules, reading } = context;
  const handler = lease.url.source === "sitemap" ? reading.sitemap : reading.choose(mediaType);
  const document = reading.document(response, mediaType);
  let found: Read = { links: [] };
  if (handler !== null) {
    try {
      const reading = handler.read(document);
      found = !(reading instanceof Promise)
        ? reading
        : await (handler.ownDeadline === true ? reading : inTime(reading, context));
    } catch (cause) {
      // A handler is somebody's code at the mercy of somebody's bytes: the page is kept, the crawl goes on.
      const error = cause instanceof Error ? cause.message : String(cause);
      context.log.warn({ href: response.href, handler: handler.name, error }, "handler-failed");
      found = { links: [], error };
    }
  }
  const base = baseOf(found, response.href);
  const tags = headers(response.rawHeaders, "x-robots-tag");
  const directives = robotsDirectives(found.robots ?? [], tags, rules.agent);
  const closed = rules.obeyPageRobots && directives.nofollow;
  const hashes = document.wantsText === true ? textHashes(found, response.href) : null;
  const page: PageInfo = {
    mediaType: found.mediaType ?? mediaType,
    charset: handler !== null && isTextType(mediaType) ? document.charset() : null,
    title: cut(found.title),
    language: cut(found.language || contentLanguage(response)),
    description: cut(found.description),
    canonical: resolved(found.canonical, base),
    noindex: directives.noindex,
    nofollow: directives.nofollow,
    handler: handler?.name ?? null,
    width: found.width ?? null,
    height: found.height ?? null,
    openGraph: whole(found.openGraph),
    jsonLd: whole(found.jsonLd),
    linksFound: found.links.length,
    simhash: hashes?.simhash ?? null,
    readError: cut(found.error ?? response.decodeError ?? undefined),
  };
  const read = { page, ...linksOf(found.links, base, closed, lease, context), conversions: found.conversions ?? [] };
  const { visibleText } = found;
  if (hashes !== null) {
    const { wording } = hashes;
    return wording === undefined
      ? read
      : { ...read, gist: wording + gistOf("", response.href, picturesOf(found.links)) };
  }
  const isShort = document.wantsText === true && visibleText !== undefined;
  return isShort ? { ...read, gist: gistOf(visibleText, response.href, picturesOf(found.links)) } : read;
}

function picturesOf(links: readonly RawLink[]): string[] {
  return links.filter(({ from }) => from === "img").map(({ href }) => href);
}

/** No page's title is a book, whatever its handler says: a record stays small. */
const LONGEST_FACT = 2_000;
const cut = (text: string | undefined): string | null => text?.slice(0, LONGEST_FACT) ?? null;

/** Half a JSON text is none: what is too long stands in the archive alone. */
const LONGEST_DATA = 16_384;
const whole = (text: string | undefined): string | null =>
  text === undefined || text.length > LONGEST_DATA ? null : text;

/** The field that names the one language of what it comes with; of several none can be said to be that of the text (HTML, 3.2.6.2). */
function contentLanguage({ rawHeaders }: FetchResponse): string | undefined {
  const field = header(rawHeaders, "content-language")?.trim();
  return field === undefined || field === "" || field.includes(",") ? undefined : field;
}

/** What a handler promises has a deadline like everything else; one that blocks the thread cannot be helped from inside it. */
async function inTime(reading: Promise<Read>, { clock, rules }: Pick<ReadContext, "clock" | "rules">): Promise<Read> {
  const read = new AbortController();
  const late = clock.sleep(rules.readMs, read.signal).then(() => null);
  try {
    const found = await Promise.race([reading, late]);
    if (found === null) throw new Error(`the handler did not end within ${rules.readMs} ms`);
    return found;
  } finally {
    read.abort("read");
  }
}

/** `closed`: the page asks that its links be left alone. */
function linksOf(
  found: readonly RawLink[],
  base: Href,
  closed: boolean,
  lease: Lease,
  context: ReadContext,
): Pick<Reading, "links" | "linksAgain" | "listed" | "outlinks"> {
  const { rules, sentLately, admission, clock } = context;
  const told = new Told(lease.url, sentLately);
  const said = new Said(lease.url.host);
  const outlinks = new Set<string>();
  const at = { via: lease.url.id, depth: lease.url.depth + 1, hops: 0, ofSeed: false };
  // Contents and indexes name one page under hundreds of fragments: to parse it once is enough.
  const met = { page: new Set<string>(), embed: new Set<string>() };
  const passed = { page: new Set<string>(), embed: new Set<string>() };
  let looked = 0;
  for (const link of found) {
    const nofollow = link.rel !== undefined && /(^|\s)nofollow(\s|$)/i.test(link.rel);
    const wanted = !closed && (rules.assets || link.kind === "page") && !(rules.obeyRelNofollow && nofollow);
    if (!wanted && !rules.metadata) continue;
    const written = withoutFragment(link.href);
    const before = (wanted ? met : passed)[link.kind];
    const what = wanted || !nofollow ? written : `${written} nofollow`;
    if (before.has(what)) continue;
    before.add(what);
    if (++looked > rules.maxLinks) break;
    const url = wanted ? admission.admit(link.href, base, { ...at, source: sourceOf(link) }) : null;
    if (url !== null) {
      told.tell(url);
      said.note(url, link);
    }
    if (!rules.metadata) continue;
    const href = wanted ? (url?.href ?? null) : resolved(link.href, base);
    if (href !== null) outlinks.add(outlinkOf(href, link, nofollow));
  }
  const links = { links: told.links, linksAgain: told.again(), outlinks: [...outlinks] };
  const listed = said.packed(clock.now());
  return listed === null ? links : { ...links, listed };
}

/** As Heritrix writes it: the URL, L for a link and E for what is embedded, where it stood; and "nofollow" if it says so. */
function outlinkOf(href: Href, { kind, from }: RawLink, nofollow: boolean): string {
  return `${href} ${kind === "page" ? "L" : "E"} ${from}${nofollow ? " nofollow" : ""}`;
}

function sourceOf({ kind, from }: RawLink): UrlSource {
  if (kind === "embed") return "embed";
  if (from === "sitemapindex") return "sitemap";
  return from === "sitemap" ? "listed" : "link";
}

/** The target of a redirect is a URL like any other: it passes robots, guard and clocks of its own. */
function redirectTarget(location: Href, lease: Lease, context: ReadContext): NewUrl[] {
  const { url } = lease;
  const found: Found = { via: url.id, depth: url.depth, hops: url.hops + 1, source: "redirect", ofSeed: isOfSeed(url) };
  const target = context.admission.admit(location, url.href, found);
  return target === null ? [] : [target];
}

function baseOf(found: Read, href: Href): Href {
  return resolved(found.base, href) ?? href;
}

function resolved(text: string | undefined, base: Href): Href | null {
  if (text === undefined) return null;
  const parsed = parseUrl(text, base, limitsFrom(base));
  return parsed.ok ? parsed.value.href : null;
}

/** By what a text is compared; null where there is none, or it is too short. */
export function textHashes(
  { simhash: made, wording, visibleText }: Read,
  href: Href,
): Pick<Read, "simhash" | "wording"> | null {
  if (made !== undefined) return made === null ? null : { simhash: made, ...(wording !== undefined && { wording }) };
  const hashes = visibleText === undefined ? null : hashesOf(visibleText, href);
  return hashes === null ? null : { simhash: printSimhash(hashes.simhash), wording: printSimhash(hashes.wording) };
}
