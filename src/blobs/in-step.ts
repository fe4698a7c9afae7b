/** Many things done a few at a time. */

/** Does `work` for each, so many at a time. */
export async function inStep<T>(all: readonly T[], atOnce: number, work: (one: T) => Promise<unknown>): Promise<void> {
  const rest = all[Symbol.iterator]();
  let failed = false;
  const lane = async (): Promise<void> => {
    for (const one of rest) {
      if (failed) return;
      try {
        await work(one);
      } catch (cause) {
        failed = true;
        throw cause;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(atOnce, all.length) }, lane));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
