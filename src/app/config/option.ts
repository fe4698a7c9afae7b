/** One row of the table of options, and the kinds of value that there are. */

/** What a value looks like; how each is read and written is in values.ts. */
export interface Kinds {
  text: string;
  /** A User-Agent field. */
  agent: string;
  /** A whole number. */
  int: number;
  number: number;
  /** Milliseconds; written 500ms, 2s, 5m, 1h, 30d. */
  duration: number;
  /** A moment in milliseconds since 1970; written 2026-11-30, 2026-11-30T12:00:00Z, or 20261130120000 as archives do. */
  time: number;
  /** Bytes; written 4096, 64KiB, 16MiB, 1GB. */
  bytes: number;
  /** One of `choices`. */
  choice: string;
  flag: boolean;
  /** The source of a JavaScript regular expression, kept as text because it travels to threads and into crawl.json. */
  regex: string;
  /** An address range in CIDR notation; a single address stands for itself. */
  cidr: string;
  /** `name: value`, the name in lower case. */
  header: string;
  /** `https://host: name: value`: a header field for one origin, the field's name in lower case. */
  hostHeader: string;
  /** `https://host=user:password`. */
  auth: string;
  /** The URL of a proxy. */
  proxy: string;
  /** `host:port`. */
  endpoint: string;
  /** An address of this machine to listen on: `host:port`, or a port of 127.0.0.1. */
  listen: string;
  /** `example.com=2`: a domain, in lower-case punycode, and a factor. */
  weight: string;
  /** A media type or a pattern: text/*. */
  type: string;
  /** A file, relative to where the option was written. */
  file: string;
  /** `redis://host:port,...`. */
  frontier: string;
  /** Letters, digits and -_. */
  name: string;
  /** `s3://bucket/prefix`, or a directory, relative to where the option was written. */
  store: string;
  /** An http or https URL without a path. */
  origin: string;
  /** A module: a path that starts with `.` or `/`, or the name of an npm package. */
  module: string;
}

export type Kind = keyof Kinds;

export type Group =
  | "What to crawl"
  | "How fast"
  | "How to ask"
  | "Coming back"
  | "What to keep"
  | "Many machines"
  | "Where and how to report"
  | "Options";

export interface Option {
  readonly kind: Kind;
  readonly default: string | number | boolean | null | readonly string[];
  /** What stands in help for a default that depends on the machine or the command. */
  readonly defaultSays?: string;
  readonly group: Group;
  /** One line for help and the docs page. */
  readonly says: string;
  /** The flag, when it is not the key in kebab-case. */
  readonly flag?: string;
  readonly short?: string;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  /** May be given several times; the values make a list. */
  readonly many?: true;
  /** The word that stands for the value in help, when not the kind's own. */
  readonly word?: string;
  /** True: belongs to one run of the command, not to the crawl; not kept in DIR/crawl.json. */
  readonly runOnly?: true;
  /** True: though of one run, crawlers that share a crawl have it alike, and who joins them takes it. */
  readonly ofSharedCrawl?: true;
  /** True: of crawlers that share a crawl each has its own. */
  readonly ownToCrawler?: true;
}

/** How help calls a value of the kind, and how a sentence does. */
export const KIND_WORDS: { readonly [K in Kind]: { readonly word: string; readonly what: string } } = {
  text: { word: "TEXT", what: "a text" },
  agent: { word: "TEXT", what: "a text" },
  int: { word: "N", what: "a whole number" },
  number: { word: "N", what: "a number" },
  duration: { word: "TIME", what: 'a duration; write "2s", or a number of milliseconds' },
  time: { word: "TIME", what: 'a time; write "2026-11-30T12:00:00Z"' },
  bytes: { word: "SIZE", what: 'a size; write "16MiB", or a number of bytes' },
  choice: { word: "WORD", what: "a text" },
  flag: { word: "", what: "true or false" },
  regex: { word: "REGEX", what: "a regular expression" },
  cidr: { word: "CIDR", what: "a text" },
  header: { word: "'NAME: VALUE'", what: "a text" },
  hostHeader: { word: "'HOST: NAME: VALUE'", what: "a text" },
  auth: { word: "HOST=USER:PASS", what: "a text" },
  proxy: { word: "URL", what: "a text" },
  endpoint: { word: "HOST:PORT", what: "a text" },
  listen: { word: "[HOST:]PORT", what: "a text" },
  weight: { word: "DOMAIN=FACTOR", what: "a text" },
  type: { word: "TYPES", what: "a text" },
  file: { word: "FILE", what: "a text" },
  store: { word: "PLACE", what: "a text" },
  frontier: { word: "redis://HOST:PORT,...", what: "a text" },
  name: { word: "NAME", what: "a text" },
  origin: { word: "URL", what: "a text" },
  module: { word: "MODULE", what: "a text" },
};
