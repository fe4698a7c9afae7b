/** The crawlers of one crawl of bench/cluster, each a process. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { CrawlerTask, Stretch } from "./cluster-crawler.ts";

export class Crawlers implements AsyncDisposable {
  readonly #children: ChildProcess[] = [];

  async start(tasks: readonly CrawlerTask[]): Promise<void> {
    const program = new URL("./cluster-crawler.ts", import.meta.url);
    for (const task of tasks) {
      const child = fork(program, { env: { ...process.env, CRAWLER_TASK: JSON.stringify(task) } });
      this.#children.push(child);
      await this.#said(child); // the first has opened the crawl before the next joins
    }
  }

  /** All of them together. */
  async go(pages: number): Promise<Stretch> {
    const stretches = await Promise.all(
      this.#children.map((child) => {
        child.send(Math.ceil(pages / this.#children.length));
        return this.#said(child);
      }),
    );
    return together(stretches);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null) continue;
      child.disconnect();
      await once(child, "exit");
    }
  }

  async #said(child: ChildProcess): Promise<Stretch> {
    const ends = new AbortController();
    const dies = once(child, "exit", { signal: ends.signal }).then(([code]) => {
      throw new Error(`a crawler ended with code ${code}`);
    });
    const [said] = await Promise.race([once(child, "message", { signal: ends.signal }), dies]);
    ends.abort();
    dies.catch(() => {});
    return said as Stretch;
  }
}

export function together(stretches: readonly Stretch[]): Stretch {
  const sum = (what: keyof Stretch) => stretches.reduce((total, one) => total + one[what], 0);
  return { pages: sum("pages"), cpuUs: sum("cpuUs"), asked: sum("asked"), met: sum("met") };
}
