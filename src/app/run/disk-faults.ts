/** Faults of the disk, the store or the frontier: an outcome of the run that can be mended, not a bug. */
import type { CrawlStats } from "../../model/stats.ts";

/** Codes by which archive, state and file system say that the disk is full or broken. */
const DISK_CODES = new Set([
  ...["disk-full", "damaged", "io", "disk", "failed", "ENOSPC", "EDQUOT", "EIO", "EROFS"],
  ...["store-away", "store-refused", "store-missing", "store-corrupt", "store-full"],
  ...["frontier-away", "frontier-full", "frontier-lost"],
]);

export function diskSentence(cause: Error): string {
  const isElsewhere = /^(store|frontier)-/.test(String((cause as { code?: unknown }).code));
  return isElsewhere ? `${cause.message}; the same command goes on when that is mended` : cause.message;
}

export function isDiskFault(cause: unknown): cause is Error {
  return cause instanceof Error && "code" in cause && DISK_CODES.has(String(cause.code));
}

/** It does not answer, or takes nothing more; it may in a while. */
export const isFrontierAway = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && /^frontier-(away|full)$/.test(String(cause.code));

/** The same of the store. */
export const isStoreAway = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "store-away";

/** After a failed write the state answers no more: what was known before is told, so that the failure itself is heard. */
export async function lastKnown(snapshot: () => Promise<CrawlStats>): Promise<() => Promise<CrawlStats>> {
  let last = await snapshot();
  return async () => {
    try {
      last = await snapshot();
    } catch (cause) {
      if (!isDiskFault(cause)) throw cause;
    }
    return last;
  };
}
