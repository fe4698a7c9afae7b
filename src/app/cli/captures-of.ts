/** What a command finds that is given a directory and a URL: the captures of the URL in the archive. */
import { resolve } from "node:path";
import { type Found, findCaptures } from "../inspect/find-captures.ts";
import type { Shell } from "./command.ts";
import { directoryAndUrl } from "./positionals.ts";

/** Null, and a sentence on standard error, when nothing of the URL is archived. Throws a `UsageError` as `directoryAndUrl` does. */
export async function capturesOf(
  command: string,
  positionals: readonly string[],
  shell: Pick<Shell, "cwd" | "stderr">,
): Promise<(Found & { readonly dir: string }) | null> {
  const { directory, url } = directoryAndUrl(command, positionals);
  const dir = resolve(shell.cwd, directory);
  const found = await findCaptures(dir, url);
  if (found.captures.length > 0) return { ...found, dir };
  shell.stderr.write(`trawl: nothing of ${found.url} is archived in ${dir}: ${found.why}\n`);
  return null;
}
