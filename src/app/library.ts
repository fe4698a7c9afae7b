/** The crawl as a function: pages to loop over, or a callback for each. */
import { text as textOf } from "node:stream/consumers";
import { limitsFrom, parseUrl } from "../model/url.ts";
import { type CrawlInput, configFrom } from "./config/config.ts";
import { type Page, pageOf } from "./page.ts";
import { answersOf } from "./place/open.ts";
import type { Controls, CrawlOutcome } from "./run/outcome.ts";
import { runCrawl } from "./run/run.ts";
import { UsageError } from "./usage-error.ts";

export interface LibraryOptions extends CrawlInput {
  /** Aborting stops the crawl cleanly; the same options go on with it later. */
  readonly signal?: AbortSignal | undefined;
}

export interface PageContext {
  readonly page: Page;
  /** Adds URLs to the crawl, relative ones against the page; gives the number of those that were new. Scope does not hold for them; robots.txt does. */
  enqueue(urls: string | readonly string[]): Promise<number>;
  /** A line on standard error, and in DIR/logs with the page's URL. */
  readonly log: (message: string) => void;
}

export interface CallbackOptions extends LibraryOptions {
  /** Called for every URL that got an answer, several at once; the crawl waits for it. What it throws ends the crawl, which can be gone on with. */
  readonly onPage: (context: PageContext) => void | Promise<void>;
}

export interface Crawl extends AsyncIterable<Page> {
  /** How the crawl ended. Rejects with what the loop throws. */
  readonly outcome: Promise<CrawlOutcome>;
}

/** Pages that may wait for the loop's body before the crawl waits too. */
const AHEAD = 256;

/**
 * Crawls from `seeds`. With `onPage`: a promise of the outcome. Without: pages to loop over with `for await`; leaving
 * the loop stops the crawl. Bad options reject with a `UsageError`. Everything is also in the crawl's directory.
 */
export function crawl(options: CallbackOptions): Promise<CrawlOutcome>;
export function crawl(options: LibraryOptions): Crawl;
export function crawl(options: LibraryOptions | CallbackOptions): Crawl | Promise<CrawlOutcome> {
  const { onPage } = options as Partial<CallbackOptions>;
  return onPage === undefined ? new Pages(options) : withCallback({ ...options, onPage });
}

interface Started {
  readonly signal: AbortSignal;
  readonly onPages: (pages: readonly Page[], controls: Controls) => Promise<void>;
}

async function start(options: LibraryOptions, { signal, onPages }: Started): Promise<CrawlOutcome> {
  const around = { cwd: process.cwd(), readStdin: () => textOf(process.stdin) };
  const { signal: _signal, onPage: _onPage, ...input } = options as Partial<CallbackOptions> & LibraryOptions;
  const { config, notices } = await configFrom(input, "crawl()", around);
  for (const notice of notices) process.emitWarning(notice, { code: "TRAWL_NOTICE" });
  const answers = answersOf(config);
  let controls: Controls | null = null;
  return runCrawl(config, {
    signal,
    onStart: (given) => {
      controls = given;
    },
    async onSettled(records) {
      const answered = records.filter(({ visit }) => visit?.status != null);
      const pages = answered.map((record) => pageOf(record, answers, config.maxBody));
      if (pages.length > 0) await onPages(pages, controls!);
    },
  });
}

async function withCallback(options: CallbackOptions): Promise<CrawlOutcome> {
  if (typeof options.onPage !== "function")
    throw new UsageError("bad-value", "crawl(): onPage is no function; write onPage({ page, enqueue, log }) { ... }");
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const stopped = aborted(signal);
  const thrown: unknown[] = [];
  const outcome = await start(options, {
    signal,
    async onPages(pages, controls) {
      const called = Promise.all(
        pages.map(async (page) => {
          try {
            await options.onPage({ page, ...contextOf(page, controls) });
          } catch (cause) {
            thrown.push(cause);
            stop.abort();
          }
        }),
      );
      // Who has aborted does not wait for a callback that may never end.
      await Promise.race([called, stopped]);
    },
  });
  if (thrown.length > 0) throw thrown[0];
  return outcome;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function contextOf(page: Page, controls: Controls): Omit<PageContext, "page"> {
  return {
    log(message) {
      controls.log.info({ url: page.url, message }, "page");
      process.stderr.write(`${message}\n`);
    },
    enqueue(urls) {
      const hrefs = [urls].flat().map((url: unknown) => {
        const parsed = typeof url === "string" ? parseUrl(url, page.url, limitsFrom(page.url)) : null;
        if (parsed?.ok) return parsed.value.href;
        throw new UsageError("bad-seeds", `enqueue: ${JSON.stringify(url)} is no URL that can be crawled; mend it`);
      });
      return controls.add(hrefs, { via: page.record.id, depth: page.depth + 1 });
    },
  };
}

class Pages implements Crawl {
  readonly outcome: Promise<CrawlOutcome>;
  readonly #stop = new AbortController();
  readonly #ready: Page[] = [];
  #wakeReader: (() => void) | null = null;
  #wakeCrawl: (() => void) | null = null;
  #ended = false;
  #looped = false;

  constructor(options: LibraryOptions) {
    const { signal } = options;
    this.outcome = start(options, {
      signal: signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]),
      onPages: (pages) => this.#put(pages),
    }).finally(() => {
      this.#ended = true;
      this.#wakeReader?.();
    });
    // Who only loops gets the rejection from the loop; it must not count as unhandled until then.
    this.outcome.catch(() => {});
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Page> {
    if (this.#looped) throw new Error("a crawl gives each page once: it can be looped over once");
    this.#looped = true;
    try {
      for (;;) {
        const page = this.#ready.shift();
        if (page !== undefined) {
          yield page;
          continue;
        }
        this.#wakeCrawl?.();
        if (this.#ended) break;
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
      }
      await this.outcome;
    } finally {
      this.#stop.abort();
      this.#ready.length = 0;
      this.#wakeCrawl?.();
      await this.outcome.catch(() => {});
    }
  }

  async #put(pages: readonly Page[]): Promise<void> {
    this.#ready.push(...pages);
    this.#wakeReader?.();
    if (this.#ready.length < AHEAD || this.#stop.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#wakeCrawl = resolve;
    });
    this.#wakeCrawl = null;
  }
}
