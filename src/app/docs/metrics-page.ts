/** docs/metrics.md, made from the table of metrics: `npm run docs:metrics` prints it. */
import { markdownTable } from "../cli/help-text.ts";
import { METRICS, type Metric } from "../metrics/table.ts";

/** The whole page, as the formatter would leave it. */
export function metricsPage(): string {
  const rows = Object.entries<Metric>(METRICS).map(([name, { kind, labels = [], says, only }]) => [
    `\`${name}\``,
    kind,
    labels.map((label) => `\`${label}\``).join(" "),
    `${says}${only === undefined ? "" : ` (Only ${only}.)`}`,
  ]);
  return `${PREAMBLE}\n${markdownTable(["metric", "kind", "labels", "what it says"], rows)}\n${REST}`;
}

const PREAMBLE = `# Metrics

<!-- Made by \`npm run docs:metrics\` from src/app/metrics/table.ts and src/app/docs/metrics-page.ts. Change the table there. -->

\`trawl crawl ... --metrics 9464\` serves, while it runs, \`http://127.0.0.1:9464/metrics\` for
[Prometheus](https://prometheus.io/), and \`/healthz\`. It listens on this machine alone unless told otherwise
(\`--metrics 10.0.0.1:9464\`, \`--metrics 0.0.0.0:9464\`): nobody is asked who he is, so keep the port in a network of your own.
It needs the package \`prom-client\` (\`npm install prom-client\`). Of crawlers that share a crawl each has its own
\`--metrics\`; it is no option of the crawl. It costs about a
microsecond a page that is crawled, and two milliseconds each time that it is asked for.

\`/healthz\` answers 200 with \`running\` (or \`paused\`, \`ending\`) while the crawl's loop goes round; else 503 and one line that says
why: \`starting\`, \`waits for the frontier: ...\`, \`waits for the store: ...\`, or that the loop stands. A crawler that waits goes
on by itself, so restart none for that.

## What is told

Counters count since the process started. \`trawl_crawl_...\` is about the whole crawl as this process knows it, earlier runs
and other crawlers included: of crawlers that share one, take the newest, and do not add them up. All else is this process's own,
and adds up. A label has a few values, never a host or a URL; where nothing has happened yet there may be no value.
`;

const REST = `
Beside these stand the usual ones of the process and of Node, \`process_...\` and \`nodejs_...\`: CPU, memory, open files, the lag
of the event loop (that of the thread that leases and commits), garbage collection.

## Scraping it

\`\`\`yaml
# prometheus.yml
scrape_configs:
  - job_name: trawl
    scrape_interval: 15s
    static_configs:
      - targets: ["10.0.0.1:9464", "10.0.0.2:9464", "10.0.0.3:9464"]
\`\`\`

The crawlers of deploy/compose.yaml listen on port 9464 inside its network; there \`dns_sd_configs\` with
\`names: [crawler]\`, \`type: A\`, \`port: 9464\` finds however many there are.

## Some questions

\`\`\`promql
# Pages a second, of each crawler and of all
sum by (instance) (rate(trawl_ended_urls_total{end=~"fetched|not-modified"}[5m]))
sum(rate(trawl_ended_urls_total{end=~"fetched|not-modified"}[5m]))

# How long requests take: the slowest twentieth
histogram_quantile(0.95, sum by (le) (rate(trawl_request_duration_seconds_bucket[5m])))

# Of all requests, those that fail or are turned away
1 - sum(rate(trawl_requests_total{outcome=~"[23]xx"}[5m])) / sum(rate(trawl_requests_total[5m]))

# Of links, those that Redis need not be asked about (the hit rate of the tables of known links)
sum(rate(trawl_known_links_met_total[5m])) / sum(rate(trawl_known_links_asked_total[5m]))

# What is left to do, and in how many seconds it would be done if nothing new came
max by (crawl) (sum by (instance) (trawl_crawl_urls) * on (instance) group_left (crawl) trawl_info)
max(sum by (instance) (trawl_crawl_urls)) / sum(rate(trawl_ended_urls_total[1h]))

# Waiting for Redis or the object store, as a share of the time
rate(trawl_wait_seconds_total[15m])
\`\`\`

Worth being woken for: \`up{job="trawl"} == 0\` on more crawlers than are being restarted; \`trawl_waiting == 1\` for ten minutes;
no page in a quarter of an hour while there is something to do and nothing is paused
(\`sum(rate(trawl_ended_urls_total[15m])) == 0 and max(trawl_crawl_urls{state="queued"}) > 0 and max(trawl_crawl_paused) == 0\`).
`;

if (import.meta.main) process.stdout.write(metricsPage());
