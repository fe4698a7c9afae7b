/** What a request brought. One hop: redirects are not followed inside a fetch. */
import type { Instant } from "../base/clock.ts";
import type { Truncation } from "./capture.ts";
import type { Href } from "./url.ts";

export interface FetchRequest {
  readonly href: Href;
  /** The checked address to connect to; no name is looked up again. "" where a protocol module needs none. */
  readonly address: string;
  /** Extra header fields, lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** "page": `acceptTypes` decides whether the body is read. "robots": any type, 512 KiB decoded at most. */
  readonly purpose: "page" | "robots" | "sitemap";
}

/** Header fields in the order received, names as received: [name, value, name, value, ...], Latin-1. */
export type RawHeaders = readonly string[];

export interface Exchange {
  readonly href: Href;
  readonly address: string;
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  /** The request head as sent: request line and fields, CRLF line ends, with the empty line. "" where there was no HTTP. */
  readonly requestHead: string;
}

export interface TlsFacts {
  /** "tls/1.3" */
  readonly protocol: string;
  /** Its IANA name: "TLS_AES_128_GCM_SHA256". */
  readonly cipher: string;
}

export interface FetchResponse extends Exchange {
  readonly kind: "response";
  readonly status: number;
  readonly statusText: string;
  /** Null: it came by a protocol module. `status` and `rawHeaders` say then what HTTP would; the archive keeps a resource. */
  readonly httpVersion: "1.0" | "1.1" | "2" | null;
  /** Of the connection that the answer came over, where it was an encrypted one. */
  readonly tls?: TlsFacts;
  readonly rawHeaders: RawHeaders;
  /** The head as received, to the byte: status line, fields, empty line, in Latin-1. Absent where it did not come as one (HTTP/2). */
  readonly rawHead?: string | null;
  /** The body as received: transfer-encoding removed, content-encoding kept. Empty when it was not read. */
  readonly body: Uint8Array;
  /** The body with content-encoding removed, within the limits. The same array as `body` when there was none. */
  readonly decoded: Uint8Array;
  /** False when the media type was not wanted and the body was left unread. */
  readonly bodyRead: boolean;
  readonly truncated: Truncation | null;
  /** Set when content-encoding was declared but the body would not decode; `decoded` is what could be had. */
  readonly decodeError: string | null;
}

export type FailureCause = "connect" | "tls" | "timeout" | "closed" | "protocol" | "refused-address";

export interface FetchFailure extends Exchange {
  readonly kind: "failure";
  readonly cause: FailureCause;
  /** The system's or the library's code and words: "ECONNREFUSED", "UND_ERR_HEADERS_TIMEOUT"... */
  readonly detail: string;
}

export type FetchResult = FetchResponse | FetchFailure;

/** The first value of a field (name in lower case), or null. */
export function header(raw: RawHeaders, name: string): string | null {
  for (let i = 0; i + 1 < raw.length; i += 2) if (raw[i]!.toLowerCase() === name) return raw[i + 1]!;
  return null;
}

/** All values of a field (name in lower case), in order. */
export function headers(raw: RawHeaders, name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) if (raw[i]!.toLowerCase() === name) values.push(raw[i + 1]!);
  return values;
}
