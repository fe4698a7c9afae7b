/** One rule of a robots.txt: how its pattern is brought to the form in which octets are compared, and how it matches. */
import { oneEscapeForm } from "./escapes.ts";

export interface RawRule {
  readonly allow: boolean;
  /** As written, without surrounding white space. */
  readonly pattern: string;
  readonly line: number;
}

export interface Rule {
  readonly allow: boolean;
  /** The literals between the wildcards, comparable. One: a plain prefix. */
  readonly pieces: readonly string[];
  /** The pattern ends with "$". */
  readonly toEnd: boolean;
  /** Length of all literals: shorter paths cannot match. */
  readonly literal: number;
  /** The length by which rules are ranked. */
  readonly octets: number;
  /** "Disallow: /private" */
  readonly text: string;
  readonly line: number;
}

/**
 * A path and query as rules are compared with it: one escape form (RFC 9309, 2.2.2), and "*" and "$" encoded, because
 * a rule that means them writes "%2A" and "%24" (2.2.3).
 */
export function comparable(path: string): string {
  const text = oneEscapeForm(path);
  return text.includes("*") || text.includes("$") ? text.replaceAll("*", "%2A").replaceAll("$", "%24") : text;
}

export function compile({ allow, pattern, line }: RawRule): Rule {
  const text = oneEscapeForm(pattern); // leaves "*" and "$" as they are, raw or encoded
  const toEnd = text.endsWith("$");
  const body = toEnd ? text.slice(0, -1) : text;
  const pieces = (body.includes("$") ? body.replaceAll("$", "%24") : body).split("*");
  let literal = 0;
  for (const piece of pieces) literal += piece.length;
  return {
    allow,
    pieces: pieces.length > 2 ? withoutEmptyMiddle(pieces) : pieces,
    toEnd,
    literal,
    octets: literal + pieces.length - 1 + Number(toEnd),
    text: `${allow ? "Allow" : "Disallow"}: ${pattern}`,
    line,
  };
}

/** "a**b" matches what "a*b" does. */
function withoutEmptyMiddle(pieces: string[]): string[] {
  return pieces.filter((piece, i) => piece !== "" || i === 0 || i === pieces.length - 1);
}

/** Whether matching has to search the path, and not only to look at its beginning. */
export function isSearch({ pieces }: Rule): boolean {
  return pieces.length > 1;
}

/** Whether the rule matches a comparable path. Each literal is taken where it first fits: nothing is ever tried twice. */
export function matches({ pieces, toEnd, literal }: Rule, path: string): boolean {
  if (literal > path.length) return false;
  const first = pieces[0]!;
  if (!path.startsWith(first)) return false;
  if (pieces.length === 1) return !toEnd || path.length === first.length;
  const last = pieces[pieces.length - 1]!;
  let at = first.length;
  const middle = toEnd ? pieces.length - 1 : pieces.length;
  for (let i = 1; i < middle; i++) {
    const found = path.indexOf(pieces[i]!, at);
    if (found === -1) return false;
    at = found + pieces[i]!.length;
  }
  return !toEnd || (path.length - last.length >= at && path.endsWith(last));
}
