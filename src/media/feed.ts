/**
 * Reads feeds: RSS 0.9 to 2.0 (RDF too) and Atom (RFC 4287). Entries are page links from "feed", the site that the feed
 * is of, and the feed's other pages, from "feed-channel"; enclosures and media are embedded.
 */
import type { LinkKind, RawLink } from "../model/link.ts";
import type { Read } from "../ports/media-handler.ts";
import { XmlReader } from "./xml.ts";

/** As for a sitemap: no honest feed is longer. */
const MAX_LINKS = 50_000;

/** Elements whose text is wanted. */
const FIELDS = new Set(["link", "guid", "id", "title", "pubdate", "date", "updated", "published", "modified"]);
const DATES = new Set(["pubdate", "date", "updated", "modified"]);
/** Relations of an Atom link that name a page for readers. */
const PAGES = new Set(["", "alternate", "next", "previous", "prev", "first", "last", "next-archive", "prev-archive"]);

/** The links of a feed's text, those of an entry with its date as written. */
export function feedOf(text: string): Read {
  const feed = new Feed();
  const xml = new XmlReader(text);
  let field = "";
  let content = "";
  /** Inside Atom's `<source>`, an RSS `<image>` or `<textinput>`, or a content that is markup: links are of another. */
  let aside = "";
  for (let event = xml.next(); event !== "eof" && !feed.full; event = xml.next()) {
    const { name } = xml;
    if (event === "text") {
      if (field !== "") content += xml.text;
    } else if (event === "end") {
      if (name === aside) aside = "";
      else if (aside !== "") continue;
      else if (name === "item" || name === "entry") feed.close();
      else if (name === field) {
        feed.field(name, content.trim());
        field = "";
      }
    } else if (aside !== "") continue;
    else if (ASIDES.has(name)) aside = xml.empty ? "" : name;
    else if (name === "item" || name === "entry") feed.open();
    else if (name === "enclosure" || name === "content" || name === "thumbnail") feed.embed(xml.attribute("url"));
    else if (name === "link" && xml.attribute("href") !== null) {
      feed.atomLink(xml.attribute("href")!, xml.attribute("rel") ?? "");
    } else if (FIELDS.has(name) && !xml.empty) {
      field = name;
      content = "";
      if (name === "guid") feed.guidIsLink = xml.attribute("ispermalink")?.toLowerCase() !== "false";
    }
  }
  feed.close();
  return feed.read();
}

const ASIDES = new Set(["source", "image", "textinput", "author", "summary", "description", "encoded"]);

class Feed {
  guidIsLink = true;
  readonly #links: RawLink[] = [];
  #title: string | undefined;
  #inEntry = false;
  /** The first of the entry's links in the list; those up to its end get its date. */
  #entryStart = 0;
  #hasLink = false;
  #guid = "";
  #date: string | null = null;

  get full(): boolean {
    return this.#links.length >= MAX_LINKS;
  }

  open(): void {
    if (this.#inEntry) this.close();
    this.#inEntry = true;
    this.#entryStart = this.#links.length;
    this.#hasLink = false;
    this.#guid = "";
    this.#date = null;
  }

  close(): void {
    if (!this.#inEntry) return;
    // Without a link the guid stands for it, where it is a URL: some say isPermaLink="false" and mean the link.
    if (!this.#hasLink && /^https?:\/\//i.test(this.#guid)) this.#add(this.#guid, "page");
    this.#inEntry = false;
    if (this.#date === null) return;
    for (let i = this.#entryStart; i < this.#links.length; i++) {
      const link = this.#links[i]!;
      if (link.kind === "page") this.#links[i] = { ...link, lastmod: this.#date };
    }
  }

  field(name: string, text: string): void {
    if (text === "") return;
    if (name === "link") {
      this.#add(text, "page");
      this.#hasLink = true;
    } else if (name === "title") {
      if (!this.#inEntry) this.#title ??= text.slice(0, 1000);
    } else if (!this.#inEntry) return;
    else if (name === "guid") this.#guid = text;
    else if (DATES.has(name) || this.#date === null) {
      if (name !== "id") this.#date = text;
    }
  }

  atomLink(href: string, rel: string): void {
    const relation = rel.trim().toLowerCase();
    if (relation === "enclosure") this.embed(href);
    else if (PAGES.has(relation)) {
      this.#add(href, "page");
      this.#hasLink = true;
    }
  }

  embed(href: string | null): void {
    if (href !== null && href.trim() !== "") this.#add(href, "embed");
  }

  #add(href: string, kind: LinkKind): void {
    const from = this.#inEntry ? "feed" : "feed-channel";
    this.#links.push({ href: href.trim(), kind, from });
  }

  read(): Read {
    return {
      links: this.#links,
      ...(this.#title !== undefined && { title: this.#title }),
      ...(this.full && { error: "feed-too-many-links" }),
    };
  }
}
