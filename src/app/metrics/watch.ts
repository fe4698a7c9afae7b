/** Who watches a run from outside: its metrics, and whether it goes on, over HTTP (`--metrics`). */
import { type Instant, systemClock } from "../../base/clock.ts";
import type { Committed } from "../../crawl/committed.ts";
import type { CrawlHooks } from "../run/outcome.ts";
import { span } from "../wording.ts";
import { makeMetrics, type Sources } from "./metrics.ts";
import { type Health, serveMetrics } from "./server.ts";

export interface Watch extends AsyncDisposable {
  /** Those that were given; what they are told is counted, too. */
  readonly hooks: CrawlHooks;
  committed(batch: Committed): void;
  /** The crawl's loop begins. */
  begun(sources: Sources & { readonly progress: { readonly turnedAt: Instant } }): void;
  /** It has ended; what is left is sent and closed. */
  ending(): void;
}

/** A loop that has not come round for so long does not go on, in ms: it looks round twice a second when nothing happens. */
const STUCK_MS = 30_000;

/** @throws UsageError when nobody can listen there, or a package is not installed. */
export async function watchRun(listen: string, hooks: CrawlHooks): Promise<Watch> {
  const metrics = await makeMetrics(systemClock);
  let standing: "starting" | "running" | "ending" = "starting";
  let turnedAt = (): Instant => 0;
  let isPaused = false;
  const health = (): Health => {
    const { waitsFor } = metrics;
    if (waitsFor !== null) return { ok: false, says: waitsFor };
    if (standing !== "running") return { ok: standing === "ending", says: standing };
    const stood = systemClock.now() - turnedAt();
    if (stood > STUCK_MS) return { ok: false, says: `the crawl's loop has not come round for ${span(stood)}` };
    return { ok: true, says: isPaused ? "paused" : "running" };
  };
  const server = await serveMetrics(listen, {
    contentType: metrics.contentType,
    page: () => metrics.page(),
    health,
  });
  return {
    hooks: {
      ...hooks,
      onStart(controls) {
        hooks.onStart?.(controls);
        hooks.onNotice?.(`Metrics at ${server.url}`);
      },
      onStats(stats) {
        isPaused = stats.paused;
        metrics.stands(stats);
        hooks.onStats?.(stats);
      },
      onEvent: (level, facts, event) => metrics.heard(level, facts, event),
    },
    committed: (batch) => metrics.committed(batch),
    begun(sources) {
      turnedAt = () => sources.progress.turnedAt;
      metrics.watch(sources);
      standing = "running";
    },
    ending() {
      standing = "ending";
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
