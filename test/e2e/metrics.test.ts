/** What `--metrics` serves while the real command crawls, held against the web's own log and what the crawl has recorded. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { METRICS, type Metric } from "../../src/app/metrics/table.ts";
import { requestsOf } from "../web/log.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { fetchedAt, onBothSides } from "./sides.ts";
import { type Running, startTrawl, tempDir, trawl } from "./trawl.ts";

/** A page of metrics, taken apart as Prometheus does it. */
interface Scraped {
  readonly kinds: ReadonlyMap<string, string>;
  readonly samples: readonly {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
}

function scraped(text: string): Scraped {
  const kinds = new Map<string, string>();
  const samples: Scraped["samples"][number][] = [];
  for (const line of text.split("\n")) {
    const [, of, kind] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (of !== undefined) kinds.set(of, kind!);
    if (line === "" || line.startsWith("#")) continue;
    const [, name, labels = "", value] = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    assert.ok(name !== undefined, line);
    if (name.startsWith("trawl_")) assert.ok(Number.isFinite(Number(value)), line); // Node has no mean of no delays
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, said]) => [label!, said!] as const);
    samples.push({ name, labels: Object.fromEntries(pairs), value: Number(value) });
  }
  return { kinds, samples };
}

const sumOf = ({ samples }: Scraped, wanted: string, labels: Readonly<Record<string, string>> = {}): number =>
  samples
    .filter(
      ({ name, labels: has }) => name === wanted && Object.entries(labels).every(([label, is]) => has[label] === is),
    )
    .reduce((sum, { value }) => sum + value, 0);

async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  for (let i = 0; i < 600; i++) {
    const seen = await look();
    if (seen !== null) return seen;
    await sleep(50);
  }
  return assert.fail(`never: ${what}`);
}

const addressOf = (running: Running): Promise<string> =>
  until("it says where its metrics are", async () => /^Metrics at (\S+)\/metrics$/m.exec(running.said())?.[1] ?? null);

onBothSides("the metrics of a crawl", (side) => {
  it("are those of the table, and agree with the web and the crawl's own records", async (test) => {
    await using place = await side.place();
    await using web = await spawnFakeWeb({ hosts: 4, pagesPerHost: 100, addresses: 4 });
    const reach = ["--scope", "any", "--delay", "200ms", "--allow-net", web.allowNet, "--dns", web.dns];
    const running = startTrawl(["crawl", `${web.origin(0)}/`, ...reach, ...place.where, "--metrics", "0"]);
    test.after(() => running.process.kill("SIGKILL"));
    const address = await addressOf(running);
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/);
    const scrape = async (): Promise<Scraped> => {
      const response = await fetch(`${address}/metrics`);
      assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
      return scraped(await response.text());
    };
    const health = async () => {
      const response = await fetch(`${address}/healthz`);
      return `${response.status} ${(await response.text()).trim()}`;
    };
    await until("pages are fetched", async () => (sumOf(await scrape(), "trawl_ended_urls_total") > 6 ? true : null));
    assert.equal(await health(), "200 running");
    assert.equal((await trawl(["pause", ...place.crawl])).code, 0);
    const page = await until("all is at rest", async () => {
      const now = await scrape();
      return sumOf(now, "trawl_crawl_paused") === 1 && sumOf(now, "trawl_leases") === 0 ? now : null;
    });
    assert.equal(await health(), "200 paused");

    const onCluster = place.where.includes("--frontier");
    const isHere = ({ only }: Metric) => only === undefined || onCluster; // there it has a store, too
    for (const [name, kind] of page.kinds)
      if (name.startsWith("trawl_")) assert.equal(kind, (METRICS as Record<string, Metric>)[name]?.kind, name);
    for (const [name, metric] of Object.entries<Metric>(METRICS)) {
      assert.ok(page.kinds.has(name), name);
      const own = page.samples.filter((sample) => sample.name.replace(/_(bucket|sum|count)$/, "") === name);
      const labels = new Set(own.flatMap((sample) => Object.keys(sample.labels)).filter((label) => label !== "le"));
      for (const label of labels) assert.ok(metric.labels?.includes(label), `${name} has ${label}`);
      if (isHere(metric) && metric.labels === undefined) assert.ok(own.length > 0, `${name} has no value`);
      assert.ok(own.length < 60, `${name} has ${own.length} values`);
    }

    const asked = requestsOf(await web.entries());
    const ofRobots = asked.filter(({ path }) => path === "/robots.txt").length;
    assert.equal(sumOf(page, "trawl_requests_total"), asked.length);
    assert.equal(sumOf(page, "trawl_requests_total", { task: "robots" }), ofRobots);
    assert.equal(sumOf(page, "trawl_request_duration_seconds_count"), asked.length);
    assert.equal(sumOf(page, "trawl_ended_urls_total", { end: "fetched" }), (await fetchedAt(place)).size);
    assert.ok(sumOf(page, "trawl_received_bytes_total") > 0);
    assert.ok(sumOf(page, "trawl_archived_bytes_total") > 0);
    assert.equal(
      sumOf(page, "trawl_dns_lookups_total", { result: "found" }),
      new Set(asked.map(({ host }) => host)).size,
    );
    assert.ok(sumOf(page, "trawl_crawl_urls", { state: "queued" }) > 0);
    assert.equal(sumOf(page, "trawl_waiting"), 0);
    if (onCluster) {
      assert.equal(sumOf(page, "trawl_shards"), 16);
      assert.equal(sumOf(page, "trawl_crawl_crawlers"), 1);
      const met = sumOf(page, "trawl_known_links_met_total");
      assert.ok(met > 0 && met < sumOf(page, "trawl_known_links_asked_total"));
      assert.ok(sumOf(page, "trawl_frontier_calls_total", { call: "settle" }) > 0);
      assert.ok(sumOf(page, "trawl_frontier_call_seconds_total", { call: "settle" }) > 0);
    }
    assert.equal((await fetch(`${address}/other`)).status, 404);
    assert.equal((await fetch(`${address}/metrics`, { method: "POST" })).status, 405);
    running.process.kill("SIGINT");
    assert.equal((await running.ended).code, 130, running.said());
    await assert.rejects(fetch(`${address}/healthz`));
  });
});

describe("--metrics", () => {
  it("is refused in a sentence where nobody can listen, before anything is written", async () => {
    await using dir = await tempDir();
    const server = createServer().listen(0, "127.0.0.1");
    await until("the port is taken", async () => server.listening || null);
    const { port } = server.address() as AddressInfo;
    const told = async (metrics: string): Promise<string> => {
      const run = await trawl(["crawl", "http://127.0.0.1:1/", "--dir", `${dir.path}/crawl`, "--metrics", metrics]);
      assert.equal(run.code, 2, run.stderr);
      assert.throws(() => readFileSync(`${dir.path}/crawl/crawl.json`), { code: "ENOENT" });
      return run.stderr.trim().split("\n").at(-1)!;
    };
    const taken = `trawl: --metrics: 127.0.0.1:${port} is taken by another program, or another crawler; `;
    assert.ok((await told(String(port))).startsWith(taken));
    assert.match(
      await told("192.0.2.1:9464"),
      /^trawl: --metrics: 192\.0\.2\.1:9464 is no address of this machine; name one/,
    );
    for (const word of ["here", "70000", "example.com:80"])
      assert.match(await told(word), new RegExp(`^trawl: --metrics: "${word}" is nothing to listen on; write a port`));
    server.close();
  });
});
