/** The store's side of a run: archive files go up while it crawls; at its end what is left, and then index, pages and configuration. */
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { patience } from "../../blobs/patience.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { Backend } from "../../ports/frontier.ts";
import { publicConfig } from "../config/config.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import { counted, size } from "../wording.ts";
import type { Fault } from "./fault.ts";
import type { CrawlHooks } from "./outcome.ts";
import { Uploads } from "./uploads.ts";

export interface Sending extends AsyncDisposable {
  readonly uploads: Uploads;
  /**
   * Sends what is left, and then `made`, files of the crawl's directory. A run that was interrupted takes some seconds for it and no more; any other waits as long as it
   * takes, or until it is interrupted. Whether all is there.
   */
  finish(made: readonly string[], interrupted: boolean, hooks: CrawlHooks): Promise<boolean>;
}

/** What an interrupted run takes for the store, in ms. */
const GRACE_MS = 5_000;

export function sendingOf(
  config: CrawlConfig,
  state: Backend,
  blobs: Blobs,
  log: Log,
  fault: Fault,
  failed: (cause: unknown) => void,
): Sending {
  const patient = patience({ clock: systemClock, log, store: blobs.name });
  const uploads = new Uploads({
    dir: join(config.dir, "archive"),
    ...{ blobs, state, log, fault, failed },
    keepLocal: config.keepLocal,
    patience: patient,
    clock: systemClock,
  });
  return {
    uploads,
    async finish(made, interrupted, hooks) {
      const late = new AbortController();
      const timer = interrupted ? setTimeout(() => late.abort(), GRACE_MS) : null;
      const signals = [late.signal, hooks.hardSignal ?? null, interrupted ? null : hooks.signal];
      const signal = AbortSignal.any(signals.filter((one) => one !== null));
      try {
        const { files, bytes } = await uploads.waiting();
        if (files > 0) hooks.onNotice?.(`${counted(files, "file")} (${size(bytes)}) to go up to ${blobs.name}`);
        await uploads.drain(signal);
        for (const file of made) await patient(() => blobs.putFile(file, join(config.dir, file), { signal }), signal);
        const kept = Buffer.from(`${JSON.stringify(publicConfig(config), null, 2)}\n`);
        await patient(() => blobs.put("crawl.json", kept, signal), signal);
      } catch (cause) {
        if (!signal.aborted) throw cause;
      } finally {
        if (timer !== null) clearTimeout(timer);
      }
      return !signal.aborted;
    },
    [Symbol.asyncDispose]: () => uploads[Symbol.asyncDispose](),
  };
}

/** The log, and people are told what they may wonder at: once, however many threads notice it. Who counts hears all of it. */
export function withNotices(log: Log, { onNotice, onEvent }: CrawlHooks): Log {
  let standing: string | null = null;
  const say: Readonly<Record<string, (facts: Record<string, unknown>) => string>> = {
    "store-away": ({ store, error }) => `${error ?? store}; the crawl waits for it, nothing is lost`,
    "store-back": ({ store }) => `${store} is there again`,
    "frontier-away": ({ error }) =>
      /^TRYAGAIN/.test(String(error))
        ? "a part of the frontier is on its way to another Redis master; the crawl waits for it, nothing is lost"
        : `the frontier does not answer (${error}); the crawl waits for it, nothing is lost`,
    "frontier-full": () =>
      "a Redis master has no memory left; give it more (maxmemory): the crawl waits for it, nothing is lost",
    "frontier-unreplicated": ({ master }) =>
      `the Redis master ${master} has no replica: what it knows dies with its disk`,
    "clocks-apart": ({ aheadMs }) =>
      `the clocks of this machine and of Redis are ${Math.abs(Number(aheadMs) / 1_000)} s apart; set both by a time server (NTP)`,
    "frontier-back": () => "the frontier is there again",
    "spool-full": ({ most }) => `${size(Number(most))} of finished files wait for the store; the crawl waits too`,
  };
  return {
    debug: (facts, event) => log.debug(facts, event),
    info(facts, event) {
      log.info(facts, event);
      onEvent?.("info", facts, event);
    },
    error(facts, event) {
      log.error(facts, event);
      onEvent?.("error", facts, event);
    },
    warn(facts, event) {
      log.warn(facts, event);
      onEvent?.("warn", facts, event);
      const words = say[event];
      if (words === undefined || standing === event || (event.endsWith("-back") && standing === null)) return;
      standing = event;
      onNotice?.(words({ ...facts }));
    },
  };
}
