/** The head of a request: which fields are sent, in which order, and exactly which bytes that makes on the wire. */
import type { FetchRequest } from "../model/fetch-result.ts";

export interface HeadOptions {
  readonly userAgent: string;
  /** Sent with every request of the crawl; a name that is set anyway takes the value given here. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RequestHead {
  /** [name, value, ...], as undici's dispatcher takes it; `host` first, `connection` is added by it as the second. */
  readonly fields: string[];
  /** What goes over the wire as HTTP/1.1, for the archive: without what is said to a proxy, and without passwords. */
  readonly text: string;
}

/** HTTP/1.1 says so, HTTP/2 must not (RFC 9113 section 8.2.2). */
export const CONNECTION = "connection: keep-alive\r\n";

type Purpose = FetchRequest["purpose"];

const ACCEPT: Readonly<Record<Purpose, string>> = {
  page: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  robots: "text/plain,*/*;q=0.5",
  sitemap: "application/xml,text/xml,text/plain;q=0.9,*/*;q=0.5",
};

/** Fields of the connection rather than of the request, and those that our side of HTTP/1.1 decides. */
const OURS = new Set([
  "host",
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** Archives are handed round: what opens a door is not written into them. */
const SECRET = new Set(["authorization", "proxy-authorization"]);
const WITHHELD = "(withheld)";
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Why a field may not be sent, or null. RFC 9110 section 5. */
function badField(name: string, value: string): string | null {
  if (!NAME.test(name)) return `"${name}" is not the name of a header field`;
  if (OURS.has(name.toLowerCase())) return `the header field "${name}" is set by the crawler itself; leave it out`;
  if (!VALUE.test(value)) return `the value of the header field "${name}" has characters that HTTP does not allow`;
  return null;
}

/** Throws on a field of `options` that may not be sent; leaves out those of `extra`, which come from the world. */
export function headBuilder(
  options: HeadOptions,
): (purpose: Purpose, host: string, path: string, extra?: Readonly<Record<string, string>>) => RequestHead {
  const fixed = (purpose: Purpose): ReadonlyMap<string, string> => {
    const fields = new Map([
      ["user-agent", options.userAgent],
      ["accept", ACCEPT[purpose]],
      ["accept-encoding", "gzip, deflate, br, zstd"],
    ]);
    for (const [name, value] of Object.entries(options.headers ?? {})) fields.set(name.toLowerCase(), value);
    for (const [name, value] of fields) {
      const fault = badField(name, value);
      if (fault !== null) throw new TypeError(fault);
    }
    return fields;
  };
  const prepare = (purpose: Purpose) => {
    const fields = fixed(purpose);
    return { fields, flat: [...fields].flat(), text: textOf(fields) };
  };
  const prepared: Readonly<Record<Purpose, ReturnType<typeof prepare>>> = {
    page: prepare("page"),
    robots: prepare("robots"),
    sitemap: prepare("sitemap"),
  };
  return (purpose, host, path, extra) => {
    let { fields, flat, text } = prepared[purpose];
    if (extra !== undefined) {
      const merged = new Map(fields);
      for (const [name, value] of Object.entries(extra)) {
        if (badField(name, value) === null) merged.set(name, value);
      }
      fields = merged;
      flat = [...merged].flat();
      text = textOf(merged);
    }
    return {
      fields: ["host", host, ...flat],
      text: `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${CONNECTION}${text}\r\n`,
    };
  };
}

type Fields = Readonly<Record<string, string>>;

/** The further fields of a request: those of its origin, and its own. Throws on one of an origin that may not be sent. */
export function originFields(
  byOrigin: ReadonlyMap<string, Fields> | undefined,
): (origin: string, own: Fields | undefined) => Fields | undefined {
  if (byOrigin === undefined || byOrigin.size === 0) return (_, own) => own;
  for (const [name, value] of [...byOrigin.values()].flatMap(Object.entries)) {
    const fault = badField(name, value);
    if (fault !== null) throw new TypeError(fault);
  }
  return (origin, own) => {
    const fields = byOrigin.get(origin);
    if (fields === undefined || own === undefined) return fields ?? own;
    const cookies = [fields.cookie, own.cookie].filter((one) => one !== undefined);
    return { ...fields, ...own, ...(cookies.length === 0 ? {} : { cookie: cookies.join("; ") }) };
  };
}

function textOf(fields: ReadonlyMap<string, string>): string {
  let text = "";
  for (const [name, value] of fields) text += `${name}: ${SECRET.has(name) ? WITHHELD : value}\r\n`;
  return text;
}
