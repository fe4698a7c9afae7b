/** What a command finds that is given a directory and a URL: the captures of the URL in the archive. */
import { resolve } from "node:path";
import { type Found, findCaptures } from "../inspect/find-captures.ts";
import { openRemains } from "../place/directory.ts";
import type { Remains } from "../place/view.ts";
import type { Shell } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { directoryAndUrl } from "./positionals.ts";

/** What `work` with them comes to; a sentence and its exit code when nothing of the URL is archived. Throws a `UsageError` as `directoryAndUrl` does. */
export async function withCaptures(
  command: string,
  positionals: readonly string[],
  shell: Pick<Shell, "cwd" | "stderr">,
  work: (found: Found, crawl: Remains) => Promise<number>,
): Promise<number> {
  const { directory, url } = directoryAndUrl(command, positionals);
  await using crawl = await openRemains(resolve(shell.cwd, directory));
  const found = await findCaptures(crawl, url);
  if (found.captures.length > 0) return await work(found, crawl);
  shell.stderr.write(`trawl: nothing of ${found.url} is archived in ${crawl.name}: ${found.why}\n`);
  return EXIT.nothingFetched;
}
