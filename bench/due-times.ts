/**
 * What the scheduler of revisits costs: microseconds of CPU to learn from a look and say when the page is due again, and
 * the memory that it holds, with so many pages of so many hosts, each looked at LOOKS times. No store, no network.
 *
 *   npx node --expose-gc bench/due-times.ts [PAGES=1e6] [HOSTS=1e4] [LOOKS=3]
 *
 * docs/bench/recrawl.md has what was found.
 */
import { DueTimes } from "../src/crawl/due-times.ts";
import { NO_HISTORY } from "../src/model/history.ts";
import type { HostKey } from "../src/model/host.ts";
import { NO_ANSWER, type VisitRecord } from "../src/model/record.ts";
import type { Href } from "../src/model/url.ts";
import { afterLook } from "../src/policy/history.ts";
import { BOUNDS, DAY, DISTRIBUTIONS, uniform } from "../test/crawl/changing-pages.ts";

const [PAGES = 1e6, HOSTS = 1e4, LOOKS = 3] = process.argv.slice(2).map(Number);
const SPANS = 16;

const chance = uniform(1, "due-times");
const draw = DISTRIBUTIONS["the Web of 2000"]!;
const dueTimes = new DueTimes(
  { policy: "freshness", everyMs: 7 * DAY, budget: null, bounds: BOUNDS, share: 0.5 },
  () => 1,
);

const CONTENT = { digest: "sha1:A", body: null, simhash: null, etag: null, lastModified: null } as const;

/** A page that was looked at `looks` times, a week apart. */
function visitOf(looks: number, rate: number): VisitRecord {
  let history = afterLook(NO_HISTORY, 0, { kind: "content", change: { kind: "first", distance: null }, ...CONTENT });
  for (let look = 1; look <= looks; look++) {
    const kind = chance() < -Math.expm1(-rate * 7) ? "changed" : "same";
    history = afterLook(history, look * 7 * DAY, { kind: "content", change: { kind, distance: null }, ...CONTENT });
  }
  const endedAt = looks * 7 * DAY;
  const record = { ...NO_ANSWER, urlId: 1, href: "http://a.test/" as Href, detail: null, attempt: 1 };
  return { ...record, end: "fetched", startedAt: endedAt, endedAt, history: looks === 0 ? null : history };
}

/** Visits are made before they are timed: of each number of looks a few hundred, which all pages share. */
const visits = Array.from({ length: SPANS + 1 }, (_, looks) =>
  Array.from({ length: 256 }, () => visitOf(looks, draw(chance))),
);

const used = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const before = used();
for (const looks of [...Array(LOOKS).keys(), SPANS]) {
  const began = process.cpuUsage();
  for (let page = 0; page < PAGES; page++) {
    const host = `http://h${page % HOSTS}.test` as HostKey;
    const href = `${host}/${["news", "item", "about"][page % 3]}/section-${"abcdefgh"[page % 8]}/${page}` as Href;
    dueTimes.after({ id: page + 1, host, href, importance: 0 }, visits[looks]![page & 255]!, 7 * DAY, chance());
  }
  const { user, system } = process.cpuUsage(began);
  const { pages, price } = dueTimes.economy;
  console.log(
    [
      `after ${looks} looks each: ${((user + system) / PAGES).toFixed(1)} us a page`,
      `${((used() - before) / 2 ** 20).toFixed(1)} MB held`,
      `${dueTimes.panel.ids.length} pages in the panel, taken for ${pages.toFixed(0)}`,
      `price ${(price / DAY).toFixed(2)} days`,
    ].join("; "),
  );
}
