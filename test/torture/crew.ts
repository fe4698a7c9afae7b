/** The crawlers of one crawl, as processes: each in a directory of its own, started, killed, stopped and waited for by number. */
import { join } from "node:path";
import { type Run, type Running, startTrawl } from "../e2e/trawl.ts";

export interface CrewParts {
  /** The directories of all crawlers stand in it. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly patienceMs: number;
  /** The command of the crawler that works in `dir`. */
  command(dir: string): readonly string[];
}

export interface Ended {
  readonly crawler: number;
  readonly run: Run;
}

export class Crew {
  readonly #parts: CrewParts;
  readonly #running = new Map<number, Running>();
  readonly #stopped = new Set<number>();
  readonly #ends: Promise<Ended>[] = [];
  #last = 0;

  constructor(parts: CrewParts) {
    this.#parts = parts;
  }

  /** The crawlers that are at work. */
  get working(): readonly number[] {
    return [...this.#running.keys()].filter((crawler) => !this.#stopped.has(crawler));
  }

  /** One more; or one that was there before, in the directory that it had. */
  start(crawler = ++this.#last): number {
    const { command, dir, env, patienceMs } = this.#parts;
    const running = startTrawl(command(join(dir, `crawler-${crawler}`)), { env, patienceMs });
    this.#running.set(crawler, running);
    this.#ends.push(
      running.ended.then((run) => {
        if (this.#running.get(crawler) === running) this.#running.delete(crawler);
        return { crawler, run };
      }),
    );
    return crawler;
  }

  async kill(crawler: number): Promise<void> {
    const running = this.#running.get(crawler)!;
    this.#running.delete(crawler);
    running.process.kill("SIGKILL");
    await running.ended;
  }

  stop(crawler: number): void {
    this.#stopped.add(crawler);
    this.#running.get(crawler)!.process.kill("SIGSTOP");
  }

  goOn(crawler: number): void {
    this.#running.get(crawler)?.process.kill("SIGCONT");
    this.#stopped.delete(crawler);
  }

  /** Of all that were ever started, in order; resolves when the last has ended. */
  async ends(): Promise<readonly Ended[]> {
    const ends: Ended[] = [];
    for (const one of this.#ends) ends.push(await one); // more may come meanwhile
    return ends;
  }

  /** Leaves no process behind, whatever went wrong. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process } of this.#running.values()) process.kill("SIGKILL");
    await this.ends();
  }
}
