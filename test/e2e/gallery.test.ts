import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { header } from "../../src/model/fetch-result.ts";
import { GALLERY, galleryEnds, galleryHref } from "../web/gallery.ts";
import { type LogEntry, requestsOf } from "../web/log.ts";
import { deniedRequests, requestsBeforeRobots, smallestGap, smallestGaps } from "../web/politeness.ts";
import { AUTHORITY_FILE } from "../web/secure.ts";
import { type SpawnedWeb, spawnFakeWeb } from "../web/spawn.ts";
import { checkArchive, type TempDir, tempDir, trawl } from "./trawl.ts";

describe("the real program in the gallery of odd hosts", () => {
  let dir: TempDir;
  let web: SpawnedWeb;
  let log: LogEntry[];
  let code: number | null;
  let stderr: string;
  const recorded = new Map<string, string>();
  /** The latest row of each URL. */
  const rows = new Map<string, Record<string, unknown>>();

  before(async () => {
    dir = await tempDir();
    web = await spawnFakeWeb({ hosts: 1, pagesPerHost: 1, gallery: true, addresses: 20 });
    const limits = ["--connect-timeout", "2s", "--first-byte-timeout", "2s", "--total-timeout", "4s", "--tries", "3"];
    const where = ["--allow-net", web.allowNet, "--dns", web.dns, "--dir", dir.path, "--quiet"];
    const seed = `${web.origin("odd.test")}/`;
    const trust = { env: { NODE_EXTRA_CA_CERTS: AUTHORITY_FILE } };
    ({ code, stderr } = await trawl(["crawl", seed, "--scope", "any", "--delay", "20ms", ...limits, ...where], trust));
    log = await web.entries();
    for (const line of (await trawl(["export", dir.path, "--to", "-"])).stdout.split("\n").slice(0, -1)) {
      const row = JSON.parse(line) as { url: string; end: string | null; state: string };
      recorded.set(row.url, row.end ?? row.state);
      rows.set(row.url, row);
    }
  });
  after(async () => {
    await web[Symbol.asyncDispose]();
    await dir[Symbol.asyncDispose]();
  });

  it("comes to an end by itself", () => assert.equal(code, 0, stderr));

  it("leaves a sound archive", async () => assert.deepEqual((await checkArchive(dir.path)).faults, []));

  for (const name of Object.keys(GALLERY))
    it(`records what became of ${name}`, () => {
      for (const [href, reasons] of galleryEnds(web.port)) {
        if (!href.includes(`//${name}.odd.test`)) continue;
        const end = recorded.get(href);
        assert.ok(
          reasons.some((reason) => reason === end),
          `${href} is ${end}, not ${reasons.join(" or ")}`,
        );
      }
    });

  it("marks what came only in part, in the state and in the archive", async () => {
    const cut = {
      endless: "length",
      "endless-slow": "time",
      stall: "time",
      "reset-in-body": "disconnect",
      "length-too-long": "disconnect",
      "chunked-broken": "unspecified",
      gzip: null,
    };
    for (const [name, how] of Object.entries(cut))
      assert.equal(rows.get(galleryHref(name, web.port))?.truncated, how, name);
    const marks = (await checkArchive(dir.path)).records.flatMap(
      ({ record }) => header(record.fields, "warc-truncated") ?? [],
    );
    for (const how of Object.values(cut)) if (how !== null) assert.ok(marks.includes(how), how);
  });

  it("names in the archive where each URL was found", async () => {
    const { records } = await checkArchive(dir.path);
    const viaOf = (href: string) =>
      records
        .filter(({ record }) => record.type === "response" && header(record.fields, "warc-target-uri") === href)
        .map(({ record }) => header(record.fields, "trawl-via"));
    const front = `${web.origin("odd.test")}/`;
    assert.deepEqual(viaOf(galleryHref("gzip", web.port)), [front]);
    assert.deepEqual(viaOf(galleryHref("login-and-back", web.port)), [
      front,
      `${galleryHref("login-and-back", web.port)}login?to=/`,
    ]);
    assert.deepEqual(viaOf(front), [null]);
  });

  it("says what was wrong with a coding, and with a certificate", () => {
    const says = (name: string, column: string) => String(rows.get(galleryHref(name, web.port))?.[column]);
    assert.match(says("bomb", "read_error"), /^cut at \d+ bytes decoded/);
    assert.match(says("gzip-cut", "read_error"), /^gzip: unexpected end/);
    assert.match(says("mislabelled", "read_error"), /^gzip: not so coded/);
    assert.match(says("unknown-coding", "read_error"), /^unknown content-coding "x-none"/);
    assert.match(says("tls-expired", "detail"), /has expired/);
    assert.match(says("tls-other-name", "detail"), /for another name/);
    assert.match(says("tls-self-signed", "detail"), /self-signed/);
    assert.equal(says("gzip-twice", "read_error"), "null");
  });

  it("fetches behind a wall once, and asks a wall that opens to nobody no further", async () => {
    // By the archive: a busy machine may lose an answer on its way, which is then asked for again.
    const { records } = await checkArchive(dir.path);
    const answers = (name: string) =>
      records.filter(
        ({ record: { type, fields } }) =>
          (type === "response" || type === "revisit") &&
          header(fields, "warc-target-uri") === galleryHref(name, web.port),
      ).length;
    assert.equal(answers("login-and-back"), 2);
    assert.equal(answers("login-elsewhere"), 2);
    assert.ok(answers("login-for-ever") <= 3);
  });

  it("refuses every forbidden address, and is lured to none", () => {
    for (const [href, reasons] of galleryEnds(web.port))
      if (reasons.includes("refused-address") && reasons.length === 1)
        assert.equal(recorded.get(href), "refused-address", href);
    assert.deepEqual(
      log.filter((entry) => entry.kind !== "dns" && !web.addresses.includes(entry.address)),
      [],
    );
  });

  it("asks for nothing that robots.txt or nofollow forbids, and for robots.txt first", () => {
    // Where /robots.txt redirects to is part of asking for it.
    const pages = log.filter(
      (entry) => entry.kind !== "request" || !/^\/(robots-hop-|moved\.txt|shared\.txt)/.test(entry.path),
    );
    assert.deepEqual(deniedRequests(pages, web.site.robotsByHost()), []);
    assert.deepEqual(requestsBeforeRobots(pages), []);
    assert.deepEqual(
      requestsOf(log).filter((entry) => entry.path === "/unseen"),
      [],
    );
  });

  it("never asks one address twice at the same time", () => {
    // Of requests that the crawler gives up, the web hears later than they end.
    const givenUp = /^(never|stall|endless|endless-slow|robots-never|header-flood)\./;
    const ended = log.filter((entry) => entry.kind !== "request" || !givenUp.test(entry.host));
    const gap = smallestGap(smallestGaps(ended).addresses)!;
    assert.ok(gap.ms >= 0, JSON.stringify(gap));
  });
});
