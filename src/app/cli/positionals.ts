/** What stands beside the options of commands that take exactly one thing. */
import { KNOWN, type ParsedUrl, parseUrl } from "../../model/url.ts";
import { completeSeed, readSeeds } from "../config/seeds.ts";
import { UsageError } from "../usage-error.ts";

/** The one directory of `trawl COMMAND DIR`. Throws a `UsageError` when there is none, or more. */
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

/** The two of `trawl COMMAND DIR URL`. Throws a `UsageError` when there are less, or more. */
export function directoryAndUrl(
  command: string,
  positionals: readonly string[],
): { readonly directory: string; readonly url: ParsedUrl } {
  const [directory, url, third] = positionals;
  const example = `trawl ${command} crawls/example.com https://example.com/page`;
  if (directory === undefined || url === undefined)
    throw new UsageError("missing-argument", `name the directory of a crawl and a URL: ${example}`);
  if (third !== undefined)
    throw new UsageError("unexpected-argument", `"${third}" is one too many; name a directory and a URL: ${example}`);
  return { directory, url: urlIn(url) };
}
