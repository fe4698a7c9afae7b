/** The one table of options. Types, flags, help, config-file checks and docs/options.md come from it. */
import { availableParallelism } from "node:os";
import { VERSION } from "../version.ts";
import type { Kinds, Option } from "./values.ts";

const SECOND = 1_000;
const MIB = 1_048_576;

/** What is read unless `accept` says otherwise: whatever can hold links or text. */
const READABLE = [
  "text/*",
  "application/xhtml+xml",
  "application/xml",
  "application/*+xml",
  "application/json",
  "application/*+json",
  "application/pdf",
] as const;

export const OPTIONS = {
  input: {
    group: "What to crawl",
    kind: "file",
    default: null,
    short: "i",
    runOnly: true,
    says: "more seeds from a file, one a line, # for comments; - is standard input",
  },
  scope: {
    group: "What to crawl",
    kind: "choice",
    choices: ["page", "prefix", "host", "domain", "any"],
    default: "host",
    says: "how far from the seeds links are followed",
  },
  include: {
    group: "What to crawl",
    kind: "regex",
    many: true,
    default: [],
    says: "of the URLs in scope, crawl only those that match one of these (seeds always)",
  },
  exclude: {
    group: "What to crawl",
    kind: "regex",
    many: true,
    default: [],
    says: "never crawl URLs that match, whatever else says yes (seeds always)",
  },
  depth: {
    group: "What to crawl",
    kind: "int",
    min: 0,
    default: 15,
    says: "most links between a seed and a page",
  },
  limit: {
    group: "What to crawl",
    kind: "int",
    min: 1,
    default: null,
    word: "PAGES",
    says: "stop when so many pages have been fetched",
  },
  timeLimit: {
    group: "What to crawl",
    kind: "duration",
    min: 1,
    default: null,
    says: "stop this run after so long; the same command goes on later",
  },
  maxPerHost: {
    group: "What to crawl",
    kind: "int",
    min: 1,
    default: 100_000,
    word: "REQUESTS",
    says: "most requests to one host; the rest of its URLs stay queued",
  },
  maxPerDomain: {
    group: "What to crawl",
    kind: "int",
    min: 1,
    default: null,
    word: "REQUESTS",
    says: "most requests to one registrable domain (example.com, me.github.io), all its hosts together",
  },
  maxUrlLength: {
    group: "What to crawl",
    kind: "int",
    min: 16,
    max: 65_536,
    default: 2_048,
    word: "CHARS",
    says: "longer URLs are recorded and not fetched",
  },
  sitemaps: {
    group: "What to crawl",
    kind: "flag",
    default: true,
    says: "do not read the sitemaps that robots.txt names",
  },
  assets: {
    group: "What to crawl",
    kind: "flag",
    default: false,
    says: "fetch images, styles, scripts and fonts of pages too, of every type",
  },
  followNofollow: {
    group: "What to crawl",
    kind: "flag",
    default: false,
    says: "follow links marked rel=nofollow (a page's own meta nofollow is always obeyed)",
  },
  delay: {
    group: "How fast",
    kind: "duration",
    min: 0,
    default: SECOND,
    says: "shortest pause between two requests to one host, and to one address; with --host-concurrency N, N requests share it",
  },
  maxDelay: {
    group: "How fast",
    kind: "duration",
    min: 0,
    default: 30 * SECOND,
    says: "longest pause that slowness alone can cause",
  },
  slowdown: {
    group: "How fast",
    kind: "number",
    min: 0,
    max: 100,
    default: 2,
    word: "FACTOR",
    says: "pause at least so many times as long as the host takes to answer",
  },
  concurrency: {
    group: "How fast",
    kind: "int",
    min: 1,
    max: 10_000,
    default: 64,
    says: "most requests open at a time, in all",
  },
  hostConcurrency: {
    group: "How fast",
    kind: "int",
    min: 1,
    max: 1_000,
    default: 1,
    says: "most requests open at a time to one host; raise it only for a site of your own (one at a time all the same where robots.txt has a Crawl-delay)",
  },
  threads: {
    group: "How fast",
    kind: "int",
    min: 1,
    max: 256,
    // The control thread has a core too; each further thread compiles all code anew.
    default: Math.min(Math.max(availableParallelism() - 1, 1), 4),
    defaultSays: "one a core but one, at most 4",
    says: "threads that fetch and read",
  },
  tries: {
    group: "How fast",
    kind: "int",
    min: 1,
    max: 100,
    default: 4,
    says: "most attempts at a URL whose failure may pass, the first one included",
  },
  robots: {
    group: "How to ask",
    kind: "flag",
    default: true,
    says: "do not ask for robots.txt: only for a site of your own",
  },
  userAgent: {
    group: "How to ask",
    kind: "agent",
    min: 1,
    max: 512,
    default: `trawlbot/${VERSION} (+https://github.com/trawl/trawl)`,
    defaultSays: "trawlbot/VERSION (+https://github.com/trawl/trawl)",
    says: "who asks: a name with 'bot' in it, a version, how to reach you",
  },
  headers: {
    group: "How to ask",
    flag: "header",
    kind: "header",
    many: true,
    default: [],
    says: "send this header field with every request",
  },
  hostHeaders: {
    group: "How to ask",
    flag: "host-header",
    kind: "hostHeader",
    many: true,
    default: [],
    runOnly: true,
    says: "send a header field to one host alone (https; write http://HOST for http)",
  },
  auth: {
    group: "How to ask",
    kind: "auth",
    many: true,
    default: [],
    runOnly: true,
    says: "user and password for one host (https; write http://HOST for http)",
  },
  cookies: {
    group: "How to ask",
    kind: "file",
    default: null,
    defaultSays: "no cookies",
    says: "take and send cookies; they are read from this file and saved there",
  },
  proxy: {
    group: "How to ask",
    kind: "proxy",
    default: null,
    defaultSays: "none",
    runOnly: true,
    says: "connect by way of this proxy: http://, https:// or socks5://",
  },
  proxyDns: {
    group: "How to ask",
    kind: "flag",
    default: false,
    runOnly: true,
    says: "let the proxy look names up; addresses are then not checked",
  },
  http2: {
    group: "How to ask",
    kind: "flag",
    default: false,
    says: "speak HTTP/2 with servers that offer it",
  },
  accept: {
    group: "How to ask",
    kind: "type",
    many: true,
    default: READABLE,
    says: "media types whose bodies are read; others are recorded, unread",
  },
  allowNet: {
    group: "How to ask",
    kind: "cidr",
    many: true,
    default: [],
    says: "allow addresses that are refused otherwise (loopback, private, link-local...)",
  },
  dns: {
    group: "How to ask",
    kind: "endpoint",
    many: true,
    default: [],
    defaultSays: "the system's resolvers",
    says: "ask this name server instead of the system's",
  },
  connectTimeout: {
    group: "How to ask",
    kind: "duration",
    min: 1,
    default: 10 * SECOND,
    says: "most time to connect, TLS included",
  },
  firstByteTimeout: {
    group: "How to ask",
    kind: "duration",
    min: 1,
    default: 30 * SECOND,
    says: "most time until the answer begins",
  },
  totalTimeout: {
    group: "How to ask",
    kind: "duration",
    min: 1,
    default: 120 * SECOND,
    says: "most time for a whole exchange; what came until then is kept",
  },
  insecure: {
    group: "How to ask",
    kind: "flag",
    default: false,
    says: "accept certificates that do not verify",
  },
  maxBody: {
    group: "What to keep",
    kind: "bytes",
    min: 1,
    max: 1_024 * MIB,
    default: 16 * MIB,
    says: "longer bodies are cut and marked truncated",
  },
  warcSize: {
    group: "What to keep",
    kind: "bytes",
    min: MIB,
    default: 1_000_000_000,
    says: "begin a new archive file after so many bytes",
  },
  warcCompression: {
    group: "What to keep",
    kind: "choice",
    choices: ["gzip", "zstd"],
    default: "gzip",
    says: "zstd is smaller, but few tools read it: ReplayWeb.page and warcio do not",
  },
  compressLevel: {
    group: "What to keep",
    kind: "int",
    min: 1,
    max: 9,
    default: 1,
    says: "compression level of the archive: 1 is fast, 9 is small",
  },
  nearDuplicates: {
    group: "What to keep",
    kind: "flag",
    default: false,
    says: "also mark pages whose text is nearly that of another: costs about half a millisecond a page",
  },
  handlers: {
    group: "What to keep",
    flag: "handler",
    kind: "module",
    many: true,
    default: [],
    says: "a module with media handlers of your own; asked before the built-in ones",
  },
  dir: {
    group: "Where and how to report",
    kind: "file",
    default: null,
    defaultSays: "crawls/HOST of the first seed",
    runOnly: true,
    word: "DIR",
    says: "where everything is written; the same directory goes on with the same crawl",
  },
  overwrite: {
    group: "Where and how to report",
    kind: "flag",
    default: false,
    runOnly: true,
    says: "begin again: remove the crawl that is in the directory",
  },
  config: {
    group: "Where and how to report",
    kind: "file",
    default: null,
    defaultSays: "trawl.config.ts, .js or .json of the working directory, if there",
    runOnly: true,
    says: "options from a file; flags win over it",
  },
  jsonl: {
    group: "Where and how to report",
    kind: "flag",
    default: false,
    runOnly: true,
    says: "one JSON line on standard output for each URL that was asked for, or that robots.txt denied",
  },
  quiet: {
    group: "Where and how to report",
    kind: "flag",
    default: false,
    short: "q",
    runOnly: true,
    says: "say nothing but errors",
  },
  verbose: {
    group: "Where and how to report",
    kind: "flag",
    default: false,
    short: "v",
    runOnly: true,
    says: "show the log while it is written",
  },
  failOnLimit: {
    group: "Where and how to report",
    kind: "flag",
    default: false,
    runOnly: true,
    says: "exit with code 5 when --limit, --time-limit or a budget stopped the crawl",
  },
} as const satisfies Record<string, Option>;

export type OptionTable = typeof OPTIONS;
export type OptionName = keyof OptionTable;

type Single<O extends Option> = O extends { readonly choices: readonly (infer C)[] } ? C : Kinds[O["kind"]];
type Value<O extends Option> = O extends { readonly many: true }
  ? readonly Single<O>[]
  : O["default"] extends null
    ? Single<O> | null
    : Single<O>;

/** Every option with its value: durations in ms, sizes in bytes, lists always lists. Plain data. */
export type CrawlOptions = { readonly [N in OptionName]: Value<OptionTable[N]> };

/** The options in the table's order. */
export const OPTION_LIST: readonly (readonly [OptionName, Option])[] = Object.entries(OPTIONS) as [
  OptionName,
  Option,
][];
