/** The file of cookies: read when a crawl starts, saved while it runs and when it ends. */
import { access, constants, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { systemClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { replaceFile } from "../../base/replace-file.ts";
import { type CookieFile, parseCookieFile, printCookieFile } from "../../net/cookie-file.ts";
import { chainCookies, SessionCookies } from "../../net/cookies.ts";
import type { Cookies } from "../../ports/cookies.ts";
import { UsageError } from "../usage-error.ts";

/** A killed crawl loses at most so much of its session. */
const SAVE_EVERY_MS = 30_000;

export interface KeptCookies extends AsyncDisposable {
  readonly cookies: Cookies;
}

/** Without a file no cookies are kept. A file that is not there yet is empty. Throws a `UsageError` on one that is no file of cookies. */
export async function openCookies(path: string | null, log: Pick<Log, "error">): Promise<KeptCookies> {
  if (path === null) return { cookies: chainCookies(systemClock), async [Symbol.asyncDispose]() {} };
  const { cookies: stored, format } = await readCookies(path);
  const cookies = new SessionCookies(systemClock, stored);
  let saved = cookies.version;
  let saving = Promise.resolve();
  const save = (): Promise<void> => {
    saving = saving.then(async () => {
      if (cookies.version === saved) return;
      const { version } = cookies;
      try {
        await replaceFile(path, [printCookieFile(cookies.all(), format)], 0o600); // a session is a secret
        saved = version;
      } catch (cause) {
        log.error({ file: path, error: (cause as Error).message }, "cookies-not-saved");
      }
    });
    return saving;
  };
  const timer = setInterval(() => void save(), SAVE_EVERY_MS);
  return {
    cookies,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await save();
    },
  };
}

/** Throws a `UsageError` where `openCookies` would: to be asked before anything is written. */
export async function checkCookies(path: string | null): Promise<void> {
  if (path === null) return;
  await readCookies(path);
  await access(dirname(path), constants.W_OK).catch(() => {
    throw new UsageError(
      "cookies",
      `cookies cannot be saved in ${path}: its directory is missing or not writable; name another file with --cookies`,
    );
  });
}

async function readCookies(path: string): Promise<CookieFile> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return { format: path.endsWith(".json") ? "json" : "netscape", cookies: [] };
    throw new UsageError("cookies", `cannot read the cookies in ${path}: ${message}; name another file with --cookies`);
  }
  const parsed = parseCookieFile(text);
  if (parsed.ok) return parsed.value;
  throw new UsageError("cookies", `the file of cookies ${path}: ${parsed.error}`);
}
