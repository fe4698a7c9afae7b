import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { GALLERY, galleryEnds } from "../web/gallery.ts";
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
      const { url, end, state } = JSON.parse(line) as { url: string; end: string | null; state: string };
      recorded.set(url, end ?? state);
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
    const pages = log.filter((entry) => entry.kind !== "request" || !/^\/(robots-hop-|moved\.txt)/.test(entry.path));
    assert.deepEqual(deniedRequests(pages, web.site.robotsByHost()), []);
    assert.deepEqual(requestsBeforeRobots(pages), []);
    assert.deepEqual(
      requestsOf(log).filter((entry) => entry.path === "/unseen"),
      [],
    );
  });

  it("never asks one address twice at the same time", () => {
    assert.ok(smallestGap(smallestGaps(log).addresses)!.ms >= 0);
  });
});
