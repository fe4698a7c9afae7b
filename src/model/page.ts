/** What reading found in a body. Small: it crosses threads and is stored; the body itself stays in the archive. */

export interface PageInfo {
  /** The media type after sniffing, without parameters. */
  readonly mediaType: string;
  /** The WHATWG name of the encoding, for text. */
  readonly charset: string | null;
  readonly title: string | null;
  readonly language: string | null;
  readonly description: string | null;
  /** Absolute, or null. */
  readonly canonical: string | null;
  readonly noindex: boolean;
  readonly nofollow: boolean;
  /** Which handler read it; null when none accepts the type. */
  readonly handler: string | null;
  /** Of an image, in pixels as shown; else null. */
  readonly width: number | null;
  readonly height: number | null;
  /** Open Graph and Twitter card properties, as written: a JSON object of lists of texts, by property. */
  readonly openGraph: string | null;
  /** The JSON-LD blocks, as written: a JSON list; a block that is no JSON stands in it as a text. */
  readonly jsonLd: string | null;
  /** Links found, before any filter. */
  readonly linksFound: number;
  /** Of the visible text, 16 hexadecimal digits (dedup/simhash); null when there is none, or too little of it. */
  readonly simhash: string | null;
  /** Why the body was not decoded, or not read, to its end, if it was not. */
  readonly readError: string | null;
}
