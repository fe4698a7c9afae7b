/**
 * DIR/spool: what people ask of a crawl, whether it runs or not. `trawl add`, `pause` and `resume` put files there; only
 * the crawl takes them away, so that state.db has one writer. A file is taken away after its URLs are admitted: a crash
 * in between admits them again, which changes nothing.
 */
import { randomBytes } from "node:crypto";
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { replaceFile } from "../../base/replace-file.ts";
import { additionIn } from "../../model/addition.ts";
import type { Href } from "../../model/url.ts";
import type { Inbox, InboxSlot } from "../../ports/inbox.ts";
import { UsageError } from "../usage-error.ts";

/** Beside state.db. */
export const SPOOL = "spool";

const PAUSED = "paused";
/** `TIME-PROCESS-RANDOM.json`: sorts by time. What is being written has another name. */
const ADDITION = /^\d+-\d+-[0-9a-f]+\.json$/;

/** How often the crawl looks, in ms. */
const LOOK_EVERY_MS = 250;

/** The spool as others see it. Throws a `UsageError` when it cannot be written. */
export function spoolSlot(dir: string): InboxSlot {
  const isPaused = (): Promise<boolean> =>
    access(join(dir, SPOOL, PAUSED)).then(
      () => true,
      () => false,
    );
  return {
    isPaused,
    async add(addition, now) {
      const name = `${String(Math.floor(now)).padStart(15, "0")}-${process.pid}-${randomBytes(4).toString("hex")}.json`;
      await inSpool(dir, (spool) => replaceFile(join(spool, name), [`${JSON.stringify(addition)}\n`], 0o600));
    },
    async setPaused(paused) {
      if ((await isPaused()) === paused) return false;
      await inSpool(dir, (spool) =>
        paused ? writeFile(join(spool, PAUSED), "") : rm(join(spool, PAUSED), { force: true }),
      );
      return true;
    },
  };
}

async function inSpool(dir: string, work: (spool: string) => Promise<void>): Promise<void> {
  const spool = join(dir, SPOOL);
  try {
    await mkdir(spool, { recursive: true });
    await work(spool);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    throw new UsageError(
      "directory",
      `${spool} cannot be written (${cause.code}); make room, or change its permissions`,
      {
        cause,
      },
    );
  }
}

export interface SpoolParts {
  readonly dir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Admits URLs and gives the number of those that were new. They are on disk when it returns. */
  readonly admit: (urls: readonly Href[], priority: number | null) => Promise<number>;
  /** Called between the admission and the removal of each file. */
  readonly fault?: ((point: string) => void) | undefined;
}

/** The spool as the running crawl sees it. */
export function spoolInbox({ dir, clock, log, admit, fault = () => {} }: SpoolParts): Inbox {
  const spool = join(dir, SPOOL);
  /** Taken, and not to be removed for whatever reason. */
  const stuck = new Set<string>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let paused = false;

  async function take(name: string): Promise<void> {
    const addition = additionIn(await readFile(join(spool, name), "utf8"));
    if (addition === null) {
      log.warn({ file: name }, "spool-file-unreadable");
      await rename(join(spool, name), join(spool, `${name}.bad`));
      return;
    }
    const added = await admit(addition.urls as Href[], addition.priority);
    log.info({ urls: addition.urls.length, new: added }, "added");
    fault("spool");
    await rm(join(spool, name), { force: true });
  }

  return {
    async look(eager) {
      const now = clock.now();
      if (!eager && now - lookedAt < LOOK_EVERY_MS) return paused;
      lookedAt = now;
      const names = await readdir(spool).catch((): string[] => []);
      for (const name of names.filter((one) => ADDITION.test(one) && !stuck.has(one)).sort())
        await take(name).catch((cause: Error) => {
          if (!isOfFiles(cause)) throw cause;
          stuck.add(name);
          log.warn({ file: name, error: cause.message }, "spool-file-stuck");
        });
      if (paused !== names.includes(PAUSED)) {
        paused = !paused;
        log.info({}, paused ? "paused" : "resumed");
      }
      return paused;
    },
  };
}

/** Of the file system's own words, not of the store's. */
const isOfFiles = (cause: Error): boolean => "syscall" in cause;
