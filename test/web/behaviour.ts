/** All that a server can do right or wrong with a request, as data: options travel to another process as JSON. */

export type Coding = "gzip" | "deflate" | "deflate-raw" | "br" | "zstd";

export type Behaviour =
  /** The page of the graph at this path, or 404: what happens when no rule says otherwise. */
  | { readonly kind: "page" }
  | { readonly kind: "slow-first-byte"; readonly ms: number }
  /** The page, `bytes` at a time, `everyMs` apart. */
  | { readonly kind: "drip"; readonly bytes: number; readonly everyMs: number }
  /** The request is read and nothing is ever answered. */
  | { readonly kind: "never" }
  /** Headers, then nothing. */
  | { readonly kind: "stall" }
  /** A reset (RST) after so many bytes of the body; 0: in place of an answer. */
  | { readonly kind: "reset"; readonly afterBytes: number }
  /** A clean close (FIN) in place of an answer. */
  | { readonly kind: "hang-up" }
  /** A connection that has served before is closed in place of an answer, as if it had been idle for too long; a fresh one gets the page. */
  | { readonly kind: "stale" }
  /** Content-Length differs from the body by `off` bytes: positive promises too much, negative too little. */
  | { readonly kind: "wrong-length"; readonly off: number }
  /** Chunked, in chunks of `bytes`; `broken` writes a bad chunk size in the middle. */
  | { readonly kind: "chunked"; readonly bytes: number; readonly broken?: boolean }
  /** HTTP/1.0, no length: the body ends with the connection. */
  | { readonly kind: "until-close" }
  /** A body without end, as fast as it is taken, or `everyMs` apart. */
  | { readonly kind: "endless"; readonly everyMs?: number }
  /** The page under a content-coding, whether accepted or not; `declared` is what the header says instead. */
  | { readonly kind: "encoded"; readonly coding: Coding; readonly declared?: string; readonly cutAt?: number }
  /** Content-Encoding is declared and the body is plain. */
  | { readonly kind: "mislabelled"; readonly declared: string }
  /** A few kilobytes of gzip that inflate to `mib` MiB of HTML. */
  | { readonly kind: "bomb"; readonly mib: number }
  /** Header fields without end. */
  | { readonly kind: "header-flood" }
  /** Sent as it stands in place of an answer (Latin-1), then closed. */
  | { readonly kind: "raw"; readonly text: string }
  | { readonly kind: "redirect"; readonly to: string; readonly status?: number; readonly cookie?: string }
  /** `?hop=1`, `?hop=2` ... of the same path, the page at the end. */
  | { readonly kind: "redirect-chain"; readonly hops: number }
  /** To itself until the cookie that it sets comes back; or to `by`, which has to set `seen=1`. */
  | { readonly kind: "cookie-wall"; readonly by?: string }
  /** `times` times (always, unless told), then the page. */
  | { readonly kind: "status"; readonly status: number; readonly times?: number; readonly headers?: Headers }
  /**
   * Serves `after` requests, then answers `status` for `seconds` from the first refusal on, then serves again and
   * counts anew. Retry-After says `seconds` (or the date, or `raw` as it stands, or nothing).
   */
  | {
      readonly kind: "limit";
      readonly status: 429 | 503;
      readonly after: number;
      readonly seconds: number;
      readonly retryAfter: "seconds" | "date" | "none" | { readonly raw: string };
    }
  /** A body of one's own; Latin-1 text, or base64 for bytes. */
  | {
      readonly kind: "body";
      readonly type: string;
      readonly text?: string;
      readonly base64?: string;
      readonly headers?: Headers;
      readonly status?: number;
    }
  /** Pages without end: months for ever, paths that grow, session ids in paths, parameters that multiply. */
  | { readonly kind: "trap"; readonly trap: "calendar" | "growing" | "session" | "parameters" }
  /** 200 and a friendly page for any path. */
  | { readonly kind: "soft-404" };

type Headers = Readonly<Record<string, string>>;

/** The first rule that fits decides. */
export interface Rule {
  /** A host name, or `*.suffix`; every host when left out. */
  readonly host?: string;
  /** A path (query included), or a beginning when it ends in `*`; when left out, every path but /robots.txt and sitemaps. */
  readonly path?: string;
  readonly behaviour: Behaviour;
}

export function ruleFits(rule: Rule, host: string, path: string): boolean {
  if (rule.host !== undefined) {
    if (rule.host.startsWith("*") ? !host.endsWith(rule.host.slice(1)) : rule.host !== host) return false;
  }
  if (rule.path === undefined) return path !== "/robots.txt" && !path.startsWith("/sitemap");
  return rule.path.endsWith("*") ? path.startsWith(rule.path.slice(0, -1)) : rule.path === path;
}

/** Whether a page of the graph comes through in the end, to a client that is patient and tries again. */
export function yieldsPage(behaviour: Behaviour): boolean {
  switch (behaviour.kind) {
    case "page":
    case "slow-first-byte":
    case "drip":
    case "chunked":
    case "until-close":
    case "stale":
    case "encoded":
    case "redirect-chain":
    case "cookie-wall":
    case "limit":
      return true;
    case "status":
      return behaviour.times !== undefined;
    default:
      return false;
  }
}
