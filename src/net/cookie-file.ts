/** Files of cookies: the Netscape form of curl and wget, and the JSON forms of browsers' tools. */
import { err, ok, type Result } from "../base/result.ts";

export interface StoredCookie {
  readonly name: string;
  readonly value: string;
  /** Lower case, without a leading dot. */
  readonly domain: string;
  readonly path: string;
  /** Unix time in seconds; null: until the session ends. */
  readonly expires: number | null;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  /** For that very host, not for those below it. */
  readonly hostOnly: boolean;
}

export type CookieFormat = "netscape" | "json";

export interface CookieFile {
  readonly format: CookieFormat;
  readonly cookies: readonly StoredCookie[];
}

/**
 * What a file holds. JSON: a list of `{ name, value, domain, path, expires, secure, httpOnly }`, or an object with one
 * under `cookies` (Playwright's storage state). Anything else is Netscape's: seven fields between tabs, `#HttpOnly_` in
 * front of a line. The error is the end of a sentence that starts with the file's name.
 */
export function parseCookieFile(text: string): Result<CookieFile, string> {
  const trimmed = text.replace(/^\ufeff/, "").trim();
  return trimmed.startsWith("[") || trimmed.startsWith("{") ? parseJson(trimmed) : parseNetscape(trimmed);
}

export function printCookieFile(cookies: readonly StoredCookie[], format: CookieFormat): string {
  if (format === "json") {
    const shown = cookies.map(({ hostOnly, domain, expires, ...rest }) => ({
      ...rest,
      domain: hostOnly ? domain : `.${domain}`,
      expires: expires ?? -1,
    }));
    return `${JSON.stringify({ cookies: shown }, null, 2)}\n`;
  }
  const flag = (value: boolean) => (value ? "TRUE" : "FALSE");
  const lines = cookies.map(({ name, value, domain, path, expires, secure, httpOnly, hostOnly }) => {
    const start = `${httpOnly ? "#HttpOnly_" : ""}${hostOnly ? "" : "."}${domain}`;
    return [start, flag(!hostOnly), path, flag(secure), expires ?? 0, name, value].join("\t");
  });
  return `${["# Netscape HTTP Cookie File", ...lines].join("\n")}\n`;
}

function parseNetscape(text: string): Result<CookieFile, string> {
  const cookies: StoredCookie[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const httpOnly = line.startsWith("#HttpOnly_");
    if (line.trim() === "" || (line.startsWith("#") && !httpOnly)) continue;
    const fields = (httpOnly ? line.slice("#HttpOnly_".length) : line).split("\t");
    const [host = "", below, path = "", secure, expires = "", name, value = ""] = fields;
    if (fields.length < 6 || host === "" || !path.startsWith("/") || !/^-?\d+(\.\d+)?$/.test(expires))
      return err(
        `line ${index + 1} is no cookie; a line has seven fields between tabs: domain, TRUE or FALSE, path, TRUE or FALSE, time, name, value`,
      );
    cookies.push({
      name: name!,
      value,
      domain: domainOf(host),
      path,
      expires: timeOf(Number(expires)),
      secure: secure === "TRUE",
      httpOnly,
      hostOnly: below !== "TRUE",
    });
  }
  return ok({ format: "netscape", cookies });
}

function parseJson(text: string): Result<CookieFile, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return err(`is not JSON: ${(cause as Error).message}`);
  }
  const list = Array.isArray(value) ? value : (value as { cookies?: unknown }).cookies;
  if (!Array.isArray(list)) return err('has no list of cookies; write [{ "name": ..., "value": ..., "domain": ... }]');
  const cookies: StoredCookie[] = [];
  for (const [index, one] of list.entries()) {
    const { name, value: text = "", domain, path = "/", ...rest } = (one ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof name !== "string" || typeof text !== "string" || typeof domain !== "string" || typeof path !== "string")
      return err(`cookie ${index + 1} lacks a name, a value or a domain; all are texts`);
    const { expires, expirationDate = expires, hostOnly = !domain.startsWith(".") } = rest;
    cookies.push({
      name,
      value: text,
      domain: domainOf(domain),
      path,
      expires: typeof expirationDate === "number" ? timeOf(Math.round(expirationDate)) : null,
      secure: rest.secure === true,
      httpOnly: rest.httpOnly === true,
      hostOnly: hostOnly === true,
    });
  }
  return ok({ format: "json", cookies });
}

const domainOf = (text: string): string => text.replace(/^\./, "").toLowerCase();
/** 0 and -1 are how the formats write a cookie of the session. */
const timeOf = (seconds: number): number | null => (seconds > 0 ? seconds : null);
