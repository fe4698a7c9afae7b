/** What an error of a socket, of TLS or of the parser means to a crawl. */
import type { FailureCause } from "../model/fetch-result.ts";
import { tlsFailure } from "./tls-failure.ts";

/** How far an exchange had come. */
export type Phase = "waiting" | "connecting" | "handshaking" | "sent" | "body";

export interface Failed {
  readonly cause: FailureCause;
  /** The code, and the words where they say more. */
  readonly detail: string;
}

export function failureOf(error: NodeJS.ErrnoException, phase: Phase): Failed {
  const code = error.code ?? error.name;
  const cause = causeOf(code, error.message, phase);
  return { cause, detail: wordsOf(code, error.message, cause).slice(0, 200) };
}

function wordsOf(code: string, message: string, cause: FailureCause): string {
  if (code === "TRAWL_PROXY") return message;
  if (cause === "tls") return tlsFailure(code, message);
  return message.includes(code) ? message : `${code}: ${message}`;
}

function causeOf(code: string, message: string, phase: Phase): FailureCause {
  if (code === "TRAWL_REFUSED_ADDRESS") return "refused-address";
  if (code === "UND_ERR_INVALID_ARG") return "protocol"; // undici will not put this on the wire
  if (code === "TRAWL_PROXY") return "connect";
  if (phase === "waiting" || phase === "connecting") return "connect";
  if (phase === "handshaking" || code.startsWith("ERR_SSL") || code.startsWith("ERR_TLS")) return "tls";
  // Before the body, only a head that contradicts itself makes undici say so.
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") return "protocol";
  return isProtocolError(code, message) ? "protocol" : "closed";
}

/** The peer spoke, but not HTTP; as opposed to a connection that broke. */
export function isProtocolError(code: string, message: string): boolean {
  // A stream that the peer resets is what a closed connection is to HTTP/1; other codes say that HTTP/2 was broken.
  if (code === "ERR_HTTP2_STREAM_ERROR")
    return !/NGHTTP2_(?:NO_ERROR|INTERNAL_ERROR|REFUSED_STREAM|CANCEL)$/.test(message);
  return (
    code.startsWith("HPE_") ||
    code.startsWith("ERR_HTTP2") ||
    code === "HTTPParserError" ||
    code === "UND_ERR_HEADERS_OVERFLOW" ||
    code === "ERR_ASSERTION" || // a status below 100
    // undici says so of an unasked-for response or 100, and of a 101.
    (code === "UND_ERR_SOCKET" && /^bad (?:response|upgrade)$/.test(message))
  );
}

/** A kept connection that the server had closed before the request reached it (RFC 9112 section 9.3.1) ends so. */
export function isStaleConnection(error: NodeJS.ErrnoException): boolean {
  return error.code === "ECONNRESET" || error.code === "EPIPE" || error.code === "UND_ERR_SOCKET";
}
