export type Stream<T> = Iterable<T> | AsyncIterable<T>;

/** What can be had at once, as a stream: a microtask an item, where an async generator takes three. */
export function streamed<T>(items: Iterable<T>): AsyncIterableIterator<T> {
  const iterator = items[Symbol.iterator]();
  return {
    next: async () => iterator.next(),
    return: async () => iterator.return?.() ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** In order, `size` at a time; the last may be fewer. */
export async function* inBatches<T>(items: Stream<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
