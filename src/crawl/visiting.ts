/** What a visit thread does all day: many visits at once, and their results sealed together (group commit). */
import type { Href } from "../model/url.ts";
import type { Errand, Sealed, Visited } from "../model/visited.ts";
import { seal } from "./commit.ts";
import type { VisitContext } from "./context.ts";
import { visit } from "./visit.ts";

/** The shortest time between two syncs of the archive, in ms: a sync costs the same for one page as for fifty. */
const SEAL_EVERY_MS = 25;

export interface Visiting extends AsyncDisposable {
  start(errands: readonly Errand[]): void;
  /** Forgets which links were sent lately: what was sent may not have been admitted. */
  forget(): void;
  /** See `Admission.extend`. */
  extend(seed: Href): void;
}

/**
 * Runs `visit` for each errand; calls `done` with sealed batches. `failed` is told of what must stop the crawl: a full
 * disk, or a bug.
 */
export function visiting(
  context: VisitContext,
  done: (sealed: Sealed) => void,
  failed: (cause: unknown) => void,
): Visiting {
  const stop = new AbortController();
  const open = new Set<Promise<void>>();
  let finished: Visited[] = [];
  let sealing: Promise<void> | null = null;
  let sealedAt = 0;

  async function sealFinished(): Promise<void> {
    await context.clock.sleep(Math.max(sealedAt + SEAL_EVERY_MS - context.clock.now(), 1));
    sealedAt = context.clock.now();
    const visits = finished;
    finished = [];
    done(await seal(visits, context.archive));
  }

  function sealSoon(): void {
    if (sealing !== null) return;
    sealing = sealFinished()
      .catch(failed)
      .finally(() => {
        sealing = null;
        if (finished.length > 0) sealSoon();
      });
  }

  return {
    start(errands) {
      for (const errand of errands) {
        const one = visit(errand, context, stop.signal)
          .then((visited) => {
            finished.push(visited);
            sealSoon();
          })
          .catch(failed)
          .finally(() => open.delete(one));
        open.add(one);
      }
    },
    forget: () => context.sentLately.clear(),
    extend(seed) {
      context.admission.extend(seed);
      context.sentLately.clear(); // what was out of scope a moment ago may be in it now
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.allSettled(open);
      while (sealing !== null) await sealing;
      await context.archive[Symbol.asyncDispose]();
      await context.fetcher[Symbol.asyncDispose]();
    },
  };
}
