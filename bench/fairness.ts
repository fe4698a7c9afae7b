/**
 * One host of a million URLs among ten thousand of twenty, on the embedded store and a clock of the simulation's own.
 *
 *   node bench/fairness.ts [BIG=1e6] [HOSTS=1e4] [PAGES=20]
 *
 * 500 places, 0.2 s an answer, 1 s from the end of one request to a host to the start of its next: 10,001 hosts that are
 * due are far more than there are places. Prints when the small hosts were done beside the soonest that could be, what
 * the large one was given meanwhile, and how long a small one that was due had to wait: without a budget, and with one of
 * 100 pages, which the large host has had ten times over when the small ones are found.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../src/base/clock.ts";
import { hashText } from "../src/base/hash.ts";
import type { HostKey } from "../src/model/host.ts";
import type { Lease } from "../src/model/lease.ts";
import type { NewUrl } from "../src/model/link.ts";
import { NO_ANSWER } from "../src/model/record.ts";
import type { Href } from "../src/model/url.ts";
import { tierOf } from "../src/policy/budget.ts";
import type { Settled } from "../src/ports/frontier.ts";
import { openEmbedded } from "../src/store/embedded/backend.ts";

const [BIG = 1e6, HOSTS = 1e4, PAGES = 20] = process.argv.slice(2).map(Number);
const PLACES = 500;
const ANSWER_MS = 200;
const DELAY_MS = 1_000;
const BIG_HOST = "http://big.test" as HostKey;
const AT_ONCE = 10_000;

function newUrl(host: HostKey, page: number): NewUrl {
  const href = `${host}/${page}` as Href;
  const [fpHi, fpLo] = hashText(href);
  return { href, host, fpHi, fpLo, depth: 1, hops: 0, via: 0, source: "link", priority: 2 };
}

async function simulate(perHost: number | null): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "trawl-fair-"));
  let time = 1_700_000_000_000;
  const clock: Clock = { now: () => time, sleep: async () => {} };
  const had = perHost === null ? 0 : 10 * perHost;
  const tier = (spent: number) => tierOf({ host: spent, domain: null }, 1, { perHost, perDomain: null });
  const backend = openEmbedded(dir, { clock, firstTier: (host) => tier(host === BIG_HOST ? had : 0) });
  for (let page = 0; page < BIG; page += AT_ONCE)
    await backend.add(Array.from({ length: Math.min(AT_ONCE, BIG - page) }, (_, i) => newUrl(BIG_HOST, page + i)));
  for (let host = 0; host < HOSTS; host++)
    await backend.add(Array.from({ length: PAGES }, (_, i) => newUrl(`http://small-${host}.test` as HostKey, i)));

  const began = time;
  const cpu = process.cpuUsage();
  const pages = new Map<HostKey, number>([[BIG_HOST, had]]);
  const dueSince = new Map<HostKey, number>();
  const open: { readonly lease: Lease; readonly endsAt: number }[] = [];
  let longestWait = 0;
  let left = HOSTS * PAGES;
  while (left > 0) {
    for (const lease of await backend.lease(PLACES - open.length)) {
      const { host } = lease.url;
      if (host !== BIG_HOST) longestWait = Math.max(longestWait, time - (dueSince.get(host) ?? began));
      open.push({ lease, endsAt: time + ANSWER_MS });
    }
    const next = Math.min(
      open[0]?.endsAt ?? Number.POSITIVE_INFINITY,
      (await backend.nextReadyAt()) ?? Number.POSITIVE_INFINITY,
    );
    time = open.length < PLACES ? Math.max(next, time + 1) : open[0]!.endsAt;
    const settled: Settled[] = [];
    while (open.length > 0 && open[0]!.endsAt <= time) {
      const { lease } = open.shift()!;
      const { host, id, href } = lease.url;
      const spent = (pages.get(host) ?? 0) + 1;
      pages.set(host, spent);
      dueSince.set(host, time + DELAY_MS);
      if (host !== BIG_HOST) left--;
      const hostTier = tier(spent);
      const record = {
        ...NO_ANSWER,
        urlId: id,
        href,
        end: "fetched",
        detail: null,
        attempt: 1,
        startedAt: time,
        endedAt: time,
      } as const;
      settled.push({
        lease,
        verdict: { kind: "end", end: "fetched" },
        hostReadyAt: time + DELAY_MS,
        hostTier,
        record,
        links: [],
      });
    }
    if (settled.length > 0) await backend.commit({ settled, hosts: [], robots: [], marks: [] });
  }
  const { user, system } = process.cpuUsage(cpu);
  const fetched = [...pages.values()].reduce((sum, count) => sum + count, -had);
  const soonest = Math.max((HOSTS * PAGES * ANSWER_MS) / PLACES, PAGES * (ANSWER_MS + DELAY_MS) - DELAY_MS);
  console.log(
    [
      perHost === null ? "no budget" : `budget ${perHost}`,
      `${HOSTS} hosts of ${PAGES} done after ${((time - began) / 1000).toFixed(1)} s (${(soonest / 1000).toFixed(1)} s at the soonest)`,
      `the host of ${BIG} was given ${pages.get(BIG_HOST)! - had} meanwhile`,
      `longest wait of a host that is due ${(longestWait / 1000).toFixed(1)} s`,
      `${((user + system) / fetched).toFixed(0)} us CPU a page`,
    ].join("; "),
  );
  await backend[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
}

await simulate(null);
await simulate(100);
