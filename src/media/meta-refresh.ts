/** `<meta http-equiv=refresh>` and the `Refresh` field: the HTML standard's "shared declarative refresh steps" (4.2.5.3). */

export interface Refresh {
  readonly seconds: number;
  /** As written; null when the page refreshes itself. */
  readonly url: string | null;
}

const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const DOT = 0x2e;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;

/** What the text asks for; null when it is no refresh. */
export function parseRefresh(input: string): Refresh | null {
  const { length } = input;
  let at = skipSpace(input, 0);
  const start = at;
  while (at < length && isDigit(input.charCodeAt(at))) at++;
  if (at === start && input.charCodeAt(at) !== DOT) return null;
  const seconds = at === start ? 0 : Number(input.slice(start, at));
  while (at < length && (isDigit(input.charCodeAt(at)) || input.charCodeAt(at) === DOT)) at++;
  if (at >= length) return { seconds, url: null };
  const separator = input.charCodeAt(at);
  if (separator !== SEMICOLON && separator !== COMMA && !isSpace(separator)) return null;
  at = skipSpace(input, at);
  if (input.charCodeAt(at) === SEMICOLON || input.charCodeAt(at) === COMMA) at++;
  at = skipSpace(input, at);
  return { seconds, url: at >= length ? null : targetAt(input, at) };
}

function targetAt(input: string, from: number): string | null {
  let at = from;
  // "url", then "=": else all of it is the target ("url foo", "urfoo").
  if (input.slice(at, at + 3).toLowerCase() === "url") {
    const equals = skipSpace(input, at + 3);
    if (input.charCodeAt(equals) === EQUALS) at = skipSpace(input, equals + 1);
  }
  const quote = input[at];
  if (quote === '"' || quote === "'") {
    const end = input.indexOf(quote, at + 1);
    return input.slice(at + 1, end < 0 ? undefined : end);
  }
  return input.slice(at);
}

function skipSpace(input: string, from: number): number {
  let at = from;
  while (at < input.length && isSpace(input.charCodeAt(at))) at++;
  return at;
}
