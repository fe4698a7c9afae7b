/**
 * A sitemap (https://www.sitemaps.org/protocol.html) of what may be indexed: HTML pages that were fetched, do not ask to be
 * left out, and do not name another page as the one to take.
 */
import { isPresent } from "../model/end.ts";
import type { UrlRecord } from "../model/record.ts";
import { xmlText } from "./xml-text.ts";

export interface SitemapLimits {
  readonly urls: number;
  readonly bytes: number;
}

/** The protocol's own. */
export const SITEMAP_LIMITS: SitemapLimits = { urls: 50_000, bytes: 50 * 1024 * 1024 };

const HTML: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);

export function mayBeListed({ href, visit }: UrlRecord): boolean {
  if (visit === null || !isPresent(visit.end) || visit.page === null) return false;
  if (visit.status !== 200 && visit.status !== 304) return false;
  const { mediaType, noindex, canonical } = visit.page;
  return HTML.has(mediaType) && !noindex && (canonical === null || canonical === (href as string));
}

/** Records one after the other, of which each sitemap takes as many as it may hold. */
export class Listing {
  readonly #records: AsyncIterator<UrlRecord>;
  /** The first that no sitemap has taken. */
  #next: UrlRecord | null = null;

  readonly #onListed: () => void;

  private constructor(records: AsyncIterable<UrlRecord>, onListed: () => void) {
    this.#records = records[Symbol.asyncIterator]();
    this.#onListed = onListed;
  }

  /** `onListed`: told of each page that is taken. */
  static async of(records: AsyncIterable<UrlRecord>, onListed: () => void = () => {}): Promise<Listing> {
    const listing = new Listing(records, onListed);
    await listing.#advance();
    return listing;
  }

  /** The URL that the next sitemap begins with; null when all are taken. */
  get next(): string | null {
    return this.#next?.href ?? null;
  }

  /** The next sitemap, whole. */
  async *texts({ urls, bytes }: SitemapLimits = SITEMAP_LIMITS): AsyncGenerator<string> {
    let length = HEAD.length + FOOT.length;
    yield HEAD;
    for (let n = 0; n < urls && this.#next !== null; n++) {
      const text = entryOf(this.#next);
      length += text.length; // ASCII: URLs have no other characters
      if (length > bytes && n > 0) break;
      yield text;
      this.#onListed();
      await this.#advance();
    }
    yield FOOT;
  }

  async #advance(): Promise<void> {
    do {
      const { done, value } = await this.#records.next();
      this.#next = done ? null : value;
    } while (this.#next !== null && !mayBeListed(this.#next));
  }
}

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
`;
const FOOT = "</urlset>\n";

function entryOf({ href, visit }: UrlRecord): string {
  const changed = Date.parse(visit?.lastModified ?? "");
  const lastmod = Number.isNaN(changed) ? "" : `<lastmod>${new Date(changed).toISOString().slice(0, 19)}Z</lastmod>`;
  return `<url><loc>${xmlText(href)}</loc>${lastmod}</url>\n`;
}

/** An index of the sitemaps at these URLs. */
export function sitemapIndex(hrefs: readonly string[]): string {
  const entries = hrefs.map((href) => `<sitemap><loc>${xmlText(href)}</loc></sitemap>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join("")}</sitemapindex>
`;
}
