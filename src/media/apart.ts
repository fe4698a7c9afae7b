/**
 * Work that somebody's bytes may draw out for ever, or swell: done in a thread of its own, which is ended when it takes
 * too long or too much. Code that blocks its thread cannot be stopped from inside it.
 */
import { Worker } from "node:worker_threads";
import type { Clock } from "../base/clock.ts";
import { err, type Result } from "../base/result.ts";
import type { MainContent } from "./main-content.ts";
import type { PdfContent } from "./pdf.ts";

/** What may be asked of the thread: `body` is given away. */
export interface Jobs {
  readonly pdf: { readonly body: Uint8Array<ArrayBuffer>; readonly withText: boolean };
  readonly content: { readonly html: string; readonly href: string };
}

export interface Answers {
  readonly pdf: PdfContent;
  readonly content: MainContent;
}

export type Kind = keyof Jobs;

/** To the thread. */
export type Order = { readonly [K in Kind]: { readonly kind: K; readonly job: Jobs[K] } }[Kind];

/** From the thread. */
export type Reply = Result<Answers[Kind], string>;

/** What became of a job: a reply, or why its thread must be ended. */
type Outcome = Reply | { readonly ended: string };

export interface ApartOptions {
  readonly clock: Clock;
  /** A job may take so long, in ms. */
  readonly deadlineMs?: number;
  /** What the thread may hold, in MiB: as much of objects, and as much again of buffers. */
  readonly memoryMiB?: number;
  /** The module that the thread runs. */
  readonly entry?: URL;
}

/** An honest page of a few megabytes needs 5 s, and on a busy machine more. PDF gives up by itself before. */
const DEADLINE_MS = 30_000;
const MEMORY_MIB = 512;
const STOPPED = "the crawl was stopped before it was read";
/** How often the thread's objects and buffers are measured while it works, in ms. */
const MEASURE_MS = 100;
/** What is measured of objects has garbage in it that nobody has had to collect yet: so many times the limit is too much. */
const GARBAGE = 2;
/**
 * V8 keeps no limit for buffers, and at its limit for objects it ends the whole process, not the thread, whenever one
 * step takes more than a few MiB: a map that grows is enough. So that one is out of reach, so many times ours.
 */
const ROOM = 8;
const MIB = 1_048_576;

const entryUrl = (): URL =>
  new URL(import.meta.url.endsWith(".ts") ? "./apart-thread.ts" : "./apart-thread.js", import.meta.url);

/** One job at a time; the thread is started for the first one, and anew after one that had to be ended. */
export class Apart implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #memoryMiB: number;
  readonly #entry: URL;
  readonly #closed = new AbortController();
  #worker: Worker | null = null;
  /** Of the job that is being done. */
  #settle: (outcome: Outcome) => void = () => {};
  /** Settled when the last job that was asked for is done. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ clock, deadlineMs = DEADLINE_MS, memoryMiB = MEMORY_MIB, entry = entryUrl() }: ApartOptions) {
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
    this.#memoryMiB = memoryMiB;
    this.#entry = entry;
  }

  /** Waits for the jobs before it. An error is a sentence: what the job has thrown, or why it was ended. */
  run<K extends Kind>(kind: K, job: Jobs[K], give: readonly ArrayBuffer[] = []): Promise<Result<Answers[K], string>> {
    const answer = this.#last.then(() => this.#run({ kind, job } as Order, give));
    this.#last = answer;
    return answer as Promise<Result<Answers[K], string>>;
  }

  /** Jobs that are not done end with an error. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await this.#last;
    await this.#worker?.terminate();
  }

  async #run(order: Order, give: readonly ArrayBuffer[]): Promise<Reply> {
    if (this.#closed.signal.aborted) return err(STOPPED);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const over = new AbortController();
    const outcome = await new Promise<Outcome>((resolve) => {
      this.#settle = resolve;
      const end = (ended: string) => resolve({ ended });
      this.#closed.signal.addEventListener("abort", () => end(STOPPED), { signal: over.signal });
      void this.#overtime(over.signal, end);
      void this.#swelling(worker, over.signal, end);
      worker.ref();
      worker.postMessage(order, give);
    });
    over.abort();
    worker.unref(); // one that waits for work keeps no process alive
    if (!("ended" in outcome)) return outcome;
    this.#worker = null;
    await worker.terminate();
    return err(outcome.ended);
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, {
      name: "apart",
      resourceLimits: { maxOldGenerationSizeMb: ROOM * this.#memoryMiB },
    });
    const settle = (outcome: Outcome): void => {
      if (worker === this.#worker) this.#settle(outcome); // what an ended one still says counts no more
    };
    worker.on("message", settle);
    worker.on("error", ({ code, message }: NodeJS.ErrnoException) =>
      settle({ ended: code === "ERR_WORKER_OUT_OF_MEMORY" ? this.#tooMuch() : message }),
    );
    worker.on("exit", () => settle({ ended: "its thread ended by itself" }));
    return worker;
  }

  async #overtime(over: AbortSignal, end: (why: string) => void): Promise<void> {
    await this.#clock.sleep(this.#deadlineMs, over);
    if (!over.aborted) end(`it took longer than ${this.#deadlineMs / 1000} s`);
  }

  async #swelling(worker: Worker, over: AbortSignal, end: (why: string) => void): Promise<void> {
    for (;;) {
      await this.#clock.sleep(MEASURE_MS, over);
      if (over.aborted) return;
      const held = await worker.getHeapStatistics().catch(() => null); // it may have ended by itself
      const most = this.#memoryMiB * MIB;
      if (held !== null && (held.used_heap_size > GARBAGE * most || held.external_memory > most))
        return end(this.#tooMuch());
    }
  }

  readonly #tooMuch = (): string => `it took more than ${this.#memoryMiB} MiB of memory`;
}
