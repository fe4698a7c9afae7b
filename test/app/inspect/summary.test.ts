import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { END_WORDS, summaryLines } from "../../../src/app/inspect/summary.ts";
import type { CrawlOutcome } from "../../../src/app/run/outcome.ts";
import { DROP_REASONS, VISIT_REASONS } from "../../../src/model/end.ts";
import { stats } from "../stats.ts";

const outcome = (changes: Partial<CrawlOutcome> = {}): CrawlOutcome => ({
  reason: "done",
  revisits: "none",
  stats: stats({ queued: 0, leased: 0, hosts: 0 }),
  dir: "/srv/crawls/a.test",
  resumed: false,
  ...changes,
});

describe("the summary", () => {
  it("counts URLs by how they ended, and tells where the files are", () => {
    assert.deepEqual(summaryLines(outcome(), "/srv"), [
      "Done: 412 pages, 12.4 MB, 430 requests, 8.2 pages/s in 50 s",
      "  fetched   412  fetched and kept",
      "  http-4xx    2  the server says there is no such page",
      "  dns         1  the name does not resolve",
      "  robots     12  robots.txt says no",
      "  scope     880  outside the scope (--scope)",
      "Files: crawls/a.test (archive/*.warc.gz, indexes/index.cdxj, pages/pages.jsonl, state.db, logs/)",
    ]);
  });
  it("tells what looking again has found", () => {
    const again = { looks: 1_200, changed: 34, unchanged: 1_150, away: 10 };
    const lines = summaryLines(outcome({ stats: stats({ again }) }), "/srv");
    assert.ok(
      lines.includes("  looked at again: 1,200 URLs; 34 changed, 1,150 had not, 10 gone, moved or denied"),
      lines.join("\n"),
    );
  });
  it("says how many URLs a filter has probably lost", () => {
    const lines = summaryLines(outcome({ lost: "about 12 of 412" }), "/srv");
    assert.ok(lines.includes("  lost: about 12 of 412"));
    assert.ok(!summaryLines(outcome(), "/srv").some((line) => line.includes("lost")));
  });
  it("names a directory elsewhere by its whole path", () => {
    assert.match(summaryLines(outcome(), "/home/me").at(-1)!, /^Files: \/srv\/crawls\/a\.test \(/);
    assert.match(summaryLines(outcome(), "/srv/crawls/a.test").at(-1)!, /^Files: \. \(/);
  });
  it("says how to go on after an interruption, and what is still to do", () => {
    const lines = summaryLines(outcome({ reason: "interrupted", stats: stats() }), "/srv");
    assert.match(lines[0]!, /^Interrupted: /);
    assert.ok(lines.includes("  still to do: 2,324 URLs of 41 hosts"));
    assert.equal(lines.at(-1), "Nothing is lost: the same command goes on from here.");
  });
  it("says how to go on after a limit", () => {
    const lines = summaryLines(outcome({ reason: "limit", stats: stats({ limit: 412 }) }), "/srv");
    assert.match(lines[0]!, /^Stopped at the limit of 412 pages: /);
    assert.equal(lines.at(-1), "The same command with a higher --limit goes on from here.");
  });
  it("says to leave out what would begin the crawl again", () => {
    const last = (changes: Partial<CrawlOutcome>) =>
      summaryLines(outcome({ stats: stats({ limit: 412 }), ...changes }), "/srv", { overwrite: true }).at(-1);
    assert.equal(
      last({ reason: "limit" }),
      "The same command without --overwrite with a higher --limit goes on from here.",
    );
    assert.equal(last({ reason: "time-limit" }), "The same command without --overwrite goes on from here.");
    const message = "no room left to write f: make room, then run the same command again";
    assert.equal(
      last({ reason: "disk", message }),
      "no room left to write f: make room, then run the same command without --overwrite again.",
    );
  });
  it("says how to go on after a budget", () => {
    const lines = summaryLines(outcome({ reason: "over-budget", stats: stats() }), "/srv");
    assert.match(lines[0]!, /^Done within the budgets: /);
    assert.ok(lines.includes("  still to do: 2,324 URLs of 41 hosts"));
    assert.match(lines.at(-1)!, /higher --max-per-host or --max-per-domain goes on\.$/);
  });
  it("says what the disk said", () => {
    const lines = summaryLines(outcome({ reason: "disk", message: "no space left in /work" }), "/srv");
    assert.equal(lines.at(-1), "no space left in /work. Make room; the same command goes on from here.");
    const message = "no room left to write f: make room, then run the same command again";
    assert.equal(summaryLines(outcome({ reason: "disk", message }), "/srv").at(-1), `${message}.`);
  });
  it("tells a resumed crawl's pages as those of all its runs", () => {
    assert.match(summaryLines(outcome({ resumed: true }), "/srv")[0]!, /^Done: 412 pages in all, /);
  });
  it("says so when a crawl that is taken up again had nothing left to do", () => {
    const last = (requests: number, resumed: boolean) =>
      summaryLines(outcome({ resumed, stats: stats({ queued: 0, leased: 0, requests }) }), "/srv").at(-1)!;
    assert.equal(
      last(0, true),
      "Nothing was left to do; trawl recrawl crawls/a.test visits pages again, --overwrite begins again.",
    );
    assert.match(last(1, true), /^Files: /);
    assert.match(last(0, false), /^Files: /);
  });
  it("of a pass over what is due never speaks of beginning again, but of what is due next", () => {
    const last = (looks: number, inMs: number | null) => {
      const again = { looks, changed: 0, unchanged: looks, away: 0 };
      const at = 1_000_000;
      const due = { at, nextVisitAt: inMs === null ? null : at + inMs };
      const now = stats({ queued: 0, leased: 0, requests: looks, again, ...due });
      return summaryLines(outcome({ revisits: "pass", resumed: true, stats: now }), "/srv").at(-1)!;
    };
    const next = "The next visit is due in 2h 20m; trawl due crawls/a.test says more.";
    assert.equal(last(0, 140 * 60_000), `Nothing was due. ${next}`);
    assert.equal(last(3, 140 * 60_000), next);
    assert.equal(last(3, -1), "The next visit is due now; trawl due crawls/a.test says more.");
    assert.equal(last(0, null), "Nothing was due.");
    const limited = outcome({ reason: "limit", revisits: "pass", resumed: true });
    assert.equal(summaryLines(limited, "/srv").at(-1), "The same command goes on from here.");
  });
  it("has words for every end", () => {
    assert.deepEqual(Object.keys(END_WORDS).sort(), [...DROP_REASONS, ...VISIT_REASONS].sort());
  });
});
