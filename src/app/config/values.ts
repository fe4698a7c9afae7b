/** What the values of options look like: each kind, how it is read from text or from a config file, and how it is written. */
import { isIP, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import { err, never, ok, type Result } from "../../base/result.ts";
import { parseCidr } from "../../net/guard.ts";
import { parseProxy } from "../../net/proxy.ts";
import { parseFrontier } from "./frontier.ts";
import { KIND_WORDS, type Option } from "./option.ts";
import { userAgentFault } from "./user-agent.ts";

/** A value, or what is wrong with it and how to mend it: the end of a sentence that starts with the value. */
type Parsed = Result<string | number | boolean, string>;

const DURATION_UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
];

const BYTE_UNITS: readonly (readonly [string, number])[] = [
  ["TB", 1e12],
  ["TiB", 2 ** 40],
  ["GB", 1e9],
  ["GiB", 2 ** 30],
  ["MB", 1e6],
  ["MiB", 2 ** 20],
  ["KB", 1e3],
  ["KiB", 2 ** 10],
  ["B", 1],
];

/** Fields that the program sets itself; a second value would break the request or lie about it. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "expect",
  "accept-encoding",
  "proxy-connection",
]);

const within = (option: Option, value: number, shown: string): Parsed => {
  if (option.min !== undefined && value < option.min)
    return err(`is too small; the smallest is ${printValue(option, option.min)}`);
  if (option.max !== undefined && value > option.max)
    return err(`is too large; the largest is ${printValue(option, option.max)}`);
  return Number.isSafeInteger(value) || option.kind === "number" ? ok(value) : err(`is not ${shown}`);
};

function parseDuration(option: Option, text: string): Parsed {
  const mend = "is not a duration; write 500ms, 2s, 5m, 1h or 30d";
  if (/^0+$/.test(text)) return within(option, 0, "a duration");
  if (/^\d+(\.\d+)?$/.test(text)) return err(`has no unit; write ${text}s for seconds or ${text}ms for milliseconds`);
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return err(mend);
  let ms = 0;
  for (const [, digits, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    ms += Number(digits) * DURATION_UNITS.find(([name]) => name === unit)![1];
  ms = Math.round(ms);
  return Number.isSafeInteger(ms) ? within(option, ms, "a duration") : err(mend);
}

function parseBytes(option: Option, text: string): Parsed {
  const mend = "is not a size; write 4096, 64KiB, 16MiB or 1GB";
  const match = /^(\d+(?:\.\d+)?) ?([kmgt]i?b|b)?$/i.exec(text);
  if (match === null) return err(mend);
  const unit = BYTE_UNITS.find(([name]) => name.toLowerCase() === (match[2] ?? "B").toLowerCase())!;
  return within(option, Math.round(Number(match[1]) * unit[1]), "a size");
}

const DIGITS = /^(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?$/;
const ISO = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?(Z|[+-]\d\d:\d\d)?)?)?)?$/i;

/**
 * Up to 14 digits, as in archives, or ISO 8601 with a T or a blank. What is left out is its beginning: a year alone is its
 * first moment. A time without a zone is UTC, as all times of a crawl are.
 */
function parseTime(text: string): Parsed {
  const parts = DIGITS.exec(text) ?? ISO.exec(text);
  if (parts === null) return err("is not a time; write 2026-11-30 or 2026-11-30T12:00:00Z");
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00", zone = "Z"] = parts;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone.toUpperCase()}`);
  return Number.isNaN(at) ? err("is not a time; write 2026-11-30 or 2026-11-30T12:00:00Z") : ok(at);
}

function parseInteger(option: Option, text: string): Parsed {
  const shape = /^-?\d+(_\d+)*(e\d{1,2})?$/i.test(text);
  return shape ? within(option, Number(text.replaceAll("_", "")), "a whole number") : err("is not a whole number");
}

function parseNumber(option: Option, text: string): Parsed {
  const shape = /^-?\d+(\.\d+)?(e-?\d{1,2})?$/i.test(text);
  return shape ? within(option, Number(text), "a number") : err("is not a number; write 1.5 or 2");
}

function parseText(option: Option, text: string): Parsed {
  if (option.min !== undefined && text.length < option.min) return err("is empty");
  if (option.max !== undefined && text.length > option.max) return err(`is longer than ${option.max} characters`);
  return ok(text);
}

function parseRegex(text: string): Parsed {
  try {
    new RegExp(text);
    return ok(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const reason = cause.message.replace(/^Invalid regular expression: /, "").replace(/^\/.*\/\w*: /s, "");
    return err(`is not a regular expression (${reason}); put a backslash before . ? * + ( ) [ to mean the character`);
  }
}

function parseRange(text: string): Parsed {
  const bare = text.replace(/^\[(.*)\]$/, "$1");
  if (parseCidr(bare).ok) return ok(bare);
  return err("is not an address range; write 10.0.0.0/8, 192.168.1.7 or fd00::/8");
}

const MOST_WEIGHT = 100;

function parseWeight(text: string): Parsed {
  const [, name = "", digits = ""] = /^(?:\*?\.)?([^\s=/:*]+)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  const domain = domainToASCII(name);
  if (domain === "") return err("is not a weight; write example.com=2, or gov=0.5");
  const factor = Number(digits);
  if (factor < 1 / MOST_WEIGHT || factor > MOST_WEIGHT)
    return err(`has a factor that is not between ${1 / MOST_WEIGHT} and ${MOST_WEIGHT}; 1 is that of all others`);
  return ok(`${domain}=${factor}`);
}

function parseEndpoint(text: string): Parsed {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+))(?::(\d{1,5}))?$/.exec(text);
  const address = match?.[1] ?? match?.[2] ?? text;
  const port = Number(match?.[3] ?? 53);
  if (isIP(address) === 0 || port < 1 || port > 65_535)
    return err("is not a name server; write its address and port, 9.9.9.9:53 or [2620:fe::fe]:53");
  return ok(isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`);
}

function parseListen(text: string): Parsed {
  const [, v6, v4, word] = /^(?:(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+|localhost)):)?(\d{1,5})$/.exec(text) ?? [];
  const host = v6 ?? (v4 === undefined || v4 === "localhost" ? "127.0.0.1" : v4);
  const port = Number(word);
  if (word === undefined || isIP(host) === 0 || port > 65_535)
    return err("is nothing to listen on; write a port, 9464, or an address of this machine with it, 10.0.0.1:9464");
  return ok(isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`);
}

function parseHeader(text: string): Parsed {
  const colon = text.indexOf(":");
  const name = text.slice(0, Math.max(colon, 0)).toLowerCase();
  const value = text.slice(colon + 1).trim();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) return err("is not a header field; write 'Name: value'");
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    return err("has a character in its value that a header field cannot hold; use printable Latin-1");
  if (name === "user-agent") return err("sets the user agent; use --user-agent");
  if (OWN_HEADERS.has(name)) return err(`sets ${name}, which Trawl sets itself; leave it out`);
  return ok(`${name}: ${value}`);
}

/** `https://example.com:8443`; without a scheme https is meant, so that no password goes over the wire in the clear unasked. */
function parseOrigin(text: string): string | null {
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  const isBare = url !== null && url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "";
  return isBare && !/[/\s]./.test(text.replace(/^https?:\/\//i, "")) ? url.origin : null;
}

function parseHostHeader(text: string): Parsed {
  const [, host = "", field = ""] = /^(\S+?):\s+(.*)$/s.exec(text) ?? [];
  const origin = parseOrigin(host);
  if (origin === null)
    return err(
      "does not begin with a host; write 'example.com: Name: value', or 'http://example.com:8080: Name: value'",
    );
  const parsed = parseHeader(field);
  return parsed.ok ? ok(`${origin}: ${parsed.value}`) : parsed;
}

/** What was given, as it may be shown: of an address what stands before the last @ may be a password. */
export const withoutPassword = (text: string): string => text.replace(/^("?[a-z][a-z0-9+.-]*:\/\/).*@/is, "$1...@");

function parseAuth(text: string): Parsed {
  const equals = text.indexOf("=");
  const origin = equals < 0 ? null : parseOrigin(text.slice(0, equals));
  const secret = text.slice(equals + 1);
  if (origin === null || !/^[^:]*:/.test(secret) || /[\0-\x1f\x7f]/.test(secret))
    return err(
      "names no host, user and password; write example.com=USER:PASSWORD, or http://example.com:8080=USER:PASSWORD",
    );
  return ok(`${origin}=${secret}`);
}

function parseProxyUrl(text: string): Parsed {
  const parsed = parseProxy(text);
  return parsed.ok ? ok(text) : parsed;
}

/** Blobs are named within it: parts of the prefix are of the same letters. */
const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*)\/*$/;

function parseStore(text: string): Parsed {
  if (/^s3:/i.test(text)) {
    const [, bucket, prefix] = S3.exec(text) ?? [];
    if (bucket !== undefined) return ok(`s3://${bucket}${prefix}`);
    const mend = /@/.test(text) ? "; credentials come from AWS_ACCESS_KEY_ID... or a profile" : "";
    return err(`is no place in S3; write s3://bucket/prefix with letters, digits and -_.~${mend}`);
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return err("is no store; write s3://bucket/prefix, or a directory");
  return text === "" ? err("is empty") : ok(text);
}

function parseFrontierAddress(text: string): Parsed {
  const parsed = parseFrontier(text);
  return parsed.ok ? ok(text) : parsed;
}

/** It stands in keys and in names of files. */
function parseName(text: string): Parsed {
  return /^[\w.-]{1,64}$/.test(text) ? ok(text) : err("is no name; write up to 64 letters, digits and -_.");
}

function parseUrlOrigin(text: string): Parsed {
  const origin = /^https?:\/\//i.test(text) ? parseOrigin(text.replace(/\/+$/, "")) : null;
  return origin === null
    ? err("is no address of a server; write https://example.com, or http://127.0.0.1:9000")
    : ok(origin);
}

function parseType(text: string): Parsed {
  const pattern = text.trim().toLowerCase();
  if (!/^(\*|[a-z0-9!#$&^_.+-]+)\/[a-z0-9!#$&^_.+*-]+$/.test(pattern) || (pattern[0] === "*" && pattern !== "*/*"))
    return err("is not a media type; write text/html, image/* or application/*+xml");
  return ok(pattern);
}

/** One value as written on the command line or, as text, in a config file. */
export function parseValue(option: Option, text: string): Parsed {
  switch (option.kind) {
    case "duration":
      return parseDuration(option, text);
    case "time":
      return parseTime(text);
    case "bytes":
      return parseBytes(option, text);
    case "int":
      return parseInteger(option, text);
    case "number":
      return parseNumber(option, text);
    case "choice":
      if (option.choices?.includes(text)) return ok(text);
      return err(`is not one of ${option.choices?.join(", ")}`);
    case "regex":
      return parseRegex(text);
    case "cidr":
      return parseRange(text);
    case "endpoint":
      return parseEndpoint(text);
    case "listen":
      return parseListen(text);
    case "weight":
      return parseWeight(text);
    case "header":
      return parseHeader(text);
    case "hostHeader":
      return parseHostHeader(text);
    case "auth":
      return parseAuth(text);
    case "proxy":
      return parseProxyUrl(text);
    case "type":
      return parseType(text);
    case "store":
      return parseStore(text);
    case "frontier":
      return parseFrontierAddress(text);
    case "name":
      return parseName(text);
    case "origin":
      return parseUrlOrigin(text);
    case "agent": {
      const fault = userAgentFault(text);
      return fault === null ? parseText(option, text) : err(fault);
    }
    case "flag":
      return /^(true|false)$/.test(text) ? ok(text === "true") : err("is not true or false");
    case "text":
    case "file":
    case "module":
      return text === "" ? err("is empty") : parseText(option, text);
    default:
      return never(option.kind);
  }
}

/**
 * One value from a config file or from a program: text as on the command line, or JavaScript's own: numbers (ms for
 * durations, bytes for sizes), booleans, RegExp objects (flags i, m, s are kept as modifiers).
 */
export function takeValue(option: Option, value: unknown): Parsed {
  if (typeof value === "string") return parseValue(option, value);
  if (option.kind === "flag" && typeof value === "boolean") return ok(value);
  if (typeof value === "number") {
    if (option.kind === "int" || option.kind === "duration" || option.kind === "bytes")
      return Number.isInteger(value) ? within(option, value, "whole") : err("is not a whole number");
    if (option.kind === "number" && Number.isFinite(value)) return within(option, value, "a number");
  }
  if (option.kind === "regex" && value instanceof RegExp) {
    const modifiers = value.flags.replace(/[^ims]/g, "");
    return parseRegex(modifiers === "" ? value.source : `(?${modifiers}:${value.source})`);
  }
  return err(`is not ${KIND_WORDS[option.kind].what}`);
}

/** As it would be written on the command line: 1000 as a duration is `1s`. `parseValue` reads it back. */
export function printValue(option: Option, value: string | number | boolean): string {
  if (typeof value !== "number") return String(value);
  if (option.kind === "time") return new Date(value).toISOString();
  if (option.kind !== "duration" && option.kind !== "bytes") return String(value);
  if (value === 0) return "0";
  const units = option.kind === "duration" ? DURATION_UNITS : BYTE_UNITS;
  const [name, size] = units.find(([, size]) => value % size === 0 && value / size < 10_000) ?? units.at(-1)!;
  return `${value / size}${name}`;
}
