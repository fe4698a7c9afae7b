/** A site whose sitemap says when its pages changed, crawled day after day by the real loop: what that is worth, true or not. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Recrawl } from "../../src/crawl/recrawl.ts";
import { sitemap } from "../../src/media/sitemap.ts";
import type { HostKey } from "../../src/model/host.ts";
import { isTrusted } from "../../src/policy/hints.ts";
import { memoryBackend } from "../../src/store/memory/backend.ts";
import { random } from "../web/random.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import { crawlWorld, type Reply } from "./world.ts";

const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DAYS = 40;
const PAGES = 40;
const ORIGIN = "http://a.test";
const SITEMAP = `${ORIGIN}/sitemap.xml`;

interface Lived {
  /** Looks at pages after the first. */
  readonly looks: number;
  /** Days from each change of the second half to the look that saw it, or to the end. */
  readonly lateDays: number;
  readonly trusted: boolean;
}

/** `dateOf`: what the sitemap says at `now` of a page that changed last at `changedAt`. */
async function lived(dateOf: (changedAt: number, now: number, page: number) => number): Promise<Lived> {
  const clock = new SimulatedClock(START);
  const backend = memoryBackend({ clock });
  const { word } = random(7, "changes");
  // Each page changes twice in all, at any time.
  const changes = Array.from({ length: PAGES }, () =>
    [word(), word()].map((one) => START + (one / 2 ** 32) * DAYS * DAY).sort((a, b) => a - b),
  );
  const changedAt = (page: number, at: number) => changes[page]!.findLast((change) => change <= at) ?? START - 9 * DAY;

  const web = (href: string, at: number): Reply => {
    if (href === `${ORIGIN}/robots.txt`) return { text: `Sitemap: ${SITEMAP}\n` };
    if (href === SITEMAP) {
      const entries = changes.map((_, page) => {
        const date = new Date(dateOf(changedAt(page, at), at, page)).toISOString();
        return `<url><loc>${ORIGIN}/p${page}</loc><lastmod>${date}</lastmod></url>`;
      });
      return { text: `<urlset>${entries.join("")}</urlset>` };
    }
    const [, page] = /\/p(\d+)$/.exec(href) ?? [];
    return page === undefined ? { text: "" } : { text: `${changedAt(Number(page), at)}` };
  };
  const seen: { readonly page: number; readonly at: number }[] = [];
  for (let day = 0; day < DAYS; day++) {
    if (day > 0) {
      await clock.sleep(START + day * DAY - clock.now());
      const known = (await Array.fromAsync(backend.urls({ endedOnly: true }))).find(
        ({ href }) => (href as string) === SITEMAP,
      );
      await backend.revisit([{ id: known!.id, priority: 0 }]);
    }
    const recrawl = new Recrawl(
      { frontier: backend, urls: backend, clock, random: () => 0.5, weightOf: () => 1, until: clock.now() },
      { policy: "uniform", everyMs: 20 * DAY, budget: null, bounds: { minMs: HOUR, maxMs: 90 * DAY }, share: 0.5 },
    );
    await recrawl.open(backend);
    const { asked } = await crawlWorld({
      seeds: [`${ORIGIN}/`],
      web: (href, _nth, _cookie, request) => web(href, request!.at),
      ...{ clock, backend: () => backend, sitemap, recrawl: () => recrawl, concurrency: 8 },
    });
    await recrawl.close();
    for (const { href, startedAt } of asked) {
      const [, page] = /\/p(\d+)$/.exec(href) ?? [];
      if (page !== undefined) seen.push({ page: Number(page), at: startedAt });
    }
  }
  const end = START + DAYS * DAY;
  const late: number[] = [];
  for (const [page, all] of changes.entries())
    for (const change of all) {
      if (change < START + (DAYS * DAY) / 2) continue;
      const look = seen.find((one) => one.page === page && one.at >= change);
      late.push(((look?.at ?? end) - change) / DAY);
    }
  return {
    looks: seen.length - PAGES,
    lateDays: late.reduce((sum, one) => sum + one, 0) / late.length,
    trusted: isTrusted((await backend.host(ORIGIN as HostKey))?.again?.hints ?? null),
  };
}

describe("pages that a sitemap lists", () => {
  it("are seen within a day of their change where its dates are true, at hardly more looks; dates that are always now change nothing", async () => {
    const silent = await lived(() => Date.UTC(2090, 0, 1));
    const honest = await lived((changedAt) => changedAt);
    const always = await lived((_, now, page) => now - (page + 1) * 7 * 60_000);
    assert.deepEqual([silent.trusted, honest.trusted, always.trusted], [false, true, false]);
    assert.ok(honest.lateDays < 2 && silent.lateDays > 5, JSON.stringify({ silent, honest, always }));
    assert.ok(honest.looks < silent.looks * 1.6, JSON.stringify({ silent, honest }));
    assert.equal(always.looks, silent.looks);
    assert.equal(always.lateDays, silent.lateDays);
  });
});
