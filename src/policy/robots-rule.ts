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
  /** Places of pieces of the literals that have to be searched for: where one is missing no search is needed. */
  readonly grams: readonly number[];
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
    grams: gramsOf(pieces.slice(1)),
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

/** Literals are told apart by pieces of three and of eight characters, and those by so many bits. */
const SHORT = 3;
const LONG = 8;
const GRAM_BITS = 14;
const GRAMS_MOST = 6;

function gramAt(text: string, from: number, length: number): number {
  let hash = length;
  for (let i = from; i < from + length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x9e3779b1);
  return (hash ^ (hash >>> 15)) & (2 ** GRAM_BITS - 1);
}

/** Of the longest literals: the long pieces at both ends, and every other short one, the last first. */
function gramsOf(literals: readonly string[]): number[] {
  const grams: number[] = [];
  const longest = literals.filter(({ length }) => length >= SHORT).sort((a, b) => b.length - a.length);
  for (const literal of longest) {
    if (grams.length >= GRAMS_MOST) break;
    if (literal.length >= LONG) {
      grams.push(gramAt(literal, literal.length - LONG, LONG));
      if (literal.length > LONG) grams.push(gramAt(literal, 0, LONG));
    }
    for (let i = literal.length - SHORT; i >= 0 && grams.length < GRAMS_MOST; i -= 2)
      grams.push(gramAt(literal, i, SHORT));
  }
  return grams;
}

/** The pieces of the path sifted last are marked with its number. */
const marks = new Uint32Array(2 ** GRAM_BITS);
let sifted = 0;

/**
 * A path as rules with wildcards look at it. What it gives says of nearly all of them at a glance that they cannot match,
 * and is good until the next call.
 */
export function sieveOf(path: string): (rule: Rule) => boolean {
  if (++sifted > 0xffff_ffff) {
    marks.fill(0);
    sifted = 1;
  }
  const mark = sifted;
  for (let i = path.length - SHORT; i >= 0; i--) marks[gramAt(path, i, SHORT)] = mark;
  for (let i = path.length - LONG; i >= 0; i--) marks[gramAt(path, i, LONG)] = mark;
  return ({ grams }) => {
    for (let i = 0; i < grams.length; i++) if (marks[grams[i]!] !== mark) return false;
    return true;
  };
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
