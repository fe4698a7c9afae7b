/** Media types as HTTP declares them: parsed and printed by the WHATWG MIME Sniffing standard, sections 4.4 and 4.5. */
import { headers, type RawHeaders } from "./fetch-result.ts";

export interface MediaType {
  /** `type/subtype`, lower case, without parameters. */
  readonly essence: string;
  /** Names in lower case, in order; the first of a name stands. */
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const QUOTABLE = /^[\t\x20-\x7e\x80-\xff]*$/;
const NONE: ReadonlyMap<string, string> = new Map();

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;

function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** The type that a text declares, or null when it is none. */
export function parseMediaType(text: string): MediaType | null {
  const input = trim(text);
  const slash = input.indexOf("/");
  if (slash < 0) return null;
  const type = input.slice(0, slash);
  const semicolon = input.indexOf(";", slash);
  const subtype = trim(input.slice(slash + 1, semicolon < 0 ? undefined : semicolon));
  if (!TOKEN.test(type) || !TOKEN.test(subtype)) return null;
  const essence = `${type}/${subtype}`.toLowerCase();
  return { essence, parameters: semicolon < 0 ? NONE : parseParameters(input, semicolon) };
}

function parseParameters(input: string, semicolon: number): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  let at = semicolon;
  while (at < input.length) {
    at++; // the ";"
    while (at < input.length && isSpace(input.charCodeAt(at))) at++;
    const start = at;
    while (at < input.length && input[at] !== ";" && input[at] !== "=") at++;
    const name = input.slice(start, at).toLowerCase();
    if (at >= input.length) break;
    if (input[at] === ";") continue;
    at++; // the "="
    if (at >= input.length) break;
    let value: string;
    if (input[at] === '"') {
      [value, at] = quotedString(input, at);
      while (at < input.length && input[at] !== ";") at++;
    } else {
      const from = at;
      while (at < input.length && input[at] !== ";") at++;
      value = trimEnd(input.slice(from, at));
      if (value === "") continue;
    }
    if (TOKEN.test(name) && QUOTABLE.test(value) && !parameters.has(name)) parameters.set(name, value);
  }
  return parameters;
}

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The value of the quoted string at `quote`, and the position behind it. An open end is allowed (Fetch, section 2.2). */
function quotedString(input: string, quote: number): [string, number] {
  let value = "";
  let at = quote + 1;
  for (; at < input.length && input[at] !== '"'; at++) {
    if (input[at] === "\\" && at + 1 < input.length) at++;
    value += input[at];
  }
  return [value, Math.min(at + 1, input.length)];
}

/** As a header field would carry it. */
export function printMediaType(type: MediaType): string {
  let text = type.essence;
  for (const [name, value] of type.parameters) {
    text += `;${name}=${TOKEN.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`}`;
  }
  return text;
}

/**
 * What a response declares, by the Fetch standard's "extract a MIME type": of several values the last good one stands,
 * and inherits the charset of those before it with the same essence. Null when there is none.
 */
export function declaredMediaType(raw: RawHeaders): MediaType | null {
  const values = headers(raw, "content-type");
  if (values.length === 1 && !values[0]!.includes(",")) {
    const only = parseMediaType(values[0]!);
    return only?.essence === "*/*" ? null : only;
  }
  let essence = "";
  let parameters = NONE;
  for (const value of values.flatMap(splitList)) {
    const type = parseMediaType(value);
    if (type === null || type.essence === "*/*") continue;
    const charset = type.essence === essence ? parameters.get("charset") : undefined;
    essence = type.essence;
    parameters = type.parameters;
    if (charset !== undefined && !parameters.has("charset")) parameters = new Map(parameters).set("charset", charset);
  }
  return essence === "" ? null : { essence, parameters };
}

/** Splits at the commas outside quoted strings. */
function splitList(value: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let at = 0;
  while (at < value.length) {
    if (value[at] === '"') {
      at = quotedString(value, at)[1];
      continue;
    }
    if (value[at] === ",") {
      parts.push(value.slice(start, at));
      start = at + 1;
    }
    at++;
  }
  parts.push(value.slice(start));
  return parts;
}

/** Whether an essence fits a pattern: the essence itself, `text/*`, `*\/*`, or a structured suffix, `application/*+xml`. */
export function matchesMediaType(pattern: string, essence: string): boolean {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === essence;
  if (pattern === "*/*") return true;
  const head = pattern.slice(0, star);
  const tail = pattern.slice(star + 1);
  return essence.length > head.length + tail.length && essence.startsWith(head) && essence.endsWith(tail);
}

/** Whether a body of this essence is text, in some charset. */
export function isTextType(essence: string): boolean {
  return /^text\/|[+/](xml|json|javascript)$|xhtml/.test(essence);
}

/** Whether an essence is an XML type (MIME Sniffing, section 4.6). */
export function isXmlType(essence: string): boolean {
  return essence.endsWith("+xml") || essence === "text/xml" || essence === "application/xml";
}
