/** The pattern of a URL: its path and query with all that a machine counts up folded, so that a trap's pages share one. */
import { isFacet } from "./facets.ts";

export interface UrlPattern {
  /** `/calendar/{date}`, `/item-{n}.html`, `/shop/shoes?{filters}&page`. Words stay: they are what honest pages are named by. */
  readonly pattern: string;
  /** The wider one that it belongs to: `/shop/shoes?*`, `/maze/{loop}`, or of a page with a name `/lost/*`; else null. */
  readonly wider: string | null;
  /** Two or more parameters that can be combined, or a name twice in query or path: the wider pattern is all combinations. */
  readonly combined: boolean;
  /** Two or more of them filter or order a list. */
  readonly faceted: boolean;
}

const LONGEST = 200;
const MOST_NAMES = 12;

/** `href`: absolute, in fetch form. A few microseconds. */
export function urlPattern(href: string): UrlPattern {
  const start = href.indexOf("/", href.indexOf("//") + 2);
  const target = start === -1 ? "/" : href.slice(start);
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const segments = path.split("/");
  if (segments.length > 2 && segments.at(-1) === "") segments.pop(); // as in the key: /a/ is /a
  const loop = loopOf(segments);
  const folded = segments.map(foldSegment).join("/").replace(DATED_PATH, "/{date}");
  const query = mark === -1 ? NO_QUERY : foldQuery(target.slice(mark + 1));
  const pattern = (query.text === "" ? folded : `${folded}?${query.text}`).slice(0, LONGEST);
  const combined = loop !== null || query.free >= 2 || query.repeated;
  const nameAt = folded.lastIndexOf("/") + 1;
  const named = query.text === "" && !folded.includes("{", nameAt);
  const wider = loop ?? (combined ? `${folded}?*` : named ? `${folded.slice(0, nameAt)}*` : null);
  return { pattern, wider: wider?.slice(0, LONGEST) ?? null, combined, faceted: query.facets >= 2 };
}

/**
 * Relative links that go round in circles: `/maze/left/right/left` is of `/maze/{loop}`, and so is `/maze/up/left/left`,
 * though it got there by another way.
 */
function loopOf(segments: readonly string[]): string | null {
  for (let i = 1; i < segments.length; i++) {
    const first = segments.indexOf(segments[i]!);
    if (first < i && first > 0 && segments[i]!.length > 2 && !HAS_DIGIT.test(segments[i]!))
      return `${segments.slice(0, Math.min(first, 2)).map(foldSegment).join("/")}/{loop}`;
  }
  return null;
}

const YEAR = "(?:19|2[01])\\d\\d";
const DATE = new RegExp(`^${YEAR}(?:[-_.]?(?:0?[1-9]|1[0-2])){1}(?:[-_.]?(?:0?[1-9]|[12]\\d|3[01]))?$`);
const YEAR_ALONE = new RegExp(`^${YEAR}$`);
/** `/2031/05/06`, which was folded to `/{year}/{n}/{n}`. */
const DATED_PATH = /\/\{year\}(?:\/\{n\}){0,2}(?=\/|$)/g;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const HEX = /^(?=.*\d)(?=.*[a-f])[\da-f]{8,}$/i;
/** Letters and digits mixed as no word mixes them. */
const TOKEN = /^(?:(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\dA-Za-z]{8,}|(?=(?:\D*\d){3})(?=.*[a-z])[\dA-Za-z]{16,})$/i;
const DIGITS = /\d+/g;
const HAS_DIGIT = /\d/;

function foldSegment(segment: string): string {
  if (!HAS_DIGIT.test(segment)) return segment;
  if (YEAR_ALONE.test(segment)) return "{year}";
  if (segment.length >= 6 && DATE.test(segment)) return "{date}";
  const dot = segment.lastIndexOf(".");
  const stem = dot > 0 ? segment.slice(0, dot) : segment;
  const end = dot > 0 ? segment.slice(dot) : "";
  if (UUID.test(stem)) return `{uuid}${end}`;
  if (HEX.test(stem)) return `{hex}${end}`;
  if (TOKEN.test(stem)) return `{id}${end}`;
  return segment.replace(DIGITS, "{n}");
}

/** What tells a script which kind of page is wanted: its words are kept. */
const ROUTING = new Set(
  "action act view option task mode do cmd module mod controller func function op section type format lang locale ns page_id".split(
    " ",
  ),
);
const PAGE_NUMBER = /^(?:page|paged|pg|page_?(?:no|num|number)|offset|start|skip)$/;
const WORD = /^[a-z][a-z_-]{0,19}$/i;

interface FoldedQuery {
  readonly text: string;
  /** Parameters that do not say which kind of page it is. */
  readonly free: number;
  readonly facets: number;
  /** A parameter stands there more than once: one of many choices, or an order that was added and not replaced. */
  readonly repeated: boolean;
}

const NO_QUERY: FoldedQuery = { text: "", free: 0, facets: 0, repeated: false };

function foldQuery(query: string): FoldedQuery {
  const parts = new Set<string>();
  const free = new Set<string>();
  const facets = new Set<string>();
  const names = new Set<string>();
  let repeated = false;
  for (const piece of query.split("&")) {
    if (piece === "") continue;
    const equals = piece.indexOf("=");
    const written = (equals === -1 ? piece : piece.slice(0, equals)).toLowerCase();
    repeated ||= names.has(written);
    names.add(written);
    const value = equals === -1 ? "" : piece.slice(equals + 1);
    const name = written.replace(DIGITS, "{n}");
    if ((ROUTING.has(written) || written === "page") && WORD.test(value)) parts.add(`${written}=${value}`);
    else {
      free.add(written);
      const isFilter = isFacet(written);
      if (isFilter) facets.add(written);
      parts.add(isFilter && !PAGE_NUMBER.test(written) ? "{filters}" : name);
    }
  }
  return { text: [...parts].sort().slice(0, MOST_NAMES).join("&"), free: free.size, facets: facets.size, repeated };
}
