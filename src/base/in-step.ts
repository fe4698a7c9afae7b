/** Many things done a few at a time. */

import type { Stream } from "./streamed.ts";

/** Does `work` for each, so many at a time. */
export async function inStep<T>(all: Stream<T>, atOnce: number, work: (one: T) => Promise<unknown>): Promise<void> {
  const rest = Symbol.asyncIterator in all ? all[Symbol.asyncIterator]() : all[Symbol.iterator]();
  let failed = false;
  const lane = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await rest.next();
      if (done || failed) return;
      try {
        await work(value);
      } catch (cause) {
        failed = true;
        throw cause;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, lane));
  await rest.return?.();
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
