/**
 * Reads sitemaps (sitemaps.org 0.9): `<urlset>`, `<sitemapindex>`, lists of URLs as text, each of them maybe gzipped.
 * Broken XML gives what can be had. Every entry is a page link, from "sitemap" or, for another sitemap,
 * "sitemapindex"; what the image and video extensions name is embedded.
 */
import type { LinkKind, RawLink } from "../model/link.ts";
import { declaredMediaType } from "../model/media-type.ts";
import type { MediaHandler, Read, Readable } from "../ports/media-handler.ts";
import { asBuffer, decode, encodingOfMark, findEncoding } from "./charset.ts";
import { feedOf } from "./feed.ts";
import { inflateGzip, isGzip } from "./gzip.ts";
import { rootName, XmlReader } from "./xml.ts";

/** The protocol's own limits, for one file. */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024;
export const MAX_SITEMAP_URLS = 50_000;

/**
 * For a URL that is known to be a sitemap (named by robots.txt, by an index or by the user): reads it whatever type it is
 * served with.
 */
export const sitemap: MediaHandler = {
  name: "sitemap",
  accepts: ["application/gzip", "application/x-gzip"],
  read: readSitemap,
};

async function readSitemap(document: Readable): Promise<Read> {
  let { body } = document;
  let cut = body.length > MAX_SITEMAP_BYTES;
  if (cut) body = body.subarray(0, MAX_SITEMAP_BYTES);
  // Once for a ".gz", and once more where the server has compressed that again without saying so.
  for (let layer = 0; layer < 2 && isGzip(body); layer++) {
    const inflated = await inflateGzip(body, MAX_SITEMAP_BYTES);
    body = inflated.bytes;
    cut ||= inflated.cut;
  }
  if (isGzip(body)) return { links: [], error: "sitemap-not-readable" };
  const isXml = looksLikeXml(body);
  // A text sitemap is UTF-8 by the protocol, whatever the default of text/plain.
  const type = isXml ? "application/xml" : "application/octet-stream";
  const text = decode(body, findEncoding(body, type, declaredMediaType(document.rawHeaders)));
  const read = isXml ? readXml(text) : urlList(text);
  return cut && read.error === undefined ? { ...read, error: "sitemap-cut" } : read;
}

function looksLikeXml(body: Uint8Array): boolean {
  const mark = encodingOfMark(body);
  const start =
    mark === null ? asBuffer(body.subarray(0, 1024)).toString("latin1") : decode(body.subarray(0, 1024), mark);
  return /^[\s\0\u00ef\u00bb\u00bf]*</.test(start);
}

/** Reads XML of any kind that names URLs: a sitemap, an index of sitemaps, a feed. Nothing for other roots. */
export function readXml(text: string): Read {
  switch (rootName(text)) {
    case "urlset":
    case "sitemapindex":
      return sitemapOf(text);
    case "rss":
    case "feed":
    case "rdf":
      return feedOf(text);
    default:
      return { links: [] };
  }
}

function sitemapOf(text: string): Read {
  const entries = new Entries();
  const xml = new XmlReader(text);
  /** The element inside `url` or `sitemap` whose text is wanted, and that text. */
  let field = "";
  let content = "";
  let media = ""; // "image" or "video" while inside one
  for (let event = xml.next(); event !== "eof" && !entries.full; event = xml.next()) {
    if (event === "text") {
      if (field !== "") content += xml.text;
    } else if (event === "start") {
      const { name } = xml;
      if (name === "url" || name === "sitemap") {
        if (field === "loc") continue; // <loc><url>...</url></loc> is found in the wild
        entries.open(name === "url" ? "sitemap" : "sitemapindex");
        field = xml.empty ? "" : name;
        content = "";
      } else if (name === "image" || name === "video") media = xml.empty ? "" : name;
      else if (name === "link") {
        if (/^alternate$/i.test(xml.attribute("rel") ?? "")) entries.alternate(xml.attribute("href"));
      } else if (FIELDS.has(name) && !xml.empty) {
        field = name;
        content = "";
      }
    } else if (event === "end") {
      const { name } = xml;
      if (name === field) {
        entries.field(name, content.trim(), media);
        field = "";
      } else if (name === media) media = "";
      else if ((name === "url" || name === "sitemap") && field !== "loc") field = "";
    }
  }
  // Cut inside "</loc>": the URL itself is whole.
  if (xml.broken && field !== "") entries.field(field, content.trim(), media);
  return entries.read();
}

const FIELDS = new Set(["loc", "lastmod", "changefreq", "content_loc", "player_loc", "thumbnail_loc"]);

class Entries {
  readonly #links: RawLink[] = [];
  #from = "sitemap";
  /** The first of the entry's links in the list; those up to its end get what it says of itself. */
  #start = 0;
  #hasUrl = false;
  #says: Pick<RawLink, "lastmod" | "changefreq"> = {};
  #urls = 0;
  full = false;

  open(from: string): void {
    this.#close();
    this.#from = from;
    this.#hasUrl = false;
    this.#says = {};
  }

  /** The pages of the entry change when it says, in whatever order it was written. */
  #close(): void {
    const links = this.#links;
    const isSaid = this.#says.lastmod !== undefined || this.#says.changefreq !== undefined;
    for (let i = this.#start; isSaid && i < links.length; i++)
      if (links[i]!.kind === "page") links[i] = { ...links[i]!, ...this.#says };
    this.#start = links.length;
  }

  /** `name`: of the element; "url" and "sitemap" are those without a `<loc>`, their text is the URL. */
  field(name: string, text: string, media: string): void {
    if (name === "lastmod" || name === "changefreq") {
      if (media === "" && text !== "") this.#says = { ...this.#says, [name]: text };
    } else if (!isUrl(text)) return;
    else if (media !== "" || name.includes("_")) this.#push(text, "embed", media || "video");
    else if (!this.#hasUrl) {
      if (this.#urls >= MAX_SITEMAP_URLS) {
        this.full = true;
        return;
      }
      this.#urls++;
      this.#hasUrl = true;
      this.#push(text, "page", this.#from);
    }
  }

  /** `<xhtml:link rel="alternate">`: the same page in another language. */
  alternate(href: string | null): void {
    if (href !== null && isUrl(href.trim())) this.#push(href.trim(), "page", "sitemap");
  }

  #push(href: string, kind: LinkKind, from: string): void {
    this.#links.push({ href, kind, from });
  }

  read(): Read {
    this.#close();
    return this.full ? { links: this.#links, error: "sitemap-too-many-urls" } : { links: this.#links };
  }
}

/** Absolute, or from the root; a sitemap has no other (and an unknown entity is none). */
const isUrl = (text: string): boolean => /^(?:https?:\/)?\//i.test(text);

/** A URL on each line (sitemaps.org, "Text file"). Lines that are none are left out. */
function urlList(text: string): Read {
  const { links, full } = urlLines(text);
  return full ? { links, error: "sitemap-too-many-urls" } : { links };
}

/** The lines that are URLs; `pure`: there is nothing else; `full`: the limit was reached. */
export function urlLines(text: string): { links: RawLink[]; pure: boolean; full: boolean } {
  const links: RawLink[] = [];
  let pure = true;
  for (let start = 0; start < text.length; ) {
    const end = lineEnd(text, start);
    const line = text.slice(start, end).trim();
    start = end + 1;
    if (line === "") continue;
    if (!/^https?:\/\/\S+$/i.test(line)) pure = false;
    else if (links.length >= MAX_SITEMAP_URLS) return { links, pure, full: true };
    else links.push({ href: line, kind: "page", from: "sitemap" });
  }
  return { links, pure, full: false };
}

const LINE_END = /[\r\n]/g;
function lineEnd(text: string, from: number): number {
  LINE_END.lastIndex = from;
  return LINE_END.exec(text)?.index ?? text.length;
}
