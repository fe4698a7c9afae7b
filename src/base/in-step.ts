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

/**
 * What `work` makes of each, in order, so many under way at a time. Throws what `work` throws when its turn comes; what is
 * under way when nobody asks any more is let go.
 */
export async function* ahead<T, R>(all: Stream<T>, atOnce: number, work: (one: T) => Promise<R>): AsyncGenerator<R> {
  const underWay: Promise<R>[] = [];
  for await (const one of all) {
    const result = work(one);
    result.catch(() => {}); // said when its turn comes, if anybody still asks
    underWay.push(result);
    if (underWay.length >= atOnce) yield await underWay.shift()!;
  }
  while (underWay.length > 0) yield await underWay.shift()!;
}
