/** Rules that know a crawler trap by the URL alone (SPEC 10). Each is small and has a name; honest sites lose nothing. */
import { oneEscapeForm } from "./escapes.ts";
import { pathSessions } from "./ignored-parameters.ts";

export interface TrapRule {
  readonly name: string;
  readonly says: string;
  catches(url: TrapView): boolean;
}

/** A URL cut into what the rules look at. */
export interface TrapView {
  readonly path: string;
  /** Path segments, empty ones left out. */
  readonly segments: readonly string[];
  /** `name=value` pieces of the query, empty ones left out. */
  readonly parameters: readonly string[];
  /** Path and query. */
  readonly target: string;
}

const MOST_SEGMENTS = 30;
const MOST_PARAMETERS = 40;
const MOST_REPEATS = 3;
/** Directories made of digits or of one or two characters repeat honestly: /0/0/0/tile.png, /a/a/a/a/aaaa1.jpg. */
const MOST_SHORT_REPEATS = 6;

export const TRAP_RULES: readonly TrapRule[] = [
  {
    name: "deep-path",
    says: `more than ${MOST_SEGMENTS} path segments`,
    catches: ({ segments }) => segments.length > MOST_SEGMENTS,
  },
  {
    name: "repeated-path",
    says: "a run of two or more path segments three times over: /a/b/a/b/a/b",
    catches: ({ segments }) => repeatsInARow(segments),
  },
  {
    name: "repeated-segment",
    says: `one path segment more than ${MOST_REPEATS} times`,
    catches: ({ segments }) =>
      anyRepeated(segments, (segment) => (isShort(segment) ? MOST_SHORT_REPEATS : MOST_REPEATS)),
  },
  {
    name: "repeated-parameter",
    says: `one name=value more than ${MOST_REPEATS} times`,
    catches: ({ parameters }) => anyRepeated(parameters, () => MOST_REPEATS),
  },
  {
    name: "many-parameters",
    says: `more than ${MOST_PARAMETERS} query parameters`,
    catches: ({ parameters }) => parameters.length > MOST_PARAMETERS,
  },
  {
    name: "growing-escapes",
    says: "a percent sign escaped again and again: %2525",
    catches: ({ target }) => target.includes("%2525"),
  },
  {
    name: "session-in-path",
    says: "more than one session id in the path (a single one is left out of the key)",
    catches: ({ path }) => pathSessions(path) > 1,
  },
];

/** The name of the first rule that takes the URL for a trap, or null. */
export function trapOf(parts: URL): string | null {
  const { pathname, search } = parts;
  const segments = pathname.split("/");
  if (isPlain(pathname, search, segments)) return null;
  const view: TrapView = {
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
  };
  return TRAP_RULES.find((rule) => rule.catches(view))?.name ?? null;
}

/** Known at a glance to be caught by no rule: most URLs. */
function isPlain(path: string, search: string, segments: readonly string[]): boolean {
  if (segments.length > MOST_SEGMENTS || path.includes("%") || path.includes(";") || path.includes("(")) return false;
  if (search !== "" && (search.includes("%2525") || hasMany(search, "&"))) return false;
  for (let i = 1; i < segments.length; i++) {
    const segment = segments[i];
    for (let j = i + 1; j < segments.length; j++) if (segment === segments[j]) return false;
  }
  return true;
}

/** Whether `part` stands in the text `MOST_REPEATS` times: fewer parameters than that +1 cannot repeat. */
function hasMany(text: string, part: string): boolean {
  let times = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1))
    if (++times >= MOST_REPEATS) return true;
  return false;
}

function isShort(segment: string): boolean {
  return segment.length <= 2 || /^\d+$/.test(segment);
}

function anyRepeated(items: readonly string[], most: (item: string) => number): boolean {
  const seen = new Map<string, number>();
  for (const item of items) {
    const times = (seen.get(item) ?? 0) + 1;
    if (times > most(item)) return true;
    seen.set(item, times);
  }
  return false;
}

/** Whether a run of 2 or more segments, not all of them digits, stands three times in a row. Quadratic in at most `MOST_SEGMENTS`. */
function repeatsInARow(segments: readonly string[]): boolean {
  for (let period = 2; period * 3 <= segments.length; period++) {
    let equal = 0;
    for (let i = period; i < segments.length; i++) {
      equal = segments[i] === segments[i - period] ? equal + 1 : 0;
      if (equal < period * 2) continue;
      const run = segments.slice(i - period + 1, i + 1);
      // /1/1/1/1/1/1 is judged by the rule for single segments; /0/1/0/1/0/1 may be a quadtree of map tiles.
      if (run.some((segment) => segment !== run[0]) && run.some((segment) => !/^\d+$/.test(segment))) return true;
    }
  }
  return false;
}
