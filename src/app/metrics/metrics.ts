/** Metrics of a run in Prometheus' format: what is counted as it happens, and what others count and is read when it is asked for. */
import type { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Clock } from "../../base/clock.ts";
import type { Committed } from "../../crawl/committed.ts";
import type { HostEntry } from "../../crawl/hosts.ts";
import type { CrawlStats } from "../../model/stats.ts";
import type { Visited } from "../../model/visited.ts";
import type { DnsCounts } from "../../net/resolver.ts";
import type { KnownCounts } from "../../store/cluster/backend.ts";
import type { Calls } from "../../store/cluster/redis/calls.ts";
import { UsageError } from "../usage-error.ts";
import { VERSION } from "../version.ts";
import { span } from "../wording.ts";
import { METRICS, type Metric, type MetricName } from "./table.ts";
import { Waits } from "./waits.ts";

/** Where those numbers are that somebody counts anyway. */
export interface Sources {
  /** The crawl's name, or its directory. */
  readonly crawl: string;
  readonly progress: { readonly open: number };
  readonly hosts: { readonly known: Iterable<HostEntry> };
  /** Null where no names are looked up. */
  readonly dns: DnsCounts | null;
  /** Null without a store. */
  readonly uploads: UploadCounts | null;
  /** Null for a crawl that is alone. */
  readonly shared: { readonly shards: number; readonly known: KnownCounts; readonly calls: Calls } | null;
}

export interface UploadCounts {
  /** Finished files that waited when it was looked last. */
  readonly spool: { readonly files: number; readonly bytes: number };
  readonly sent: { readonly files: number; readonly bytes: number };
}

/** A frontier that gives no answer for so long, in ms, is waited for. */
const LONG_MS = 3_000;

type Labels = Readonly<Record<string, string>>;

/** @throws UsageError when the library is not installed */
export async function makeMetrics(clock: Clock): Promise<Metrics> {
  // It is loaded for those alone who ask for it.
  const library = await import("prom-client").catch((cause) => {
    const words = "--metrics needs a package that is not here; npm install prom-client";
    throw new UsageError("missing-package", words, { cause });
  });
  const registry = new library.Registry();
  library.collectDefaultMetrics({ register: registry });
  return new Metrics(registry, library, clock);
}

export class Metrics {
  readonly waits: Waits;
  readonly #registry: Registry;
  readonly #counters = new Map<string, Counter>();
  readonly #gauges = new Map<string, Gauge>();
  readonly #histograms = new Map<string, Histogram>();
  readonly #clock: Clock;
  #sources: Sources | null = null;
  #stats: CrawlStats | null = null;
  /** Bytes that are committed of each archive file of this run. */
  readonly #archived = new Map<string, number>();

  constructor(registry: Registry, library: typeof import("prom-client"), clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
    this.waits = new Waits(clock);
    for (const [name, { kind, labels = [], says, buckets = [] }] of Object.entries<Metric>(METRICS)) {
      const one = { name, help: says, labelNames: [...labels], registers: [registry] };
      if (kind === "counter") this.#counters.set(name, new library.Counter(one));
      else if (kind === "gauge") this.#gauges.set(name, new library.Gauge(one));
      else this.#histograms.set(name, new library.Histogram({ ...one, buckets: [...buckets] }));
    }
  }

  /** From now on these are read, too. */
  watch(sources: Sources): void {
    this.#sources = sources;
    this.#gauges.get("trawl_info")!.set({ version: VERSION, crawl: sources.crawl }, 1);
  }

  /** The newest snapshot: no other is taken for whoever asks. */
  stands(stats: CrawlStats): void {
    this.#stats = stats;
  }

  heard(level: string, facts: object, event: string): void {
    this.#add("trawl_log_lines_total", 1, { level });
    this.waits.heard(facts, event);
  }

  committed({ sealed, outcomes, report, beganAt, endedAt }: Committed): void {
    for (const { visits, marks } of sealed) {
      for (const visit of visits) this.#visited(visit);
      for (const { file, bytes } of marks) {
        this.#add("trawl_archived_bytes_total", Math.max(bytes - (this.#archived.get(file) ?? 0), 0));
        this.#archived.set(file, bytes);
      }
    }
    for (const [nth, { settled }] of outcomes.entries()) {
      const { verdict } = settled;
      if (report.current[nth] !== true) this.#add("trawl_late_visits_total", 1);
      else if (verdict.kind === "end") this.#add("trawl_ended_urls_total", 1, { end: verdict.end });
      else this.#add("trawl_put_back_urls_total", 1, { why: verdict.kind });
    }
    this.#add("trawl_admitted_urls_total", report.admitted, { as: "queued" });
    this.#add("trawl_admitted_urls_total", report.dropped, { as: "dropped" });
    this.#histograms.get("trawl_commit_duration_seconds")!.observe((endedAt - beganAt) / 1_000);
  }

  readonly contentType = (): string => this.#registry.contentType;

  /** What is waited for, and why; null when nothing is. */
  get waitsFor(): string | null {
    const ms = this.#sources?.shared?.calls.waitedMs ?? 0;
    // A node that hangs is not found out at once, and then its log says it.
    const silence = ms > LONG_MS ? `waits for the frontier: no answer for ${span(ms)}` : null;
    return this.waits.says ?? silence;
  }

  /** The page as Prometheus reads it. */
  async page(): Promise<string> {
    this.#readWaits();
    if (this.#stats !== null) this.#readStats(this.#stats);
    if (this.#sources !== null) this.#readSources(this.#sources);
    return this.#registry.metrics();
  }

  #visited({ task, outcome, startedAt, endedAt }: Visited): void {
    const how = outcome.kind === "answer" ? statusWord(outcome.status) : outcome.cause;
    this.#add("trawl_requests_total", 1, { task, outcome: how });
    if (outcome.kind === "answer") this.#add("trawl_received_bytes_total", outcome.bytes);
    this.#histograms.get("trawl_request_duration_seconds")!.observe((endedAt - startedAt) / 1_000);
  }

  #readWaits(): void {
    for (const what of ["frontier", "store"] as const) {
      const isSilent = what === "frontier" && (this.#sources?.shared?.calls.waitedMs ?? 0) > LONG_MS;
      this.#set("trawl_waiting", Number(isSilent || this.waits.isWaiting(what)), { for: what });
      this.#read("trawl_wait_seconds_total", [[{ for: what }, this.waits.ms(what) / 1_000]]);
    }
  }

  #readStats(stats: CrawlStats): void {
    const { queued, leased, delayed, byEnd, hosts, shared, paused, again, at } = stats;
    for (const [state, urls] of Object.entries({ queued, leased, delayed }))
      this.#set("trawl_crawl_urls", urls, { state });
    for (const [end, urls] of Object.entries(byEnd)) this.#set("trawl_crawl_ended_urls", urls, { end });
    this.#set("trawl_crawl_hosts", hosts);
    this.#set("trawl_crawl_paused", Number(paused));
    this.#set("trawl_crawl_counted_timestamp_seconds", at / 1_000);
    if (shared !== null) this.#set("trawl_crawl_crawlers", shared.crawlers);
    const { changed, unchanged, away } = again;
    const looks = Object.entries({ changed, unchanged, away });
    this.#read(
      "trawl_looks_again_total",
      looks.map(([found, n]) => [{ found }, n]),
    );
  }

  #readSources({ progress, hosts, dns, uploads, shared }: Sources): void {
    this.#set("trawl_leases", progress.open);
    for (const [state, n] of Object.entries(hostsByState(hosts.known, this.#clock.now())))
      this.#set("trawl_hosts", n, { state });
    if (dns !== null) {
      const { asked, ...lookups } = dns;
      this.#read("trawl_dns_answers_total", [[{}, asked]]);
      this.#read(
        "trawl_dns_lookups_total",
        Object.entries(lookups).map(([result, n]) => [{ result }, n]),
      );
    }
    if (uploads !== null) {
      this.#set("trawl_spool_files", uploads.spool.files);
      this.#set("trawl_spool_bytes", uploads.spool.bytes);
      this.#read("trawl_stored_files_total", [[{}, uploads.sent.files]]);
      this.#read("trawl_stored_bytes_total", [[{}, uploads.sent.bytes]]);
    }
    if (shared === null) return;
    const calls = [...shared.calls.byName];
    this.#set("trawl_shards", shared.shards);
    this.#read("trawl_known_links_asked_total", [[{}, shared.known.asked]]);
    this.#read("trawl_known_links_met_total", [[{}, shared.known.met]]);
    this.#read(
      "trawl_frontier_calls_total",
      calls.map(([call, { answered }]) => [{ call }, answered]),
    );
    this.#read(
      "trawl_frontier_call_seconds_total",
      calls.map(([call, { ms }]) => [{ call }, ms / 1_000]),
    );
  }

  #add(name: MetricName, n: number, labels: Labels = {}): void {
    this.#counters.get(name)!.inc(labels, n);
  }

  /** What somebody else has counted up to now. */
  #read(name: MetricName, values: readonly (readonly [Labels, number])[]): void {
    const counter = this.#counters.get(name)!;
    for (const [labels, n] of values) {
      counter.remove(labels);
      counter.inc(labels, n);
    }
  }

  #set(name: MetricName, n: number, labels: Labels = {}): void {
    this.#gauges.get(name)!.set(labels, n);
  }
}

/** Those that ask for rest are told apart. */
const statusWord = (status: number): string =>
  status === 429 || status === 503 ? String(status) : `${Math.trunc(status / 100)}xx`;

function hostsByState(hosts: Iterable<HostEntry>, now: number) {
  const counts = { open: 0, ready: 0, waiting: 0, backing_off: 0, given_up: 0 };
  for (const { open, state } of hosts) {
    if (state.dead !== null) counts.given_up++;
    else if (open > 0) counts.open++;
    else if (state.backoffUntil > now) counts.backing_off++;
    else counts[state.readyAt > now ? "waiting" : "ready"]++;
  }
  return counts;
}
