/** A small world to crawl in memory: hosts, addresses, pages, and a log of who asked for what and when. No sockets, no threads. */
import type { Clock, Instant } from "../../src/base/clock.ts";
import { hashBytes } from "../../src/base/hash.ts";
import { silentLog } from "../../src/base/log.ts";
import { err, ok } from "../../src/base/result.ts";
import type { Admit, VisitContext } from "../../src/crawl/context.ts";
import { type CrawlContext, crawl, type LoopEnd } from "../../src/crawl/crawl.ts";
import type { SharedDomains } from "../../src/crawl/domains.ts";
import { Duplicates } from "../../src/crawl/duplicates.ts";
import { Feedback } from "../../src/crawl/feedback.ts";
import { Hints } from "../../src/crawl/hints.ts";
import { Hosts } from "../../src/crawl/hosts.ts";
import { Hrefs } from "../../src/crawl/hrefs.ts";
import { inlineVisitors } from "../../src/crawl/inline.ts";
import { originalsIn } from "../../src/crawl/originals.ts";
import { Progress } from "../../src/crawl/progress.ts";
import type { Recrawl } from "../../src/crawl/recrawl.ts";
import { seed } from "../../src/crawl/seed.ts";
import { SoftNotFound } from "../../src/crawl/soft-404.ts";
import { addressTurns } from "../../src/crawl/turns.ts";
import { RecentLinks } from "../../src/dedup/recent.ts";
import { document } from "../../src/media/document.ts";
import { html } from "../../src/media/html.ts";
import type { ArchiveMark } from "../../src/model/capture.ts";
import type { ChangeEvent } from "../../src/model/event.ts";
import type { FetchRequest, FetchResponse, FetchResult } from "../../src/model/fetch-result.ts";
import type { UrlRecord } from "../../src/model/record.ts";
import { type Href, KNOWN, parseUrl } from "../../src/model/url.ts";
import { ADMISSION_RULES, admit } from "../../src/policy/admission.ts";
import type { BudgetRules, Weights } from "../../src/policy/budget.ts";
import { JUDGE_RULES } from "../../src/policy/judge.ts";
import { POLITENESS } from "../../src/policy/politeness.ts";
import { scopeOf } from "../../src/policy/scope.ts";
import { trapOf, trapText } from "../../src/policy/traps.ts";
import type { Archive, Revisit } from "../../src/ports/archive.ts";
import type { Cookies } from "../../src/ports/cookies.ts";
import type { Backend } from "../../src/ports/frontier.ts";
import type { Inbox } from "../../src/ports/inbox.ts";
import type { MediaHandler } from "../../src/ports/media-handler.ts";
import type { Turns } from "../../src/ports/turns.ts";
import { memoryBackend } from "../../src/store/memory/backend.ts";
import { SimulatedClock } from "./simulated-clock.ts";

/** What a URL answers. `links` become a page with these links. */
export interface Reply {
  readonly status?: number;
  readonly headers?: readonly string[];
  readonly links?: readonly string[];
  readonly text?: string;
  /** How long the answer takes. */
  readonly ms?: number;
  readonly fails?: "connect" | "timeout" | "closed";
}

/** What was sent, and when. */
export interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly at: Instant;
}

/** An exchange as it was archived. */
export interface Kept {
  readonly href: string;
  readonly status: number;
  /** Of the body that came. */
  readonly bytes: number;
  /** Null: the record is a response, with its body. */
  readonly revisit: Revisit | null;
}

export interface Asked {
  readonly href: string;
  readonly host: string;
  readonly address: string;
  readonly startedAt: Instant;
  readonly endedAt: Instant;
}

export interface World {
  /** Every request, in the order of its start. */
  readonly asked: readonly Asked[];
  readonly backend: Backend;
  readonly settled: readonly UrlRecord[];
  readonly changes: readonly ChangeEvent[];
  readonly kept: readonly Kept[];
  readonly synced: () => number;
  readonly end: LoopEnd;
  /** As the crawl counts them. */
  readonly requests: number;
  readonly elapsedMs: number;
  /** The ended URLs with their ends. */
  readonly ends: ReadonlyMap<string, string>;
}

export interface WorldOptions {
  readonly seeds: readonly string[];
  /** By URL, or by a function of it; what is undefined answers 404. */
  readonly web: (href: string, nth: number, cookie?: string, asked?: Request) => Reply | undefined;
  /** That of an earlier world, with its backend, to go on where that one ended. */
  readonly clock?: Clock;
  /** The address of a host name, or null when there is none. */
  readonly addressOf?: (hostname: string) => string | null;
  readonly guard?: (address: string) => string | null;
  readonly delayMs?: number;
  readonly hostConcurrency?: number;
  readonly requestMs?: number;
  /** How long a turn on an address is held at most, in ms: `nth` is 1 for the first of all. Infinity unless told. */
  readonly turnMs?: (nth: number) => number;
  readonly maxPerHost?: number;
  readonly maxPerDomain?: number | null;
  /** Domains are counted with others. */
  readonly domains?: SharedDomains;
  readonly budget?: BudgetRules;
  readonly weights?: Weights;
  readonly wholeEvery?: number;
  readonly concurrency?: number;
  readonly limit?: number | null;
  readonly obeyRobots?: boolean;
  /** Traps are known by URL and by what their pages bring; 0, and no rules for URLs, unless told. */
  readonly patternBudget?: number;
  readonly stop?: AbortSignal;
  readonly cookies?: (clock: Clock) => Cookies;
  readonly backend?: (clock: Clock) => Backend;
  readonly recrawl?: (clock: Clock, backend: Backend) => Recrawl;
  readonly inbox?: (clock: Clock, backend: Backend, admit: Admit) => Inbox;
  readonly bodies?: CrawlContext["bodies"];
  readonly recheck?: CrawlContext["recheck"];
  readonly onAsked?: (asked: FetchRequest) => void;
  /** Pages are HTML, read as in earnest, their texts compared. */
  readonly asHtml?: boolean;
  /** Reads pages in place of the handler for lists of links. */
  readonly read?: MediaHandler["read"];
  /** Reads sitemaps in place of the handler for lists of URLs. */
  readonly sitemap?: MediaHandler;
}

/** Crawls the world to its end on a clock of its own. */
export async function crawlWorld(options: WorldOptions): Promise<World> {
  const clock = options.clock ?? new SimulatedClock();
  const {
    delayMs = 1_000,
    hostConcurrency = 1,
    concurrency = 64,
    limit = null,
    obeyRobots = true,
    maxPerDomain = null,
    budget = { perHost: null, perDomain: null },
    weights = new Map<string, number>(),
    wholeEvery = 10,
  } = options;
  const backend = options.backend?.(clock) ?? memoryBackend({ clock, hostConcurrency });
  const recrawl = options.recrawl?.(clock, backend) ?? null;
  const asked: Asked[] = [];
  const settled: UrlRecord[] = [];
  const changes: ChangeEvent[] = [];
  const kept: Kept[] = [];
  const times = new Map<string, number>();
  let synced = 0;

  const fetcher = {
    async fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchResult> {
      const nth = (times.get(request.href) ?? 0) + 1;
      times.set(request.href, nth);
      options.onAsked?.(request);
      const startedAt = clock.now();
      const sent = { headers: request.headers ?? {}, at: startedAt };
      const reply = options.web(request.href, nth, request.headers?.cookie, sent) ?? { status: 404 };
      const at = asked.push({ ...entryOf(request), startedAt, endedAt: startedAt }) - 1;
      await clock.sleep(reply.ms ?? 20, signal);
      const endedAt = clock.now();
      asked[at] = { ...asked[at]!, endedAt };
      return answer(request, reply, startedAt, endedAt);
    },
    async [Symbol.asyncDispose]() {},
  };
  const seeds = options.seeds
    .map((href) => parseUrl(href, undefined, KNOWN))
    .flatMap((url) => (url.ok ? [url.value] : []));
  const admission = {
    ...ADMISSION_RULES,
    parse: { ...ADMISSION_RULES.parse, schemes: KNOWN.schemes },
    scope: scopeOf(seeds, { scope: "any" }),
    trap: (parts: URL) => {
      const trap = options.patternBudget === undefined ? null : trapOf(parts, clock.now());
      return trap === null ? null : trapText(trap);
    },
    refuse: (hostname: string) => (/^[\d.[]/.test(hostname) ? (options.guard?.(hostname) ?? null) : null),
  };
  const duplicates = await Duplicates.of(backend.contents());
  const findOriginal = originalsIn(backend, duplicates);
  const visit: VisitContext = {
    fetcher,
    archive: memoryArchive(kept, () => synced++),
    originals: { of: async (digest) => findOriginal(digest) },
    reading: {
      [Symbol.asyncDispose]: async () => {},
      identify: () => "text/html",
      choose: () =>
        options.asHtml === true
          ? html
          : {
              name: "links",
              accepts: ["text/html"],
              read:
                options.read ??
                ((document) => ({
                  links: document
                    .text()
                    .split("\n")
                    .filter((href) => href !== "")
                    .map((href) => ({ href, kind: "page" as const, from: "a" })),
                })),
            },
      sitemap: options.sitemap ?? {
        name: "sitemap",
        accepts: [],
        read: (document) => ({
          links: document
            .text()
            .split("\n")
            .filter((href) => href !== "")
            .map((href) => ({ href, kind: "page" as const, from: href.endsWith(".xml") ? "sitemapindex" : "sitemap" })),
        }),
      },
      document: (response, mediaType) =>
        options.asHtml === true
          ? { ...document(response.href, mediaType, response.decoded, false, []), wantsText: true }
          : {
              href: response.href,
              mediaType,
              body: response.decoded,
              truncated: false,
              rawHeaders: response.rawHeaders,
              text: () => Buffer.from(response.decoded).toString("utf8"),
              charset: () => "UTF-8",
            },
    },
    admission: { admit: (href, base, found) => admit(href, base, found, admission), extend() {} },
    sentLately: new RecentLinks(1024),
    rules: {
      agent: "trawlbot",
      assets: false,
      obeyRelNofollow: true,
      obeyPageRobots: true,
      maxLinks: 10_000,
      metadata: true,
      readMs: 60_000,
    },
    clock,
    log: silentLog,
  };
  const hosts = await Hosts.open(backend, "trawlbot", { domains: options.domains ?? "all", weights });
  const politeness = { ...POLITENESS, delayMs, slowdown: 0 };
  await using visitors = inlineVisitors(visit, concurrency);
  const context: CrawlContext = {
    frontier: backend,
    urls: backend,
    captures: backend,
    hrefs: new Hrefs(backend),
    visitors,
    hosts,
    admission: visit.admission,
    changes: null,
    pages: { write: async () => ({ file: "pages", bytes: 0 }) },
    bodies: options.bodies ?? null,
    inbox: options.inbox?.(clock, backend, visit.admission.admit) ?? { look: async () => false },
    recrawl,
    hints: recrawl === null ? null : new Hints({ urls: backend, hosts, recrawl, clock }),
    log: silentLog,
    cookies: options.cookies?.(clock) ?? { header: () => null, keep() {} },
    duplicates,
    feedback: new Feedback(async (id) => (await backend.byId(id))?.host ?? null, {
      patternBudget: options.patternBudget ?? 0,
    }),
    softNotFound: new SoftNotFound(() => 0.5, options.patternBudget !== undefined),
    guard: options.guard ?? (() => null),
    clock,
    random: () => 0.5,
    resolver: {
      async resolve(hostname) {
        const address = options.addressOf === undefined ? "192.0.2.1" : options.addressOf(hostname);
        return address === null ? err({ kind: "none", detail: "ENOTFOUND" }) : ok([address]);
      },
    },
    turns: heldFor(
      options.turnMs ?? (() => Number.POSITIVE_INFINITY),
      addressTurns(clock, { atOnce: hostConcurrency, delayMs }),
      clock,
    ),
    progress: await Progress.open(clock, backend, hosts, { limit, ofRun: false, deadline: null, crawlers: null }),
    rules: {
      obeyRobots,
      hostConcurrency,
      requestMs: options.requestMs ?? 120_000,
      maxPerHost: options.maxPerHost ?? 100_000,
      maxPerDomain,
      budget,
      conditional: { wholeEvery },
    },
    crawlRules: { limit, concurrency },
    settleRules: {
      politeness,
      localPoliteness: { ...politeness, delayMs: 0 },
      budget,
      judge: JUDGE_RULES,
      tries: 4,
      sitemaps: true,
    },
    ...(options.recheck === undefined ? {} : { recheck: options.recheck }),
    onSettled: (records) => void settled.push(...records),
    onChanged: (events) => void changes.push(...events),
    async onSeedMoved() {},
  };
  await seed(options.seeds as Href[], backend, visit.admission.admit);
  const startedAt = clock.now();
  const soft = options.stop ?? new AbortController().signal;
  const end = await crawl(context, { soft, hard: new AbortController().signal });
  const ends = new Map(settled.map((record) => [record.href as string, record.visit?.end ?? ""]));
  return {
    asked,
    backend,
    settled,
    changes,
    kept,
    synced: () => synced,
    end,
    requests: (await context.progress.snapshot()).requests,
    elapsedMs: clock.now() - startedAt,
    ends,
  };
}

/** Turns that others are given after a while, as crawlers that share a crawl have them. */
function heldFor(ms: (nth: number) => number, turns: Turns, clock: Clock): Turns {
  let taken = 0;
  return {
    async take(address, until, signal) {
      const turn = await turns.take(address, until, signal);
      return turn.granted ? { granted: true, until: clock.now() + ms(++taken) } : turn;
    },
    give: (address, readyAt) => turns.give(address, readyAt),
  };
}

function entryOf({ href, address }: FetchRequest): Pick<Asked, "href" | "host" | "address"> {
  return { href, host: new URL(href).origin, address };
}

function answer(request: FetchRequest, reply: Reply, startedAt: Instant, endedAt: Instant): FetchResult {
  const exchange = { href: request.href, address: request.address, startedAt, endedAt, requestHead: "" };
  if (reply.fails !== undefined) return { ...exchange, kind: "failure", cause: reply.fails, detail: reply.fails };
  const body = Buffer.from(reply.text ?? (reply.links ?? []).join("\n"), "utf8");
  const response: FetchResponse = {
    ...exchange,
    kind: "response",
    status: reply.status ?? 200,
    statusText: "",
    httpVersion: "1.1",
    rawHeaders: reply.headers ?? [],
    body,
    decoded: body,
    bodyRead: true,
    truncated: null,
    decodeError: null,
  };
  return response;
}

function memoryArchive(kept: Kept[], onSync: () => void): Archive {
  const digest = (body: Uint8Array): string => `sha1:${hashBytes(body).join(" ")}`;
  let offset = 0;
  return {
    digest,
    append({ href, status, startedAt, body, truncated }, { revisit = null }) {
      kept.push({ href, status, bytes: body.length, revisit });
      return {
        response: { file: "memory.warc.gz", offset: offset++, length: 1 },
        at: startedAt,
        digest: revisit?.original.digest ?? digest(body),
        truncated,
        ...(revisit === null ? {} : { revisitOf: revisit.original.urlId }),
      };
    },
    async sync(): Promise<ArchiveMark[]> {
      onSync();
      return [{ file: "memory.warc.gz", bytes: offset }];
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** The shortest time from the end of one request to the start of the next, by host or by address; negative when they overlap. */
export function smallestGap(asked: readonly Asked[], by: "host" | "address"): number {
  const lastEnd = new Map<string, Instant>();
  let smallest = Number.POSITIVE_INFINITY;
  for (const one of [...asked].sort((a, b) => a.startedAt - b.startedAt)) {
    const before = lastEnd.get(one[by]);
    if (before !== undefined) smallest = Math.min(smallest, one.startedAt - before);
    lastEnd.set(one[by], Math.max(before ?? 0, one.endedAt));
  }
  return smallest;
}
