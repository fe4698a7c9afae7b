/** What stands beside the options: the crawl that a command is about, and a URL. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { KNOWN, type ParsedUrl, parseUrl } from "../../model/url.ts";
import type { Arguments } from "../config/arguments.ts";
import { completeSeed, readSeeds } from "../config/seeds.ts";
import { sharedCrawl } from "../config/sharing.ts";
import { type CrawlPlace, placeWords } from "../place/place.ts";
import { UsageError } from "../usage-error.ts";

/** The crawl of `trawl COMMAND DIR`, or of `trawl COMMAND --frontier ... --name ...`. Throws a `UsageError` when there is none, or more. */
export function oneCrawl(command: string, line: Arguments, cwd: string): CrawlPlace {
  const { place, rest, example } = crawlAnd(command, line, cwd);
  if (rest[0] === undefined) return place;
  const words = `"${rest[0]}" is one too many; name the crawl alone: ${example}`;
  throw new UsageError("unexpected-argument", words);
}

/** The two of `trawl COMMAND DIR URL`, also the other way round. Throws a `UsageError` when there are less, or more. */
export function crawlAndUrl(
  command: string,
  line: Arguments,
  cwd: string,
): { readonly place: CrawlPlace; readonly url: ParsedUrl } {
  const positionals = directoryFirst(line.positionals, cwd);
  const { place, rest, example } = crawlAnd(command, { ...line, positionals }, cwd);
  return { place, url: urlIn(exactlyOne(rest, "one URL", `${example} https://example.com/page`)) };
}

/** Of a directory and a URL, in whichever order they were written: the directory, and the URL. */
export function directoryFirst(positionals: readonly string[], cwd: string): readonly string[] {
  const [first, second] = positionals;
  if (positionals.length !== 2) return positionals;
  const isUrl = (word: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(word);
  const isDirectory = (word: string): boolean =>
    statSync(resolve(cwd, word), { throwIfNoEntry: false })?.isDirectory() ?? false;
  const isTurned = isUrl(first!) ? !isUrl(second!) : !isUrl(second!) && !isDirectory(first!) && isDirectory(second!);
  return isTurned ? [second!, first!] : positionals;
}

/** The crawl that a command is about, and what else stands on its line. `example`: such a line, as far as the crawl. */
export function crawlAnd(
  command: string,
  { given, positionals }: Arguments,
  cwd: string,
): { readonly place: CrawlPlace; readonly rest: readonly string[]; readonly example: string } {
  const crawl = sharedCrawl(given);
  if (crawl !== null) {
    const place: CrawlPlace = { kind: "shared", crawl };
    return { place, rest: positionals, example: `trawl ${command} ${placeWords(place)}` };
  }
  const [dir, ...rest] = positionals;
  const example = `trawl ${command} crawls/example.com`;
  if (dir === undefined)
    throw new UsageError("missing-argument", `name the directory of a crawl, or its --frontier and --name: ${example}`);
  return { place: { kind: "directory", dir: resolve(cwd, dir) }, rest, example };
}

/** The one directory of a command that is for crawls in directories alone. Throws a `UsageError` when there is none, or more. */
export const oneDirectory = (command: string, positionals: readonly string[]): string =>
  exactlyOne(positionals, "the directory of a crawl", `trawl ${command} crawls/example.com`);

/** Throws a `UsageError` unless `positionals` holds one thing; `what` it is and an `example` stand in the sentence. */
export function exactlyOne(positionals: readonly string[], what: string, example: string): string {
  const [first, second] = positionals;
  if (first === undefined) throw new UsageError("missing-argument", `name ${what}: ${example}`);
  if (second !== undefined)
    throw new UsageError("unexpected-argument", `"${second}" is one too many; name ${what} alone: ${example}`);
  return first;
}

/** A URL as it stands on a command line, with or without its scheme. Throws a `UsageError` when it is none. */
export function urlIn(text: string): ParsedUrl {
  const { faults } = readSeeds([text]);
  const parsed = parseUrl(completeSeed(text), undefined, KNOWN);
  if (faults.length > 0 || !parsed.ok) throw new UsageError("url", (faults[0] ?? text).replace(/^seed /, ""));
  return parsed.value;
}
