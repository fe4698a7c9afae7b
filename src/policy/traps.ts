/**
 * Rules that know a crawler trap by the URL alone (SPEC 10). Each is small and has a name; honest sites lose nothing:
 * what only the pages can tell is left to policy/pattern-budget.
 */
import type { Instant } from "../base/clock.ts";
import { calendarMarch } from "./calendar.ts";
import { oneEscapeForm } from "./escapes.ts";
import { isFacet, isPaging } from "./facets.ts";
import { pathSessions } from "./ignored-parameters.ts";

export interface TrapRule {
  readonly name: string;
  readonly says: string;
  /** What it saw in the URL, when the URL is such a trap. */
  catches(url: TrapView): string | null;
}

/** A URL cut into what the rules look at. */
export interface TrapView {
  readonly hostname: string;
  /** In one escape form. */
  readonly path: string;
  /** Path segments, empty ones left out. */
  readonly segments: readonly string[];
  /** `name=value` pieces of the query, empty ones left out. */
  readonly parameters: readonly string[];
  /** Path and query. */
  readonly target: string;
  readonly now: Instant;
}

export interface Trap {
  /** The name of the rule. */
  readonly rule: string;
  /** The part of the URL that gave it away, cut short. */
  readonly saw: string;
}

const MOST_SEGMENTS = 30;
const MOST_PARAMETERS = 40;
const MOST_REPEATS = 3;
/** Directories made of digits or of one or two characters repeat honestly: /0/0/0/tile.png, /a/a/a/a/aaaa1.jpg. */
const MOST_SHORT_REPEATS = 6;
/** Two orders of a list may be given at once ("sort=date&sort=title"); a third is one that was added and not replaced. */
const MOST_ORDERS = 2;
/** Nobody sets so many filters; each can be combined with all others. Orders and pages come on top. */
const MOST_FACETS = 5;

export const TRAP_RULES: readonly TrapRule[] = [
  {
    name: "deep-path",
    says: `more than ${MOST_SEGMENTS} path segments`,
    catches: ({ segments }) => (segments.length > MOST_SEGMENTS ? `${segments.length} segments` : null),
  },
  {
    name: "repeated-path",
    says: "a run of two or more path segments three times over: /a/b/a/b/a/b",
    catches: ({ segments }) => repeatedRun(segments),
  },
  {
    name: "repeated-segment",
    says: `one path segment more than ${MOST_REPEATS} times`,
    catches: ({ segments }) => repeated(segments, (one) => (isShort(one) ? MOST_SHORT_REPEATS : MOST_REPEATS)),
  },
  {
    name: "host-in-path",
    says: "the host's own name twice in the path: links that lack their http://",
    catches: ({ hostname, segments }) =>
      segments.filter((segment) => segment === hostname).length > 1 ? hostname : null,
  },
  {
    name: "repeated-parameter",
    says: `one name=value more than ${MOST_REPEATS} times, or an order or a page given more than ${MOST_ORDERS} times`,
    catches: ({ parameters }) =>
      repeated(parameters, () => MOST_REPEATS) ?? repeated(parameters.map(nameOf).filter(isPaging), () => MOST_ORDERS),
  },
  {
    name: "many-parameters",
    says: `more than ${MOST_PARAMETERS} query parameters`,
    catches: ({ parameters }) => (parameters.length > MOST_PARAMETERS ? `${parameters.length} parameters` : null),
  },
  {
    name: "facets",
    says: `more than ${MOST_FACETS} filters at once: their combinations do not end`,
    catches: ({ parameters }) => manyFacets(parameters),
  },
  {
    name: "growing-escapes",
    says: "a percent sign or an ampersand escaped again and again: %2525, amp;amp;",
    catches: ({ target }) => GROWING.exec(target)?.[0] ?? null,
  },
  {
    name: "session-in-path",
    says: "more than one session id in the path (a single one is left out of the key)",
    catches: ({ path }) => (pathSessions(path) > 1 ? `${pathSessions(path)} session ids` : null),
  },
  {
    name: "calendar",
    says: "a date that no calendar has anything to say of: years ahead, or long before there were web sites",
    catches: ({ target, now }) => calendarMarch(target, now),
  },
];

const LONGEST_SEEN = 60;

/** The first rule that takes the URL for a trap, with what it saw; or null. Dates are held against `now`. */
export function trapOf(parts: URL, now: Instant): Trap | null {
  const { pathname, search } = parts;
  const segments = pathname.split("/");
  if (isPlain(pathname, search, segments, now)) return null;
  const view: TrapView = {
    hostname: parts.hostname,
    path: oneEscapeForm(pathname),
    segments: segments.filter((segment) => segment !== ""),
    parameters:
      search === ""
        ? []
        : search
            .slice(1)
            .split("&")
            .filter((piece) => piece !== ""),
    target: pathname + search,
    now,
  };
  for (const { name, catches } of TRAP_RULES) {
    const saw = catches(view);
    if (saw !== null) return { rule: name, saw: saw.length > LONGEST_SEEN ? `${saw.slice(0, LONGEST_SEEN)}...` : saw };
  }
  return null;
}

/** As it is recorded: `calendar: 2051-03`. */
export const trapText = ({ rule, saw }: Trap): string => `${rule}: ${saw}`;

/** The rule of what only the pages of a URL's kind can tell (crawl/feedback), as it is recorded. */
export const FEEDBACK = "feedback";

/** The name of the rule in what is recorded: what `trapText` made, or `feedback: PATTERN`. */
export const ruleOf = (detail: string): string => detail.split(":", 1)[0]!;

/** Known at a glance to be caught by no rule: most URLs. */
function isPlain(path: string, search: string, segments: readonly string[], now: Instant): boolean {
  if (segments.length > MOST_SEGMENTS || path.includes("%") || path.includes(";") || path.includes("(")) return false;
  if (search !== "" && (hasMany(search, "&") || GROWING.test(search))) return false;
  for (let i = 1; i < segments.length; i++) {
    const segment = segments[i];
    for (let j = i + 1; j < segments.length; j++) if (segment === segments[j]) return false;
  }
  if (!FOUR_DIGITS.test(path) && !FOUR_DIGITS.test(search)) return true;
  return calendarMarch(path + search, now) === null;
}

/** Whether `part` stands in the text `MOST_ORDERS` times: fewer parameters than that +1 cannot repeat. */
function hasMany(text: string, part: string): boolean {
  let times = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) if (++times >= MOST_ORDERS) return true;
  return false;
}

const nameOf = (piece: string): string => piece.split("=", 1)[0]!.toLowerCase();

function isShort(segment: string): boolean {
  return segment.length <= 2 || /^\d+$/.test(segment);
}

/** The first item that stands there more often than it may. */
function repeated(items: readonly string[], most: (item: string) => number): string | null {
  const seen = new Map<string, number>();
  for (const item of items) {
    const times = (seen.get(item) ?? 0) + 1;
    if (times > most(item)) return item;
    seen.set(item, times);
  }
  return null;
}

/** A run of 2 or more segments, not all of them digits, that stands three times in a row. Quadratic in at most `MOST_SEGMENTS`. */
function repeatedRun(segments: readonly string[]): string | null {
  for (let period = 2; period * 3 <= segments.length; period++) {
    let equal = 0;
    for (let i = period; i < segments.length; i++) {
      equal = segments[i] === segments[i - period] ? equal + 1 : 0;
      if (equal < period * 2) continue;
      const run = segments.slice(i - period + 1, i + 1);
      // /1/1/1/1/1/1 is judged by the rule for single segments; /0/1/0/1/0/1 may be a quadtree of map tiles.
      if (run.some((segment) => segment !== run[0]) && run.some((segment) => !/^\d+$/.test(segment)))
        return run.join("/");
    }
  }
  return null;
}

/** Filters with a value (forms name all theirs, most of them empty); several values of one are one. */
function manyFacets(parameters: readonly string[]): string | null {
  if (parameters.length <= MOST_FACETS) return null;
  const facets = new Set(
    parameters
      .filter((piece) => /=./.test(piece))
      .map(nameOf)
      .filter((name) => isFacet(name) && !isPaging(name)),
  );
  return facets.size > MOST_FACETS ? [...facets].join(" ") : null;
}

const GROWING = /%2525|(?:amp(?:;|%3b)){2}/i;

/** Dates have as many. */
const FOUR_DIGITS = /\d{4}/;
