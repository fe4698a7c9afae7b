/** A crawl that is looked at until the user has enough: the next look throws, so that whoever looks leaves nothing behind. */
import type { Remains } from "./view.ts";

/** Answers of its state, and items of what the state tells one by one, throw the reason of `signal` when that has aborted. */
export function until<C extends Remains>(signal: AbortSignal, crawl: C): C {
  return crawl.state === null ? crawl : { ...crawl, state: watched(crawl.state, signal) };
}

function watched<T extends object>(inner: T, signal: AbortSignal): T {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function" || typeof name === "symbol") return value;
      return (...words: unknown[]): unknown => {
        signal.throwIfAborted();
        const answer: unknown = value.apply(target, words);
        return isStream(answer) ? items(answer, signal) : answer;
      };
    },
  });
}

const isStream = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;

function items(inner: AsyncIterable<unknown>, signal: AbortSignal): AsyncIterableIterator<unknown> {
  const iterator = inner[Symbol.asyncIterator]();
  const end = async (): Promise<IteratorResult<unknown>> => (await iterator.return?.()) ?? { done: true, value: null };
  return {
    async next() {
      if (!signal.aborted) return iterator.next();
      await end();
      throw signal.reason;
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
