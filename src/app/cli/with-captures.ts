/** What a command finds that is given a directory and a URL: the captures of the URL in the archive. */
import type { Arguments } from "../config/arguments.ts";
import { type Found, findCaptures } from "../inspect/find-captures.ts";
import { openRemains } from "../place/open.ts";
import type { Remains } from "../place/view.ts";
import type { Shell } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { crawlAndUrl } from "./positionals.ts";

/** What `work` with them comes to; a sentence and its exit code when nothing of the URL is archived. Throws a `UsageError` as `crawlAndUrl` does. */
export async function withCaptures(
  command: string,
  line: Arguments,
  shell: Pick<Shell, "cwd" | "stderr">,
  work: (found: Found, crawl: Remains) => Promise<number>,
): Promise<number> {
  const { place, url } = crawlAndUrl(command, line, shell.cwd);
  await using crawl = await openRemains(place);
  const found = await findCaptures(crawl, url);
  if (found.captures.length > 0) return await work(found, crawl);
  shell.stderr.write(`trawl: nothing of ${found.url} is archived in ${crawl.name}: ${found.why}\n`);
  return EXIT.nothingFetched;
}
