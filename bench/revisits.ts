/**
 * What it costs the embedded store that a URL comes back: no network, all URLs visited once, then again as they are due.
 *
 *   npx node --expose-gc bench/revisits.ts [URLS=2e5] [REVISITS=URLS]
 *
 * Prints CPU microseconds of the thread inside the store: of a first visit (without links), and of the steps of a visit
 * to what comes back: to find what is due and queue it, to lease it with its last record, to commit it with its history
 * and its next time.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../src/base/clock.ts";
import type { EndReason } from "../src/model/end.ts";
import type { History } from "../src/model/history.ts";
import type { Lease } from "../src/model/lease.ts";
import type { VisitRecord } from "../src/model/record.ts";
import { historyOf } from "../src/policy/history.ts";
import { openEmbedded } from "../src/store/embedded/backend.ts";
import { recordOf, settled, url } from "../test/conformance/frontier-world.ts";
import { random } from "../test/web/random.ts";

const BATCH = 200;
const URLS_A_HOST = 20;
const WEEK_MS = 7 * 86_400_000;

const [urls = 2e5, revisits = urls] = process.argv.slice(2).map(Number);
const dir = mkdtempSync(join(tmpdir(), "trawl-bench-"));
const chance = random(42, "revisits");
const clock: Clock & { time: number } = { time: 1_700_000_000_000, now: () => clock.time, sleep: async () => {} };
await using backend = openEmbedded(dir, { clock });

/** CPU microseconds by step. */
const spent = { first: 0, queue: 0, lease: 0, commit: 0 };

async function spend<T>(on: keyof typeof spent, work: () => Promise<T>): Promise<T> {
  const before = process.threadCpuUsage();
  const result = await work();
  const { user, system } = process.threadCpuUsage(before);
  spent[on] += user + system;
  return result;
}

/** As long as a history becomes: all its spans, and a pool of those before. */
function historyAfter(previous: VisitRecord): History {
  const before = historyOf(previous);
  return {
    ...before,
    checks: before.checks + 1,
    spans: Array.from({ length: 16 }, (_, i) => (i % 3 === 0 ? 1 : -1) * chance.int(3_600, 900_000)),
    olderPool: { changes: 12, changedMs: 123_456_789, unchangedMs: 987_654_321 },
    seenAt: clock.time,
  };
}

function visitOf(lease: Lease, end: EndReason) {
  const { url, previous } = lease;
  const record: VisitRecord = {
    ...recordOf(lease, end, clock.time),
    etag: '"5f2-5e1c"',
    lastModified: "Mon, 30 Nov 2026 10:00:00 GMT",
    capture: {
      response: { file: "20261130-abcdef-1.warc.gz", offset: url.id * 9_000, length: 9_000 },
      at: clock.time,
      digest: "sha1:ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
      truncated: null,
    },
    history: previous === null ? null : historyAfter(previous),
  };
  const dueAt = clock.time + chance.int(1, WEEK_MS);
  return settled(lease, { kind: "end", end }, clock.time, { record, dueAt });
}

const commit = (leases: readonly Lease[], end: EndReason) => {
  const batch = { settled: leases.map((lease) => visitOf(lease, end)), hosts: [], robots: [], marks: [] };
  return () => backend.commit(batch);
};

for (let made = 0; made < urls; made += 1_000)
  await backend.add(
    Array.from({ length: 1_000 }, (_, i) => url(`host-${(made + i) % (urls / URLS_A_HOST)}.test`, `page-${made + i}`)),
  );
for (;;) {
  const leases = await spend("first", () => backend.lease(BATCH));
  if (leases.length === 0) break;
  await spend("first", commit(leases, "fetched"));
}
const size = statSync(join(dir, "state.db")).size;

let visited = 0;
while (visited < revisits) {
  await spend("queue", async () => {
    const due = await backend.due(Number.POSITIVE_INFINITY, BATCH);
    clock.time = Math.max(clock.time, due.at(-1)!.dueAt);
    return backend.revisit(due.map(({ id }) => ({ id, priority: 1 })));
  });
  const leases = await spend("lease", () => backend.lease(BATCH));
  visited += leases.length;
  await spend("commit", commit(leases, chance.int(0, 3) === 0 ? "fetched" : "not-modified"));
}

const us = (cpu: number, visits: number): string => `${(cpu / visits).toFixed(1)} us`;
console.log(`${urls} URLs on ${urls / URLS_A_HOST} hosts; ${visited} visits to what came back`);
console.log(`a first visit         ${us(spent.first, urls)}`);
console.log(`a visit that is due   ${us(spent.queue + spent.lease + spent.commit, visited)}, of these`);
console.log(`  due, queued again   ${us(spent.queue, visited)}`);
console.log(`  leased              ${us(spent.lease, visited)}`);
console.log(`  committed           ${us(spent.commit, visited)}`);
const grown = statSync(join(dir, "state.db")).size - size;
console.log(`on disk               ${(grown / visited).toFixed(0)} bytes a visit`);
rmSync(dir, { recursive: true });
