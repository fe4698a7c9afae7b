/** Two versions of a URL held against each other: what a reader sees of them, or their text as it was written. */
import { isTextType } from "../../../model/media-type.ts";
import type { Readable } from "../../../ports/media-handler.ts";
import { isHtml, seenIn } from "../../page-content.ts";
import type { Remains } from "../../place/view.ts";
import { timeInUtc } from "../../wording.ts";
import { bodyElsewhere } from "../find-captures.ts";
import { type TextDiff, textDiff } from "./text-diff.ts";
import { documentOf, type Pair, type Version } from "./versions.ts";

export interface Comparison extends TextDiff {
  /** What there is to say beside, or in place of, the patch. */
  readonly says: string | null;
}

/** `markup`: HTML as it was written, not what is seen of it. */
export async function compare(
  { from, to }: Pair,
  url: string,
  crawl: Pick<Remains, "name" | "archive">,
  { markup }: { readonly markup: boolean },
): Promise<Comparison> {
  const sides: string[] = [];
  for (const version of [from, to]) {
    const text = await textOf(version, url, crawl, markup);
    if (typeof text !== "string") return { patch: "", coarse: false, says: text.why };
    sides.push(text);
  }
  const [old, young] = [sides[0]!, sides[1]!];
  const diff = textDiff(side(from, url, old), side(to, url, young));
  return { ...diff, says: remark(diff, { from, to }, markup) };
}

const side = ({ at }: Version, url: string, text: string) => ({ name: url, says: timeInUtc(at), text });

async function textOf(
  version: Version,
  url: string,
  crawl: Pick<Remains, "name" | "archive">,
  markup: boolean,
): Promise<string | { why: string }> {
  const found = await documentOf(version, url, crawl.archive);
  if (found === null) return { why: `version ${version.n}: ${await bodyElsewhere(crawl, version)}` };
  const { readable } = found;
  const { mediaType } = readable;
  const isSeen = isHtml(readable) || mediaType === "application/pdf";
  if (!isSeen && !isTextType(mediaType))
    return { why: `version ${version.n} is ${mediaType}: there is no text to compare` };
  if (!isSeen || (markup && isHtml(readable))) return readable.text();
  return whatIsSeen(readable);
}

/** A line a block. */
async function whatIsSeen(readable: Readable): Promise<string | { why: string }> {
  try {
    return await seenIn(readable, { lines: true });
  } catch (cause) {
    // A PDF that cannot be read, or the package for it is missing: the sentence says which.
    return { why: cause instanceof Error ? cause.message : String(cause) };
  }
}

function remark({ patch, coarse }: TextDiff, { from, to }: Pair, markup: boolean): string | null {
  if (coarse)
    return "the two differ in too much to seek the shortest way: all between their first and last difference is shown";
  if (patch !== "") return null;
  if (from.digest === to.digest) return `versions ${from.n} and ${to.n} are the same`;
  const more = markup || !isHtml({ mediaType: to.read?.mediaType ?? "" }) ? "" : "; --html compares how it is written";
  return `the text of versions ${from.n} and ${to.n} is the same${more}`;
}
