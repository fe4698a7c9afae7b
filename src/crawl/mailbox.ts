/** Where visitors leave sealed batches for the control thread, and where it waits for them. */
import type { Sealed } from "../model/visited.ts";

export class Mailbox {
  #sealed: Sealed[] = [];
  #failure: unknown = null;
  #wake: (() => void) | null = null;

  put(sealed: Sealed): void {
    this.#sealed.push(sealed);
    this.#wake?.();
  }

  /** The first failure is thrown by `take`, after everything that was put before. */
  fail(cause: unknown): void {
    this.#failure ??= cause;
    this.#wake?.();
  }

  /** All that has been put; waits for the first. Empty only when the signal aborts. */
  async take(signal?: AbortSignal): Promise<readonly Sealed[]> {
    while (this.#sealed.length === 0) {
      if (this.#failure !== null) throw this.#failure;
      if (signal?.aborted) return [];
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = () => resolve();
      this.#wake = wake;
      signal?.addEventListener("abort", wake, { once: true });
      await promise;
      signal?.removeEventListener("abort", wake);
      this.#wake = null;
    }
    return this.#sealed.splice(0);
  }
}
