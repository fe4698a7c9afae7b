/** Reads HTML and XHTML: links, the base they stand against, and what the page says of itself. */
import { printSimhash, TextHash } from "../dedup/simhash.ts";
import { headers } from "../model/fetch-result.ts";
import type { LinkKind, RawLink } from "../model/link.ts";
import type { MediaHandler, Read, Readable } from "../ports/media-handler.ts";
import { decodeText } from "./character-references.ts";
import { asBuffer, decode, isUtf8, markupIsPlain } from "./charset.ts";
import { cssUrls } from "./css.ts";
import { parseLinkHeader } from "./link-header.ts";
import { hasRelation, linkKind } from "./link-kinds.ts";
import { parseRefresh } from "./meta-refresh.ts";
import { SeenText, type TextSink } from "./seen-text.ts";
import { srcsetUrls } from "./srcset.ts";
import { isJsonLd, StructuredData } from "./structured-data.ts";
import * as tag from "./tags.ts";
import { visibleText } from "./visible-text.ts";

/** Facts about a page are cut to so many characters. */
const MAX_FACT_LENGTH = 1000;

const textHash = new TextHash();

/**
 * A handler that also heeds `<meta name=TOKEN>` for the crawler's own product token.
 *
 * Page links: a, area, iframe, frame, meta refresh, and the `<link>`s of link-kinds.ts. Embeds: everything else that a
 * browser would load. Forms are not followed. `data-*` attributes, scripts' text and templates are not read.
 */
export function htmlHandler(agentToken = ""): MediaHandler {
  const token = agentToken.toLowerCase();
  return {
    name: "html",
    accepts: ["text/html", "application/xhtml+xml"],
    read: (document) => new Reading(document, token).read(),
  };
}

export const html: MediaHandler = htmlHandler();

class Reading {
  readonly #document: Readable;
  readonly #agentToken: string;
  readonly #tags: tag.TagReader;
  readonly #links: RawLink[] = [];
  readonly #robots: string[] = [];
  readonly #data = new StructuredData();
  #base: string | undefined;
  #title: string | undefined;
  #language: string | undefined;
  /** What `<meta http-equiv=content-language>` says: the language where `<html>` names none (HTML, 4.2.5.3). */
  #pragmaLanguage: string | undefined;
  #description: string | undefined;
  #canonical: string | undefined;

  constructor(document: Readable, agentToken: string) {
    this.#document = document;
    this.#agentToken = agentToken;
    textHash.clear(); // of what was left when a reading broke off
    if (document.wantsText === true) textHash.about(document.href);
    this.#tags = openTags(document, document.wantsText === true ? textHash.words : null);
  }

  read(): Read {
    const tags = this.#tags;
    for (let name = tags.next(); name !== ""; name = tags.next()) {
      if (tags.foreign) this.#readForeign(name);
      else this.#readTag(name);
    }
    this.#readHeaders();
    const language = this.#language || this.#pragmaLanguage;
    return {
      ...this.#data.found(),
      ...(this.#document.wantsText === true && this.#compared()),
      links: this.#links,
      robots: this.#robots,
      ...(this.#base !== undefined && { base: this.#base }),
      ...(this.#title !== undefined && { title: this.#title }),
      ...(language !== undefined && { language }),
      ...(this.#description !== undefined && { description: this.#description }),
      ...(this.#canonical !== undefined && { canonical: this.#canonical }),
    };
  }

  /** By what it is compared: the hash of what the tag reader has shown, which must have come to the end, or a short text itself. */
  #compared(): Pick<Read, "simhash" | "wording" | "visibleText"> {
    const hash = textHash.finish();
    if (hash !== null) return { simhash: printSimhash(hash), wording: printSimhash(textHash.wording) };
    const { body, mediaType } = this.#document;
    const bytes = isUtf8(body, this.#document.charset()) ? body : Buffer.from(this.#document.text(), "utf8");
    return { simhash: null, visibleText: visibleText(bytes, { xml: mediaType.endsWith("+xml") }) };
  }

  #readTag(name: string): void {
    const tags = this.#tags;
    switch (name) {
      case "a":
      case "area":
        this.#add(name, "page", tags.value(tag.HREF), tags.value(tag.REL));
        break;
      case "link":
        this.#readLink();
        break;
      case "img":
      case "image": // what a browser makes of it is an img
      case "source":
        this.#embed(name, tags.value(tag.SRC));
        this.#addSrcset(tags.value(tag.SRCSET));
        break;
      case "script":
        this.#embed(name, tags.value(tag.SRC));
        if (isJsonLd(tags.value(tag.TYPE) ?? "")) this.#data.jsonLd(tags.content());
        break;
      case "embed":
      case "audio":
      case "track":
        this.#embed(name, tags.value(tag.SRC));
        break;
      case "video":
        this.#embed(name, tags.value(tag.SRC));
        this.#embed(name, tags.value(tag.POSTER));
        break;
      case "object":
        this.#embed(name, tags.value(tag.DATA));
        break;
      case "input":
        if (tags.value(tag.TYPE)?.toLowerCase() === "image") this.#embed(name, tags.value(tag.SRC));
        break;
      case "body":
      case "table":
      case "td":
      case "th":
        this.#embed(name, tags.value(tag.BACKGROUND));
        break;
      case "style":
        for (const url of cssUrls(tags.content())) this.#embed("css", url);
        break;
      case "iframe":
      case "frame": {
        const src = tags.value(tag.SRC);
        if (src !== null && src.trim() !== "" && !/^\s*about:/i.test(src)) this.#add(name, "page", src, null);
        break;
      }
      case "base":
        this.#base ??= tags.value(tag.HREF) ?? undefined;
        break;
      case "meta":
        this.#readMeta();
        break;
      case "html":
        this.#language ??= (tags.value(tag.LANG) ?? tags.value(tag.XML_LANG))?.trim().slice(0, 100);
        break;
      case "title":
        this.#title ??= fact(decodeText(tags.content()));
        break;
    }
  }

  /** SVG: its links may still be in the older xlink namespace. A reference into the page itself loads nothing. */
  #readForeign(name: string): void {
    const tags = this.#tags;
    const href = tags.value(tag.HREF) ?? tags.value(tag.XLINK_HREF);
    if (href === null) return;
    if (name === "a") this.#add(name, "page", href, tags.value(tag.REL));
    else if ((name === "image" || name === "use" || name === "script") && !href.startsWith("#"))
      this.#embed(name, href);
  }

  #readLink(): void {
    const tags = this.#tags;
    const rel = tags.value(tag.REL) ?? "";
    const href = tags.value(tag.HREF);
    if (href !== null && hasRelation(rel, "canonical")) this.#canonical ??= href;
    const kind = linkKind(rel, tags.value(tag.TYPE) ?? "");
    if (kind === null) return;
    if (href !== null && href.trim() !== "") this.#add("link", kind, href, rel);
    this.#addSrcset(tags.value(tag.IMAGESRCSET));
  }

  #readMeta(): void {
    const tags = this.#tags;
    const content = tags.value(tag.CONTENT);
    if (content === null) return;
    const pragma = tags.value(tag.HTTP_EQUIV)?.toLowerCase();
    if (pragma === "refresh") this.#add("meta", "page", parseRefresh(content)?.url ?? null, null);
    else if (pragma === "content-language" && !content.includes(","))
      this.#pragmaLanguage ??= content.trim().split(/\s/, 1)[0]!.slice(0, 100) || undefined;
    const property = tags.value(tag.PROPERTY);
    if (property !== null) this.#data.property(property, content);
    const name = tags.value(tag.NAME)?.trim().toLowerCase();
    if (name === undefined || name === "") return;
    if (property === null) this.#data.property(name, content);
    if (name === "robots" || name === this.#agentToken) this.#robots.push(content);
    else if (name === "description") this.#description ??= fact(content);
  }

  /** What is in the fields stands against the URL of the response, whatever the document's base. */
  #readHeaders(): void {
    const { rawHeaders, href } = this.#document;
    for (const value of headers(rawHeaders, "link")) {
      for (const link of parseLinkHeader(value)) {
        const kind = linkKind(link.rel, link.type);
        const target = URL.parse(link.href, href)?.href;
        if (target === undefined) continue;
        if (hasRelation(link.rel, "canonical")) this.#canonical ??= target;
        if (kind !== null) this.#add("header", kind, target, link.rel);
      }
    }
    for (const value of headers(rawHeaders, "refresh")) {
      const url = parseRefresh(value)?.url;
      if (url != null) this.#add("header", "page", URL.parse(url, href)?.href ?? null, null);
    }
  }

  #add(from: string, kind: LinkKind, href: string | null, rel: string | null): void {
    if (href === null) return;
    this.#links.push(rel === null || rel === "" ? { href, kind, from } : { href, kind, from, rel });
  }

  #embed(from: string, href: string | null): void {
    if (href !== null && href !== "") this.#add(from, "embed", href, null);
  }

  #addSrcset(srcset: string | null): void {
    if (srcset === null) return;
    for (const url of srcsetUrls(srcset)) this.#embed("srcset", url);
  }
}

/**
 * Markup is ASCII. Where the encoding leaves ASCII alone the bytes are walked as they are, and only the pieces that
 * matter are decoded: decoding a whole page costs more than reading it. With `sink`, which takes UTF-8, what is seen goes
 * there.
 */
function openTags(document: Readable, sink: TextSink | null): tag.TagReader {
  const xml = document.mediaType.endsWith("+xml");
  const encoding = document.charset();
  const asItIs = sink === null ? markupIsPlain(encoding) : isUtf8(document.body, encoding);
  if (sink === null && !asItIs) return new tag.TagReader(document.text(), { xml });
  const bytes = asItIs ? document.body : Buffer.from(document.text(), "utf8");
  const text = asBuffer(bytes).toString("latin1");
  const from = asItIs ? encoding : "utf-8";
  const revive = (piece: string): string =>
    /[^\x00-\x7f]/.test(piece) ? decode(Buffer.from(piece, "latin1"), from) : piece;
  return new tag.TagReader(text, { xml, revive, ...(sink !== null && { seen: new SeenText(bytes, text, sink) }) });
}

/** White space folded as a browser shows it, and cut. */
function fact(text: string): string {
  const folded = text
    .slice(0, 4 * MAX_FACT_LENGTH)
    .replace(/[\t\n\f\r ]+/g, " ")
    .trim();
  return folded.length > MAX_FACT_LENGTH ? folded.slice(0, MAX_FACT_LENGTH) : folded;
}
