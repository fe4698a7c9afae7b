/** Visitors that are worker threads. A host prefers one thread, where its connections are warm; any thread will do. */
import type { Worker } from "node:worker_threads";
import { hashText } from "../base/hash.ts";
import type { Log } from "../base/log.ts";
import type { HostKey } from "../model/host.ts";
import type { Lease } from "../model/lease.ts";
import type { VisitRecord } from "../model/record.ts";
import type { Href } from "../model/url.ts";
import type { Errand, Sealed } from "../model/visited.ts";
import type { Visitors } from "../ports/visitors.ts";
import { Mailbox } from "./mailbox.ts";
import type { AnsweredTogether, AskedTogether, FindOriginal } from "./originals.ts";

export type ToThread =
  | { readonly kind: "errands"; readonly errands: readonly Errand[] }
  | ({ readonly kind: "originals" } & AnsweredTogether)
  | { readonly kind: "forget" }
  | { readonly kind: "extend"; readonly seed: Href }
  | { readonly kind: "close" };

export type FromThread =
  | { readonly kind: "ready" }
  | { readonly kind: "sealed"; readonly sealed: Sealed }
  | ({ readonly kind: "asks" } & AskedTogether)
  | { readonly kind: "warn"; readonly facts: object; readonly event: string }
  /** What must stop the crawl. `code` "disk-full" is the world's fault; anything else is a bug. */
  | { readonly kind: "failed"; readonly message: string; readonly code: string | null }
  | { readonly kind: "closed" };

/** The crawl cannot go on: the archive cannot be written, or a thread has died. */
export class VisitorsFailed extends Error {
  readonly code: string;
  constructor(message: string, code: string) {
    super(message);
    this.name = "VisitorsFailed";
    this.code = code;
  }
}

/** How long a thread may take to close its archive and connections before it is ended. */
const CLOSE_WITHIN_MS = 10_000;

/** A host's own thread takes its visits until it has so many more open than the idlest. */
const HOME_BIAS = 8;

interface Thread {
  readonly worker: Worker;
  open: number;
  readonly outbox: Errand[];
  readonly ready: Promise<void>;
  readonly closed: Promise<void>;
}

export class ThreadVisitors implements Visitors {
  readonly #threads: Thread[];
  readonly #perThread: number;
  readonly #findOriginal: FindOriginal;
  readonly #log: Pick<Log, "warn">;
  readonly #mailbox = new Mailbox();
  /**
   * Of open leases, by token: the record of the visit before, which is not sent to and fro. It may be large (a page's
   * metadata), and no visit reads it.
   */
  readonly #previous = new Map<number, VisitRecord>();
  #failure: VisitorsFailed | null = null;
  #closing = false;

  /** `perThread`: visits that one thread may have open. */
  constructor(workers: readonly Worker[], perThread: number, findOriginal: FindOriginal, log: Pick<Log, "warn">) {
    this.#perThread = perThread;
    this.#findOriginal = findOriginal;
    this.#log = log;
    this.#threads = workers.map((worker, index) => this.#adopt(worker, index));
  }

  /** Resolves when all threads have made their parts; throws what kept one from it. */
  async ready(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.ready));
    if (this.#failure !== null) throw this.#failure;
  }

  get free(): number {
    let free = 0;
    for (const thread of this.#threads) free += this.#perThread - thread.open;
    return free;
  }

  give(errands: readonly Errand[]): void {
    for (const errand of errands) {
      const thread = this.#threadFor(errand.lease.url.host);
      thread.open++;
      thread.outbox.push(this.#withoutPrevious(errand));
    }
    for (const { outbox, worker } of this.#threads)
      if (outbox.length > 0) worker.postMessage({ kind: "errands", errands: outbox.splice(0) } satisfies ToThread);
  }

  take(signal?: AbortSignal): Promise<readonly Sealed[]> {
    return this.#mailbox.take(signal);
  }

  forget(): void {
    this.#tellAll({ kind: "forget" });
  }

  extend(seed: Href): void {
    this.#tellAll({ kind: "extend", seed });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    this.#tellAll({ kind: "close" });
    const late = setTimeout(() => {
      for (const { worker } of this.#threads) void worker.terminate();
    }, CLOSE_WITHIN_MS);
    await Promise.all(this.#threads.map((thread) => thread.closed));
    clearTimeout(late);
  }

  #tellAll(message: ToThread): void {
    for (const { worker } of this.#threads) worker.postMessage(message);
  }

  #withoutPrevious(errand: Errand): Errand {
    const { token, previous } = errand.lease;
    if (previous === null) return errand;
    this.#previous.set(token, previous);
    return { ...errand, lease: { ...errand.lease, previous: null } };
  }

  #withPrevious<T extends { readonly lease: Lease }>(one: T): T {
    const { token } = one.lease;
    const previous = this.#previous.get(token);
    if (previous === undefined) return one;
    this.#previous.delete(token);
    return { ...one, lease: { ...one.lease, previous } };
  }

  #threadFor(host: HostKey): Thread {
    const first = hashText(host)[0] % this.#threads.length;
    const home = this.#threads[first]!;
    const least = this.#threads.reduce((idlest, thread) => (thread.open < idlest.open ? thread : idlest));
    // Warm connections are worth a short wait, not a core that idles while another is busy.
    return home.open < Math.min(least.open + HOME_BIAS, this.#perThread) ? home : least;
  }

  #adopt(worker: Worker, index: number): Thread {
    const ready = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const thread: Thread = { worker, open: 0, outbox: [], ready: ready.promise, closed: closed.promise };
    worker.on("message", (message: FromThread) => {
      if (message.kind === "ready") ready.resolve();
      else if (message.kind === "sealed") {
        const { visits, unasked } = message.sealed;
        thread.open -= visits.length + unasked.length;
        this.#mailbox.put({
          ...message.sealed,
          visits: visits.map((one) => this.#withPrevious(one)),
          unasked: unasked.map((one) => this.#withPrevious(one)),
        });
      } else if (message.kind === "asks") void this.#answer(worker, message);
      else if (message.kind === "warn") this.#log.warn(message.facts, message.event);
      else if (message.kind === "failed") this.#fail(message.message, message.code ?? "bug");
      else closed.resolve();
    });
    worker.on("error", (error) => this.#fail(`visit thread ${index} died: ${error.stack ?? error}`, "bug"));
    worker.on("exit", (code) => {
      if (!this.#closing) this.#fail(`visit thread ${index} ended by itself with code ${code}`, "bug");
      ready.resolve();
      closed.resolve();
    });
    return thread;
  }

  /** A state that has failed knows nothing; the crawl finds that out by itself. */
  async #answer(worker: Worker, { id, digests }: AskedTogether): Promise<void> {
    let originals: AnsweredTogether["originals"] = [];
    try {
      originals = await Promise.all(digests.map(this.#findOriginal));
    } catch (cause) {
      this.#log.warn({ error: String(cause) }, "originals-not-looked-up");
    }
    worker.postMessage({ kind: "originals", id, originals } satisfies ToThread);
  }

  #fail(message: string, code: string): void {
    this.#failure ??= new VisitorsFailed(message, code);
    this.#mailbox.fail(this.#failure);
  }
}
