/**
 * Carries finished archive files into the store, one at a time, while the crawl goes on. A file goes up when it is committed
 * to its last byte; when it is whole and checked there, its segments go, and then the copy on this disk.
 */
import { readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Patience } from "../../blobs/patience.ts";
import { archiveKey, removeSegments } from "../../blobs/segments.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { Backend } from "../../ports/frontier.ts";
import { IS_ARCHIVE } from "../dir/archive-files.ts";
import type { Fault } from "./fault.ts";

export interface UploadsParts {
  /** The folder of the archive's files. */
  readonly dir: string;
  readonly blobs: Blobs;
  readonly state: Pick<Backend, "marks" | "fact" | "setFact" | "sync">;
  readonly keepLocal: boolean;
  readonly patience: Patience;
  readonly clock: Clock;
  readonly log: Pick<Log, "info">;
  readonly fault: Fault;
  /** Told what keeps it from going on at all. */
  readonly failed: (cause: unknown) => void;
}

export interface Waiting {
  readonly files: number;
  readonly bytes: number;
}

/** How often it looks for finished files, in ms. */
const LOOK_EVERY_MS = 1_000;

interface Finished {
  readonly name: string;
  readonly bytes: number;
}

export class Uploads implements AsyncDisposable {
  /** MiB of finished files that wait, for the visit threads to read (`storedArchive`). */
  readonly waitingMib = new Int32Array(new SharedArrayBuffer(4));
  /** Finished files that waited when it was looked last. */
  spool: Waiting = { files: 0, bytes: 0 };
  /** Files that this run has sent. */
  sent: Waiting = { files: 0, bytes: 0 };
  readonly #parts: UploadsParts;
  readonly #stop = new AbortController();
  #turn: Promise<unknown> = Promise.resolve();
  #running: Promise<void> | null = null;

  constructor(parts: UploadsParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Sends all that is finished, now; rejects with what keeps it from that, and when `signal` aborts. */
  drain(signal: AbortSignal): Promise<void> {
    // What is under way for the loop is under way for the caller too.
    signal.addEventListener("abort", () => this.#stop.abort(), { once: true });
    if (signal.aborted) this.#stop.abort();
    const mine = this.#turn.then(async () => {
      for (;;) {
        const finished = await this.#finished();
        if (finished.length === 0) return;
        for (const file of finished) {
          if (signal.aborted) return;
          await this.#send(file, signal);
        }
      }
    });
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async waiting(): Promise<Waiting> {
    const finished = await this.#finished();
    return { files: finished.length, bytes: finished.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  /** Stops after the try that is under way is broken off; what it has sent counts for the next run. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#turn;
  }

  async #run(): Promise<void> {
    const { clock, failed } = this.#parts;
    const { signal } = this.#stop;
    try {
      while (!signal.aborted) {
        await this.drain(signal);
        await clock.sleep(LOOK_EVERY_MS, signal);
      }
    } catch (cause) {
      if (!signal.aborted) failed(cause);
    }
  }

  /** Closed, committed to the last byte, and not sent yet; the oldest first. */
  async #finished(): Promise<readonly Finished[]> {
    const { dir, state } = this.#parts;
    const names = (await readdir(dir).catch(() => [])).filter((name) => IS_ARCHIVE.test(name));
    const marks = names.length === 0 ? new Map<string, number>() : await state.marks();
    const finished: Finished[] = [];
    for (const name of names.sort()) {
      const { size } = await stat(join(dir, name));
      if (size > 0 && size === marks.get(name) && (await state.fact(storedFact(name))) === null)
        finished.push({ name, bytes: size });
    }
    const bytes = finished.reduce((sum, one) => sum + one.bytes, 0);
    this.spool = { files: finished.length, bytes };
    Atomics.store(this.waitingMib, 0, Math.min(Math.ceil(bytes / 2 ** 20), 2 ** 31 - 1));
    return finished;
  }

  async #send({ name, bytes }: Finished, signal: AbortSignal): Promise<void> {
    const { dir, blobs, state, keepLocal, patience, clock, log, fault } = this.#parts;
    const began = clock.now();
    const both = AbortSignal.any([signal, this.#stop.signal]);
    await state.sync(); // else a loss of power could leave a file in the store that the state knows less of
    const options = { signal: both, onPart: () => fault("part") };
    await patience(() => blobs.putFile(archiveKey(name), join(dir, name), options), both);
    fault("uploaded");
    this.sent = { files: this.sent.files + 1, bytes: this.sent.bytes + bytes };
    await patience(() => removeSegments(blobs, name), both);
    fault("segments gone");
    log.info({ file: name, bytes, ms: clock.now() - began, store: blobs.name }, "archive-stored");
    if (keepLocal) await state.setFact(storedFact(name), String(bytes));
    else await unlink(join(dir, name));
    fault("local gone");
  }
}

/** Says of a file that is on this disk that it is in the store too. */
const storedFact = (name: string): string => `stored ${name}`;
