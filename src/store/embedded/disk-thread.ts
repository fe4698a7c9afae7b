/**
 * A thread that reads and syncs for the control thread, which would stand still for it. It is started when it is first
 * needed; small crawls never do. Whatever it is asked for is help: where it is late, or is no more, nobody waits for it.
 */
import { Worker } from "node:worker_threads";
import type { LeasedRow } from "./rows.ts";

export type ToDisk =
  | { readonly kind: "checkpoint" }
  | { readonly kind: "read"; readonly question: number; readonly ids: readonly number[] };
export type FromDisk =
  | { readonly kind: "checkpointed" }
  | { readonly kind: "rows"; readonly question: number; readonly rows: readonly LeasedRow[] };

/** When it is needed. */
export interface DiskPace {
  /** Pages in the log when it is brought into the file: pages written again and again (hosts, indexes) go there once. */
  readonly logPages: number;
  /** The rows of so many of the newest URLs are in the writer's own memory of the file, mostly, and not read ahead. */
  readonly newest: number;
}

export const DISK_PACE: DiskPace = { logPages: 16_384, newest: 100_000 };

export class DiskThread {
  readonly #file: string;
  readonly #heard: ((answer: FromDisk) => void)[] = [];
  #worker: Worker | null = null;

  /** `file`: of the database. */
  constructor(file: string) {
    this.#file = file;
  }

  get isStarted(): boolean {
    return this.#worker !== null;
  }

  hear(listener: (answer: FromDisk) => void): void {
    this.#heard.push(listener);
  }

  ask(what: ToDisk): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(what);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    // In a checkout the sources run as they are; a published package has them compiled.
    const name = import.meta.url.endsWith(".ts") ? "./disk-thread-entry.ts" : "./disk-thread-entry.js";
    const worker = new Worker(new URL(name, import.meta.url), {
      name: "disk",
      workerData: this.#file,
      ...{ stdout: true, stderr: true }, // it prints nothing, and those of the process are left as they are
    });
    worker.unref();
    worker.on("message", (answer: FromDisk) => {
      for (const listener of this.#heard) listener(answer);
    });
    worker.on("error", () => {}); // it answers no more, and that is all
    return worker;
  }
}
