/** The one table of metrics: what is scraped, and docs/metrics.md, come from it. */

export interface Metric {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly labels?: readonly string[];
  /** A sentence, for the scraped page and the docs. */
  readonly says: string;
  /** Upper bounds of a histogram, in the metric's unit. */
  readonly buckets?: readonly number[];
  /** Where it is there: in every crawl unless told. */
  readonly only?: "with a store" | "on a cluster";
}

/** Counters count since this process started. What is called `trawl_crawl_...` is of the whole crawl, as this process knows it. */
export const METRICS = {
  trawl_info: {
    kind: "gauge",
    labels: ["version", "crawl"],
    says: "Always 1: the version, and the crawl's name, or the directory of one that is alone.",
  },
  trawl_crawl_urls: {
    kind: "gauge",
    labels: ["state"],
    says: "URLs that are to be done: queued, leased, or delayed (to be tried again later).",
  },
  trawl_crawl_ended_urls: {
    kind: "gauge",
    labels: ["end"],
    says: "URLs that have ended, by how, earlier runs included; one that comes back is counted when it has ended again. Where crawlers share the crawl it is counted every few seconds.",
  },
  trawl_crawl_hosts: { kind: "gauge", says: "Hosts that have URLs to be done." },
  trawl_crawl_paused: { kind: "gauge", says: "1 while it is held by trawl pause, else 0." },
  trawl_crawl_crawlers: {
    kind: "gauge",
    only: "on a cluster",
    says: "Crawlers that are at the crawl, as this one hears them.",
  },
  trawl_crawl_counted_timestamp_seconds: {
    kind: "gauge",
    says: "When the counts of the crawl were taken, since 1970: they stand still while the frontier is away.",
  },
  trawl_ended_urls_total: { kind: "counter", labels: ["end"], says: "URLs that have ended here, by how." },
  trawl_put_back_urls_total: {
    kind: "counter",
    labels: ["why"],
    says: "URLs that went back to the queue after a turn: retry (it failed, and may not another time), follow (a redirect to itself), again (the turn went to robots.txt, or to a probe).",
  },
  trawl_late_visits_total: {
    kind: "counter",
    says: "Visits whose lease was another's by the time they were committed: nothing of them was taken.",
  },
  trawl_admitted_urls_total: {
    kind: "counter",
    labels: ["as"],
    says: "New URLs in the links of what was committed: queued, or dropped (out of scope, traps).",
  },
  trawl_looks_again_total: {
    kind: "counter",
    labels: ["found"],
    says: "URLs that came back and were looked at again: changed, unchanged, or away (gone, moved, forbidden). What cannot tell is not counted.",
  },
  trawl_requests_total: {
    kind: "counter",
    labels: ["task", "outcome"],
    says: "Requests that were answered or failed, by what for (page, robots, probe) and how: 2xx, 3xx, 4xx, 5xx (429 and 503 apart), or connect, tls, timeout, closed, protocol, refused-address.",
  },
  trawl_request_duration_seconds: {
    kind: "histogram",
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
    says: "From the start of a request to its end, whatever came of it.",
  },
  trawl_received_bytes_total: { kind: "counter", says: "Bytes of bodies as received: compressed, where they were." },
  trawl_archived_bytes_total: { kind: "counter", says: "Bytes of archive files that are committed." },
  trawl_leases: { kind: "gauge", says: "URLs that this crawler has leased, until their commit." },
  trawl_commit_duration_seconds: {
    kind: "histogram",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    says: "How long the frontier took for a commit of some visits, waiting for it included.",
  },
  trawl_hosts: {
    kind: "gauge",
    labels: ["state"],
    says: "Hosts that this crawler knows by heart: open (being asked), ready, waiting (for their delay), backing_off (they asked for rest, or fail), given_up.",
  },
  trawl_dns_answers_total: {
    kind: "counter",
    says: "Names that were asked for, most of them answered from memory; not with --proxy-dns.",
  },
  trawl_dns_lookups_total: {
    kind: "counter",
    labels: ["result"],
    says: "Names that were looked up: found, none (no such name, or no address), failed (no server answered).",
  },
  trawl_waiting: {
    kind: "gauge",
    labels: ["for"],
    says: "1 while the crawl waits for what is away, the frontier (Redis) or the store, else 0.",
  },
  trawl_wait_seconds_total: {
    kind: "counter",
    labels: ["for"],
    says: "How long it has waited for what was away, as its log has it: a frontier that is back within 3 s is not counted.",
  },
  trawl_log_lines_total: { kind: "counter", labels: ["level"], says: "Lines of the log: info, warn, error." },
  trawl_spool_bytes: {
    kind: "gauge",
    only: "with a store",
    says: "Finished archive files that wait on this disk to go up whole; --store-spool is the most.",
  },
  trawl_spool_files: { kind: "gauge", only: "with a store", says: "How many files that is." },
  trawl_stored_files_total: { kind: "counter", only: "with a store", says: "Archive files that went up whole." },
  trawl_stored_bytes_total: { kind: "counter", only: "with a store", says: "Bytes of these." },
  trawl_shards: {
    kind: "gauge",
    only: "on a cluster",
    says: "Shards that this crawler looks after; over all crawlers they come to --shards.",
  },
  trawl_known_links_asked_total: {
    kind: "counter",
    only: "on a cluster",
    says: "Links that were looked for in this crawler's own table of those that Redis knows.",
  },
  trawl_known_links_met_total: {
    kind: "counter",
    only: "on a cluster",
    says: "Links that were there, and of which Redis was not told; by the metric above, the table's hit rate.",
  },
  trawl_frontier_calls_total: {
    kind: "counter",
    labels: ["call"],
    only: "on a cluster",
    says: "Calls that Redis has answered, by script (admit, lease, settle...) or command; WAIT are rounds in which replicas were waited for.",
  },
  trawl_frontier_call_seconds_total: {
    kind: "counter",
    labels: ["call"],
    only: "on a cluster",
    says: "How long these took, from when they were made: by the metric above, the mean; what is waited for while Redis is away is in it.",
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof METRICS;
