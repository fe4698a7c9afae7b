/** Programs of the system that tests need: found on the path, or installed from Debian, or asked for in words. */
import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const INSTALL_MS = 300_000;

/** Thrown when something is missing and may not be installed from here: says the command that mends it. */
export class MissingService extends Error {
  readonly code = "MISSING_SERVICE";
  constructor(what: string, packages: readonly string[], cause?: unknown) {
    super(`${what} is missing. Install it with: sudo ${installCommand(packages)}`, { cause });
  }
}

function installCommand(packages: readonly string[]): string {
  return `apt-get install --yes --no-install-recommends ${packages.join(" ")}`;
}

/** The path of a program. /usr/sbin and the like count even when the path of the user has them not. */
export async function findCommand(name: string): Promise<string | null> {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin"];
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // not there: on to the next
    }
  }
  return null;
}

async function install(what: string, packages: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) throw new MissingService(what, packages);
  const words = ["install", "-o", "DPkg::Lock::Timeout=300", "--yes", "--no-install-recommends", ...packages];
  try {
    try {
      await apt(words);
    } catch {
      // The lists of a fresh machine are empty or old.
      await apt(["update"]);
      await apt(words);
    }
  } catch (cause) {
    throw new MissingService(what, packages, cause);
  }
}

/** Waits for its turn: apt serves one caller at a time, and test files run side by side. */
async function apt(words: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const deadline = performance.now() + INSTALL_MS;
  for (;;) {
    try {
      await run("apt-get", [...words], { env, timeout: INSTALL_MS, maxBuffer: 2 ** 26 });
      return;
    } catch (cause) {
      const busy = /could not get lock|unable to (lock|acquire)/i.test(String((cause as { stderr?: string }).stderr));
      if (!busy || performance.now() > deadline) throw cause;
      await sleep(1000);
    }
  }
}

/** What `find` finds, after an installation if need be. */
export async function need<T>(
  what: string,
  packages: readonly string[],
  find: () => Promise<T | null>,
  installed: (what: string, packages: readonly string[]) => Promise<void> = install,
): Promise<T> {
  const found = await find();
  if (found !== null) return found;
  await installed(what, packages);
  const now = await find();
  if (now === null) throw new MissingService(what, packages);
  return now;
}
