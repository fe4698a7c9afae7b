/** Many things done a few at a time. */

/** Does `work` for each, so many at a time. */
export async function inStep<T>(all: Iterable<T>, atOnce: number, work: (one: T) => Promise<unknown>): Promise<void> {
  const rest = Iterator.from(all);
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
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, lane));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
