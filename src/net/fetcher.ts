/** The fetcher over undici's dispatcher: one request to one address, within limits of time and size, whatever the server does. */
import type { Clock } from "../base/clock.ts";
import type { FetchRequest, FetchResult } from "../model/fetch-result.ts";
import type { Fetcher } from "../ports/fetcher.ts";
import type { AddressGuard } from "../ports/resolver.ts";
import { Connections } from "./connections.ts";
import { Deadlines } from "./deadlines.ts";
import { contentCodings, decodeBody } from "./decode.ts";
import { exchange } from "./exchange.ts";
import { mediaTypeFilter } from "./media-types.ts";
import { type ProxyServer, proxyAuthorization, wantsCredentials } from "./proxy.ts";
import { CONNECTION, headBuilder, originFields } from "./request.ts";

export interface FetcherOptions {
  readonly clock: Clock;
  /** Asked again at every connection attempt. */
  readonly guard: AddressGuard;
  readonly userAgent: string;
  /** Extra fields for every request. The factory throws on one that HTTP, or the crawler, does not allow. */
  readonly headers?: Readonly<Record<string, string>>;
  /** TCP and TLS. 10 s. */
  readonly connectMs?: number;
  /** From the request to the end of the answer's head. 30 s. */
  readonly firstByteMs?: number;
  /** The whole exchange, waiting for a connection included. 120 s. */
  readonly totalMs?: number;
  /** Of a page's body, as received and, again, decoded. 16 MiB. */
  readonly maxBodyBytes?: number;
  /** Decoded to received, past the first MiB. 200. */
  readonly maxRatio?: number;
  /** Media types, or patterns ("text/*", "application/*+xml"), whose bodies are read. Everything, when not given. */
  readonly acceptTypes?: readonly string[];
  /** Open at a time to one origin at one address. 6. */
  readonly connectionsPerHost?: number;
  /** Origins whose idle connections are kept. 1,000. */
  readonly maxHosts?: number;
  /** How long an idle connection is kept; a shorter time that the server asks for counts. 30 s. */
  readonly keepAliveMs?: number;
  /** 64 KiB. */
  readonly maxHeaderBytes?: number;
  /** Certificates are not checked. */
  readonly insecure?: boolean;
  readonly http2?: boolean;
  /** Further fields for one origin ("https://example.com"), sent to no other. The factory throws on a bad one. */
  readonly originHeaders?: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** All connections go by way of it. */
  readonly proxy?: ProxyServer | null;
  /** The proxy looks names up: a request's `address` may be a name, and `http:` is asked of the proxy in absolute form. */
  readonly proxyLooksUp?: boolean;
}

/** RFC 9309 section 2.5 asks for at least 500 KiB. */
const ROBOTS_BYTES = 512 * 1024;
/** The limit of sitemaps.org, uncompressed. */
const SITEMAP_BYTES = 50 * 1024 * 1024;
/** Of an error page or a redirect's body nobody wants more. */
const OTHER_BYTES = 1024 * 1024;
const TICK_MOST_MS = 250;

/** See the port. Throws on options that no configuration may hold: a bad header field, a bad media type pattern. */
export function httpFetcher(options: FetcherOptions): Fetcher {
  const { clock, connectMs = 10_000, firstByteMs = 30_000, totalMs = 120_000 } = options;
  const { maxBodyBytes = 16 * 1024 * 1024, maxRatio = 200 } = options;
  const headOf = headBuilder(options);
  const wantsPage = mediaTypeFilter(options.acceptTypes ?? ["*/*"]);
  const wantsAny = () => true;
  const limits: Readonly<Record<FetchRequest["purpose"], number>> = {
    page: maxBodyBytes,
    robots: ROBOTS_BYTES,
    sitemap: SITEMAP_BYTES,
  };
  const proxy = options.proxy ?? null;
  const forward = proxy !== null && proxy.kind !== "socks5" && options.proxyLooksUp === true;
  const toProxy = forward ? proxyAuthorization(proxy) : null;
  const fieldsFor = originFields(options.originHeaders);
  const connections = new Connections({
    guard: options.guard,
    connectionsPerHost: options.connectionsPerHost ?? 6,
    maxLanes: options.maxHosts ?? 1_000,
    keepAliveMs: options.keepAliveMs ?? 30_000,
    maxHeaderBytes: options.maxHeaderBytes ?? 64 * 1024,
    insecure: options.insecure ?? false,
    http2: options.http2 ?? false,
    proxy,
    forward,
  });
  const tickMs = Math.min(TICK_MOST_MS, Math.max(5, Math.min(connectMs, firstByteMs, totalMs) / 8));
  const deadlines = new Deadlines(clock, tickMs);
  const rules = { clock, deadlines, connectMs, firstByteMs, totalMs };

  return {
    async fetch(request, signal): Promise<FetchResult> {
      const { href, address, purpose } = request;
      const startedAt = clock.now();
      // An Href is in the WHATWG's form: scheme://host/path, no credentials, no fragment.
      const host = href.indexOf("//") + 2;
      const path = href.indexOf("/", host);
      const origin = href.slice(0, path);
      const head = headOf(purpose, href.slice(host, path), href.slice(path), fieldsFor(origin, request.headers));
      const forwarded = forward && origin.startsWith("http:");
      const max = limits[purpose];
      const outcome = await exchange(
        {
          lane: connections.lane(origin, address),
          path: forwarded ? href : href.slice(path),
          headers: forwarded && toProxy !== null ? [...head.fields, "proxy-authorization", toProxy] : head.fields,
          maxBytes: max,
          maxOtherBytes: Math.min(max, OTHER_BYTES),
          wants: purpose === "page" ? wantsPage : wantsAny,
        },
        rules,
        signal,
      );
      const http2 = outcome.kind === "received" && outcome.httpVersion === "2";
      const requestHead = http2 ? head.text.replace(CONNECTION, "") : head.text;
      // A clock of whole milliseconds says what was up to one ago: the pause after the request begins no earlier than its end.
      const endedAt = Math.floor(clock.now()) + 1;
      const sent = { href, address, startedAt, endedAt, requestHead };
      if (outcome.kind === "failed") {
        return { ...sent, kind: "failure", cause: outcome.cause, detail: outcome.detail };
      }
      if (forwarded && outcome.status === 407)
        return { ...sent, kind: "failure", cause: "connect", detail: wantsCredentials(proxy) };
      const decoded = await decodeBody(outcome.body, contentCodings(outcome.rawHeaders), outcome.truncated === null, {
        maxBytes: max,
        maxRatio,
      });
      return { ...sent, ...outcome, kind: "response", decoded: decoded.bytes, decodeError: decoded.error };
    },
    async [Symbol.asyncDispose]() {
      deadlines[Symbol.dispose]();
      await connections[Symbol.asyncDispose]();
    },
  };
}
