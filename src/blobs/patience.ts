/** Waits out a store that is away: the work is tried again until it goes well, and nothing is given up. */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { BlobError } from "../ports/blobs.ts";

export interface PatienceParts {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** The store's name, for the log. */
  readonly store: string;
  readonly random?: () => number;
}

/** Pauses between tries, in ms: doubled each time, with jitter so that many do not come back at once. */
const FIRST_MS = 250;
const LONGEST_MS = 15_000;
/** What arrives spoilt so many times in a row will not arrive. */
const CORRUPT_MOST = 5;

export type Patience = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * Rejects with what is no matter of time (refused, full); when `signal` aborts, with what kept the work from going well at
 * the last try, which is not broken off. The log has `store-away` once, and `store-back` when the store is there again.
 */
export function patience({ clock, log, store, random = Math.random }: PatienceParts): Patience {
  let awayAt: number | null = null;
  return async (work, signal) => {
    let corrupt = 0;
    for (let pause = FIRST_MS; ; pause = Math.min(pause * 2, LONGEST_MS)) {
      try {
        const result = await work();
        if (awayAt !== null) log.warn({ store, ms: clock.now() - awayAt }, "store-back");
        awayAt = null;
        return result;
      } catch (cause) {
        if (!(cause instanceof BlobError) || !passes(cause, corrupt) || signal?.aborted) throw cause;
        if (cause.code === "store-corrupt") corrupt++;
        else if (awayAt === null) {
          awayAt = clock.now();
          log.warn({ store, error: cause.message }, "store-away");
        }
        await clock.sleep(pause * (0.5 + random() / 2), signal);
        if (signal?.aborted) throw cause;
      }
    }
  };
}

function passes({ code }: BlobError, corrupt: number): boolean {
  return code === "store-away" || (code === "store-corrupt" && corrupt < CORRUPT_MOST);
}
