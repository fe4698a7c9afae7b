/** What a visit thread does all day: many visits at once, and their results sealed together (group commit). */
import type { Href } from "../model/url.ts";
import type { Errand, Sealed, Visited } from "../model/visited.ts";
import { Bell } from "./bell.ts";
import { seal } from "./commit.ts";
import type { VisitContext } from "./context.ts";
import { visit } from "./visit.ts";

/**
 * A sync of the archive and a message to the control thread cost nearly the same for one page as for fifty: finished
 * visits wait so long for others, in ms, unless so many have come together or nothing else is open.
 */
const SEAL_EVERY_MS = 50;
const SEAL_MOST = 64;

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
  let unasked: Errand[] = [];
  const enough = new Bell(context.clock);
  let sealing: Promise<void> | null = null;
  let sealedAt = 0;

  async function sealFinished(): Promise<void> {
    if (finished.length + unasked.length === 0) return;
    await enough.wait(Math.max(sealedAt + SEAL_EVERY_MS - context.clock.now(), 1));
    sealedAt = context.clock.now();
    const [visits, late] = [finished, unasked];
    finished = [];
    unasked = [];
    done(await seal(visits, late, context.archive, stop.signal));
  }

  function sealSoon(): void {
    if (open.size === 0 || finished.length >= SEAL_MOST) enough.ring();
    if (sealing !== null) return;
    sealing = sealFinished()
      .catch(failed)
      .finally(() => {
        sealing = null;
        if (finished.length + unasked.length > 0) sealSoon();
      });
  }

  return {
    start(errands) {
      for (const errand of errands) {
        if (context.clock.now() > errand.beginBy) {
          unasked.push(errand);
          sealSoon();
          continue;
        }
        const one = visit(errand, context, stop.signal)
          .then((visited) => {
            finished.push(visited);
          })
          .catch(failed)
          .finally(() => {
            open.delete(one);
            sealSoon();
          });
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
      await context.reading[Symbol.asyncDispose]();
      await Promise.allSettled(open);
      while (sealing !== null) await sealing;
      await context.archive[Symbol.asyncDispose]();
      await context.fetcher[Symbol.asyncDispose]();
    },
  };
}
