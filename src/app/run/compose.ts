/** The only file that knows every concrete part: puts a visit thread and a control thread together from a configuration. */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type Instant, systemClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Committed } from "../../crawl/committed.ts";
import type { Reading, VisitContext } from "../../crawl/context.ts";
import type { CrawlContext, Sink } from "../../crawl/crawl.ts";
import { byImportance } from "../../crawl/due-times.ts";
import { Duplicates } from "../../crawl/duplicates.ts";
import { Feedback } from "../../crawl/feedback.ts";
import { Hints } from "../../crawl/hints.ts";
import { Hosts, type HostsOptions } from "../../crawl/hosts.ts";
import { Hrefs } from "../../crawl/hrefs.ts";
import { type FindOriginal, type Originals, originalsIn } from "../../crawl/originals.ts";
import { Progress } from "../../crawl/progress.ts";
import { dropToday } from "../../crawl/reconsider.ts";
import { Recrawl } from "../../crawl/recrawl.ts";
import { SoftNotFound } from "../../crawl/soft-404.ts";
import { ThreadVisitors } from "../../crawl/threads.ts";
import { RecentLinks } from "../../dedup/recent.ts";
import { knowsIds } from "../../dedup/seen-kinds.ts";
import { Apart } from "../../media/apart.ts";
import { builtinHandlers, chooseHandler } from "../../media/builtin.ts";
import { document } from "../../media/document.ts";
import { sitemap } from "../../media/sitemap.ts";
import type { ChangeEvent } from "../../model/event.ts";
import type { LeasedUrl } from "../../model/lease.ts";
import type { UrlRecord } from "../../model/record.ts";
import type { Href } from "../../model/url.ts";
import { fetcherByScheme } from "../../net/by-scheme.ts";
import { httpFetcher } from "../../net/fetcher.ts";
import { fileProtocol } from "../../net/file.ts";
import { basicAuthorization } from "../../net/proxy.ts";
import { type DnsCounts, dnsResolver, namesAsTheyAre } from "../../net/resolver.ts";
import { isOfSeed } from "../../policy/admission.ts";
import { untilNext } from "../../policy/budget.ts";
import { JUDGE_RULES } from "../../policy/judge.ts";
import { sniff, sniffAnswer } from "../../policy/media-type.ts";
import type { Archive } from "../../ports/archive.ts";
import type { Cookies } from "../../ports/cookies.ts";
import { openArchive } from "../../warc/archive.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import {
  admissionOf,
  budgetOf,
  guardOf,
  localPolitenessOf,
  openedDirectories,
  politenessOf,
  proxyOf,
  recrawlRulesOf,
  rememberSeedMoved,
  seedsMoved,
  weightsOf,
} from "../config/rules.ts";
import { productToken } from "../config/user-agent.ts";
import { openStore } from "../dir/store.ts";
import { VERSION } from "../version.ts";
import { faultOf } from "./fault.ts";
import type { Revisits } from "./outcome.ts";
import { loadHandlers } from "./plugins.ts";
import { storedArchive } from "./stored-archive.ts";
import type { Shared, Workplace } from "./workplace.ts";

/** What a visit thread is started with. */
export interface VisitThreadData {
  readonly config: CrawlConfig;
  /** Names its archive files. */
  readonly writer: string;
  /** Where seeds were redirected to in earlier runs. */
  readonly moved: readonly Href[];
  /** The archive files of earlier runs. */
  readonly taken: readonly string[];
  /** See `Uploads.waitingMib`; null when the crawl has no store. */
  readonly waitingMib: Int32Array | null;
}

/** A link graph cannot be drowned by one page; and no honest page has so many links. */
const MOST_LINKS = 50_000;
const READ_MS = 60_000;

export async function composeVisit(data: VisitThreadData, originals: Originals, log: Log): Promise<VisitContext> {
  const { config, writer, moved, taken } = data;
  const guard = guardOf(config);
  const agent = productToken(config.userAgent) ?? "";
  const local = await openArchive({
    dir: join(config.dir, "archive"),
    writer,
    maxFileBytes: config.warcSize,
    packing: config.warcCompression,
    level: config.compressLevel,
    clock: systemClock,
    taken,
    info: {
      software: `trawl/${VERSION}`,
      userAgent: config.userAgent,
      robots: config.robots ? "obey" : "ignore",
      ...(config.operator === null ? {} : { operator: config.operator }),
    },
  });
  const files = fileProtocol({
    clock: systemClock,
    roots: openedDirectories(config),
    except: config.dir,
    identify: (first) => sniff(null, first),
    maxBytes: config.maxBody,
    totalMs: config.totalTimeout,
    acceptTypes: config.accept,
  });
  const web = httpFetcher({
    userAgent: config.userAgent,
    headers: headerFields(config.headers),
    connectMs: config.connectTimeout,
    firstByteMs: config.firstByteTimeout,
    totalMs: config.totalTimeout,
    maxBodyBytes: config.maxBody,
    acceptTypes: config.accept,
    connectionsPerHost: config.hostConcurrency,
    insecure: config.insecure,
    http2: config.http2,
    originHeaders: originHeaders(config),
    ...proxyOf(config),
    clock: systemClock,
    guard,
  });
  return {
    fetcher: fetcherByScheme(web, [files]),
    archive: await archiveOf(local, data, log),
    originals: config.revisits ? originals : null,
    reading: await readingOf(config, agent),
    admission: admissionOf(config, guard, moved),
    sentLately: new RecentLinks(),
    rules: {
      agent,
      assets: config.assets,
      obeyRelNofollow: !config.followNofollow,
      obeyPageRobots: config.robots,
      maxLinks: MOST_LINKS,
      metadata: config.metadata,
      readMs: READ_MS,
    },
    clock: systemClock,
    log,
  };
}

async function archiveOf(local: Archive, { config, waitingMib }: VisitThreadData, log: Log): Promise<Archive> {
  const blobs = waitingMib === null ? null : await openStore(config);
  if (blobs === null || waitingMib === null) return local;
  return storedArchive(local, {
    ...{ blobs, log, waitingMib },
    dir: join(config.dir, "archive"),
    segments: config.storeSync === "segments",
    spoolBytes: config.storeSpool,
    clock: systemClock,
    fault: faultOf(process.env),
  });
}

/** How bodies are read, in every thread and when archives are imported. */
export async function readingOf(
  config: Pick<CrawlConfig, "handlers" | "nearDuplicates" | "text" | "markdown">,
  agent: string,
): Promise<Reading> {
  const own = await loadHandlers(config.handlers);
  const apart = new Apart({ clock: systemClock });
  const converts = [...(config.text ? ["text/plain"] : []), ...(config.markdown ? ["text/markdown"] : [])];
  const handlers = [...own, ...builtinHandlers(agent, apart)];
  return {
    identify: ({ rawHeaders, decoded }) => sniffAnswer(rawHeaders, decoded),
    choose: (mediaType) => chooseHandler(handlers, mediaType),
    sitemap,
    [Symbol.asyncDispose]: () => apart[Symbol.asyncDispose](),
    document: ({ href, decoded, truncated, decodeError, rawHeaders }, mediaType) => ({
      ...document(href, mediaType, decoded, truncated !== null || decodeError !== null, rawHeaders),
      wantsText: config.nearDuplicates,
      converts,
    }),
  };
}

/** `name: value` lines as an object; checked when the options were read. */
function headerFields(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

/** What is sent to one origin alone: header fields, and passwords (RFC 7617). Checked when the options were read. */
function originHeaders({ hostHeaders, auth }: CrawlConfig): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const byOrigin = new Map<string, Record<string, string>>();
  const fieldsOf = (origin: string) => {
    const fields = byOrigin.get(origin) ?? {};
    byOrigin.set(origin, fields);
    return fields;
  };
  for (const one of auth) {
    const [, origin = "", user = "", password = ""] = /^(.*?)=([^:]*):(.*)$/.exec(one) ?? [];
    fieldsOf(origin).authorization = basicAuthorization(user, password);
  }
  for (const one of hostHeaders) {
    const [, origin = "", name = "", value = ""] = /^(\S+): (\S+): (.*)$/.exec(one) ?? [];
    fieldsOf(origin)[name] = value;
  }
  return byOrigin;
}

export interface Control extends AsyncDisposable {
  readonly context: CrawlContext;
  /** Null where names are not looked up here. */
  readonly dns: DnsCounts | null;
}

export interface ControlParts {
  readonly config: CrawlConfig;
  readonly place: Workplace;
  readonly changes: Sink<ChangeEvent> | null;
  readonly cookies: Cookies;
  readonly deadline: Instant | null;
  /** See `VisitThreadData`. */
  readonly waitingMib: Int32Array | null;
  readonly revisits: Revisits;
  readonly onCommitted?: ((batch: Committed) => void) | undefined;
  readonly onSettled?: ((records: readonly UrlRecord[]) => void | Promise<void>) | undefined;
  readonly onChanged?: ((events: readonly ChangeEvent[]) => void) | undefined;
}

/** Starts the visit threads and puts the control thread's parts together; disposing of it closes archives and connections. */
export async function composeControl(parts: ControlParts): Promise<Control> {
  const { config, place, changes, cookies, onCommitted, onSettled, onChanged } = parts;
  const { backend, log } = place;
  const guard = guardOf(config);
  const moved = await seedsMoved(backend);
  const hosts = await Hosts.open(backend, productToken(config.userAgent) ?? "", {
    domains: domainsOf(config, place.shared),
    weights: weightsOf(config),
  });
  const admission = admissionOf(config, guard, moved);
  // Who joins others does not wait until all that they have kept is read: it asks for bodies as it meets them.
  const duplicates = await Duplicates.of(place.shared === null ? backend.contents() : []);
  const bodies = place.shared?.bodies ?? null;
  const taken = [...(await backend.marks()).keys()].filter((file) => place.owns(file));
  const data = { config, moved, taken, waitingMib: parts.waitingMib };
  const visitors = await startThreads(data, place.writer, originalsIn(backend, duplicates, bodies), log);
  const known = new Set(moved);
  const extend = (to: Href): void => {
    if (known.has(to)) return;
    known.add(to);
    admission.extend(to);
    visitors.extend(to);
  };
  /** What an earlier run has queued is judged by today's rules; what another crawler has, by what that may know of seeds. */
  const recheck = async (url: LeasedUrl) => {
    const drop = dropToday(url, admission.admit);
    const mayBeNews =
      place.shared !== null && (drop?.reason === "scope" || (isOfSeed(url) && url.source === "redirect"));
    if (!mayBeNews) return drop;
    for (const to of await seedsMoved(backend)) extend(to);
    return dropToday(url, admission.admit);
  };
  const dns = proxyOf(config).proxyLooksUp
    ? null
    : dnsResolver({ clock: systemClock, ...(config.dns.length > 0 ? { servers: config.dns } : {}) });
  const politeness = politenessOf(config);
  const recrawl = recrawlOf(parts);
  const context: CrawlContext = {
    frontier: backend,
    urls: backend,
    captures: backend,
    hrefs: new Hrefs(backend),
    visitors,
    hosts,
    admission,
    pages: place.pages,
    bodies,
    changes,
    cookies,
    inbox: place.inbox(admission),
    recrawl,
    // A filter alone does not tell which URL a hint is about.
    hints:
      recrawl === null || !knowsIds(config.seen)
        ? null
        : new Hints({ urls: backend, hosts, recrawl, clock: systemClock }),
    log,
    guard,
    clock: systemClock,
    random: Math.random,
    resolver: dns ?? namesAsTheyAre,
    duplicates,
    feedback: new Feedback(async (id) => (await backend.byId(id))?.host ?? null, config),
    softNotFound: new SoftNotFound(Math.random, config.soft404),
    turns: place.turns({ atOnce: config.hostConcurrency, delayMs: politeness.delayMs }),
    progress: await Progress.open(systemClock, backend, hosts, {
      limit: config.limit,
      ofRun: parts.revisits === "pass",
      deadline: parts.deadline,
      crawlers: place.shared === null ? null : () => place.shared!.crawlers,
      visits: place.shared?.joint == null ? null : { ...place.shared.joint, add: place.shared.addVisits },
    }),
    rules: {
      obeyRobots: config.robots,
      hostConcurrency: config.hostConcurrency,
      requestMs: config.totalTimeout,
      maxPerHost: config.maxPerHost,
      maxPerDomain: config.maxPerDomain,
      budget: budgetOf(config),
      conditional: { wholeEvery: config.wholeEvery },
    },
    crawlRules: { limit: config.limit, concurrency: config.concurrency },
    settleRules: {
      politeness,
      localPoliteness: localPolitenessOf(config),
      budget: budgetOf(config),
      judge: { ...JUDGE_RULES, maxAttempts: config.tries },
      tries: config.tries,
      sitemaps: config.sitemaps && config.depth > 0,
    },
    ...(onCommitted === undefined ? {} : { onCommitted }),
    ...(onSettled === undefined ? {} : { onSettled }),
    ...(onChanged === undefined ? {} : { onChanged }),
    ...(place.shared !== null || place.resumed ? { recheck: (url) => recheck(url) } : {}),
    async onSeedMoved(to) {
      extend(to);
      await rememberSeedMoved(backend, place.replaceFact, to);
    },
  };
  return { context, dns: dns?.counts ?? null, [Symbol.asyncDispose]: () => visitors[Symbol.asyncDispose]() };
}

function domainsOf(config: CrawlConfig, shared: Shared | null): NonNullable<HostsOptions["domains"]> {
  const { maxPerDomain } = config;
  if (shared === null) return maxPerDomain === null ? "lately" : "all";
  return {
    counts: shared.domains,
    clock: systemClock,
    crawlers: () => shared.crawlers,
    untilNext: (pages) => untilNext(pages, budgetOf(config), maxPerDomain),
  };
}

function recrawlOf({ config, place, revisits }: ControlParts): Recrawl | null {
  if (revisits === "none") return null;
  const { backend, until, shared, log } = place;
  const world = { frontier: backend, urls: backend, clock: systemClock, random: Math.random };
  const others = shared === null ? {} : { shared: { parts: shared.parts, log, untilNow: () => shared.passUntil() } };
  return new Recrawl({ ...world, ...others, until, weightOf: byImportance }, recrawlRulesOf(config));
}

async function startThreads(
  data: Omit<VisitThreadData, "writer">,
  writer: string,
  findOriginal: FindOriginal,
  log: Log,
): Promise<ThreadVisitors> {
  const { config } = data;
  // In a checkout the sources run as they are; a published package has them compiled.
  const entry = new URL(import.meta.url.endsWith(".ts") ? "./visit-thread.ts" : "./visit-thread.js", import.meta.url);
  const threads = Math.min(config.threads, config.concurrency);
  const workers = Array.from({ length: threads }, (_, thread) => {
    const workerData: VisitThreadData = { ...data, writer: `${writer}${thread}` };
    const worker = new Worker(entry, { workerData, name: `visit-${thread}`, stdout: true });
    // Standard output is for results: what a handler prints must not stand among the lines of --jsonl.
    worker.stdout.on("data", (chunk: Buffer) => process.stderr.write(chunk));
    return worker;
  });
  const visitors = new ThreadVisitors(workers, Math.ceil(config.concurrency / threads), findOriginal, log);
  try {
    await visitors.ready();
  } catch (cause) {
    await visitors[Symbol.asyncDispose]();
    throw cause;
  }
  return visitors;
}
