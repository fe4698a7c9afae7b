import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configFrom } from "../../../src/app/config/config.ts";
import type { CrawlConfig } from "../../../src/app/config/crawl-config.ts";
import { type ExplainContext, explain } from "../../../src/app/inspect/explain.ts";
import { hashText } from "../../../src/base/hash.ts";
import { NO_HISTORY } from "../../../src/model/history.ts";
import { type HostKey, newHostState } from "../../../src/model/host.ts";
import type { UrlRecord } from "../../../src/model/record.ts";
import type { RobotsCopy } from "../../../src/model/robots-copy.ts";
import { type Href, parseUrl } from "../../../src/model/url.ts";
import { pageInfo } from "../../model/page.ts";
import { record, visit } from "../records.ts";
import { testShell } from "../shell.ts";
import { STARTED } from "../stats.ts";

const HOST = "https://a.test" as HostKey;

async function config(more: object = {}): Promise<CrawlConfig> {
  using shell = testShell();
  return (await configFrom({ seeds: `${HOST}/`, ...more }, "crawl()", shell)).config;
}

interface Known {
  readonly robots?: Partial<RobotsCopy>;
  /** An older copy, which was reached. */
  readonly reached?: Partial<RobotsCopy>;
  readonly record?: UrlRecord;
  readonly refuse?: string;
}

/** The rows that are told of a URL, by name. */
async function told(href: string, known: Known | null, options: object = {}): Promise<Record<string, string>> {
  const parsed = parseUrl(href);
  assert.ok(parsed.ok);
  const robots: RobotsCopy = {
    id: 7,
    host: HOST,
    href: `${HOST}/robots.txt` as Href,
    fetchedAt: STARTED,
    expiresAt: STARTED,
    access: "rules",
    status: 200,
    failure: null,
    body: "",
    capture: null,
    ...known?.robots,
  };
  const [hi, lo] = known?.record ? hashText(known.record.href) : [0, 0];
  const state: ExplainContext["state"] = {
    find: async ({ fpHi, fpLo }) => (fpHi === hi && fpLo === lo ? (known?.record ?? null) : null),
    byId: async (id) => record(id),
    importance: async () => 0.25,
    host: async (host) => ({ ...newHostState(host), address: "192.0.2.1", readyAt: STARTED + 62_000 }),
    robots: async () => (known?.robots === undefined ? null : robots),
    robotsReached: async () =>
      known?.reached === undefined ? null : { ...robots, id: 6, failure: null, ...known.reached },
  };
  const lines = await explain(parsed.value, {
    config: await config(options),
    moved: ["https://www.moved.test/"],
    state: known === null ? null : state,
    refuse: () => known?.refuse ?? null,
    now: STARTED + 60_000,
  });
  return Object.fromEntries(lines.map((line) => line.split(/ {2,}(.*)/s).slice(0, 2)));
}

describe("explain", () => {
  it("tells both forms of a URL", async () => {
    const rows = await told(`${HOST}/b/?utm_source=x&a=1`, null);
    assert.equal(rows["fetch form"], `${HOST}/b/?utm_source=x&a=1`);
    assert.equal(rows.key, `${HOST}/b?a=1`);
  });
  it("tells which rule of the scope decides", async () => {
    assert.equal((await told(`${HOST}/`, null)).scope, "inside: a seed");
    assert.match((await told(`${HOST}/x`, null)).scope!, /^inside: host of https:\/\/a\.test\/$/);
    assert.match((await told("https://b.test/", null)).scope!, /^outside: on no seed's host$/);
    assert.match(
      (await told("https://www.moved.test/x", null)).scope!,
      /^inside: host of https:\/\/www\.moved\.test\/$/,
    );
    assert.match((await told(`${HOST}/x`, null, { exclude: ["/x"] })).scope!, /^outside: exclude/);
  });
  it("tells a trap by name", async () => {
    assert.equal((await told(`${HOST}/x`, null)).trap, "none");
    assert.equal((await told(`${HOST}/x/12?id=3`, null)).trap, "none by itself; one of /x/{n}?id");
    assert.match((await told(`${HOST}/a/b/a/b/a/b/`, null)).trap!, /^repeated-path: /);
  });
  it("tells a length beyond the limit", async () => {
    assert.match(
      (await told(`${HOST}/${"x".repeat(50)}`, null, { maxUrlLength: 40 })).length!,
      /^65 characters; at most 40/,
    );
  });
  it("tells which line of which copy of robots.txt decides", async () => {
    const body = "User-agent: *\nDisallow: /x\nCrawl-delay: 2";
    assert.equal(
      (await told(`${HOST}/x`, { robots: { body } })).robots,
      "denied: line 2, Disallow: /x (copy 7 of 2023-11-14 22:13:20Z, 1m 00s ago, status 200); Crawl-delay 2.0 s",
    );
    assert.match((await told(`${HOST}/y`, { robots: { body } })).robots!, /^allowed: no rule matches \(copy 7/);
    assert.match(
      (await told(`${HOST}/x`, { robots: { access: "allow-all", status: 404 } })).robots!,
      /^allowed: the host has no robots\.txt .*status 404/,
    );
    assert.match(
      (await told(`${HOST}/x`, { robots: { access: "unreachable", status: 0, failure: "timeout" } })).robots!,
      /^not now: .*timeout/,
    );
    assert.match((await told(`${HOST}/x`, {})).robots!, /^not fetched yet/);
    assert.match((await told(`${HOST}/x`, { robots: { body } }, { robots: false })).robots!, /--no-robots/);
  });
  it("tells of the copy that serves while the latest is out of reach", async () => {
    const robots = { access: "unreachable", status: 500 } as const;
    const reached = { access: "rules", status: 200, body: "User-agent: *\nDisallow: /x" } as const;
    const { robots: says } = await told(`${HOST}/x`, { robots, reached });
    assert.match(
      says!,
      /^denied: line 2, Disallow: \/x \(copy 6 .*status 200; out of reach since: copy 7 .*status 500\)$/,
    );
    const month = { ...robots, fetchedAt: STARTED - 31 * 86_400_000 };
    assert.match(
      (await told(`${HOST}/x`, { robots: month, reached })).robots!,
      /^allowed: the host has no robots\.txt .*500/,
    );
  });
  it("tells when robots.txt was redirected", async () => {
    const robots = { href: "https://www.a.test/robots.txt" as Href };
    assert.match(
      (await told(`${HOST}/x`, { robots })).robots!,
      /status 200, from https:\/\/www\.a\.test\/robots\.txt\)$/,
    );
  });
  it("tells the address, or why it is refused", async () => {
    assert.equal((await told(`${HOST}/x`, {})).address, "192.0.2.1");
    assert.equal((await told(`${HOST}/x`, null)).address, "not looked up yet");
    assert.match(
      (await told("http://10.0.0.1/", { refuse: "private (RFC 1918)" })).address!,
      /^refused: private \(RFC 1918\); --allow-net/,
    );
  });
  it("tells what became of a URL, with all that is recorded", async () => {
    const capture = {
      response: { file: "a.warc.gz", offset: 1_458, length: 9 },
      at: STARTED,
      digest: "sha1:ABC",
      truncated: "length",
    } as const;
    const page = pageInfo({
      ...{ charset: "utf-8", title: "Home", canonical: `${HOST}/1`, noindex: true, linksFound: 31 },
    });
    const rows = await told(`${HOST}/1`, {
      record: record(1, { via: 9, visit: visit(1, { capture, page, robotsId: 7 }) }),
    });
    assert.equal(rows.found, `as link on ${HOST}/9, depth 1, 2023-11-14 22:13:20Z`);
    assert.equal(rows.state, "ended");
    assert.equal(rows.end, "fetched: fetched and kept");
    assert.equal(rows.answer, "status 200, text/html, 5.6 kB, attempt 1, 2023-11-14 22:13:20Z, in 42 ms");
    assert.equal(rows.under, "copy 7 of robots.txt");
    assert.equal(rows.page, '"Home", 31 links found, noindex');
    assert.equal(rows.archived, "archive/a.warc.gz at byte 1458, sha1:ABC, truncated (length)");
  });
  it("tells when a page is looked at again, and what looks have found", async () => {
    const history = { ...NO_HISTORY, checks: 14, changes: 9 };
    const at = (dueAt: number | null, past: typeof history | null) =>
      told(`${HOST}/1`, { record: record(1, { dueAt, visit: visit(1, { history: past }) }) });
    assert.equal((await at(null, history))["next look"], undefined);
    assert.match((await at(9e12, history))["next look"]!, /^in \d+d \d\dh; 9 of 14 looks found it changed$/);
    assert.equal((await at(1, null))["next look"], "due");
  });
  it("tells when a queued URL's host is due, and what the last attempt came to", async () => {
    const again = record(1, { state: "delayed", visit: visit(1, { end: "retry", detail: "http-5xx", status: 503 }) });
    const rows = await told(`${HOST}/1`, { record: again });
    assert.equal(rows.state, "delayed; its host may be asked again in 2.0 s");
    assert.equal(rows["last visit"], "retry: tried again later (http-5xx)");
  });
  it("tells a dropped URL's reason", async () => {
    const dropped = record(1, {
      visit: visit(1, { end: "robots", detail: "robots.txt line 2: Disallow: /x", status: null }),
    });
    assert.equal(
      (await told(`${HOST}/1`, { record: dropped })).end,
      "robots: robots.txt says no (robots.txt line 2: Disallow: /x)",
    );
  });
  it("tells that a URL is unknown", async () => {
    assert.match((await told(`${HOST}/never`, {})).state!, /^unknown to this crawl/);
  });
  it("tells the form that was asked for when a redirect to itself changed it", async () => {
    const followed = record(1, { visit: visit(1, { href: `${HOST}/1/` as Href }) });
    assert.equal((await told(`${HOST}/1`, { record: followed }))["asked as"], `${HOST}/1/`);
  });
});
