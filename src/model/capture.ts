/** Where a capture stands in the archive, and what was in it. */
import type { Instant } from "../base/clock.ts";
import type { Href } from "./url.ts";

/** A record in an archive file: enough to read it with one ranged read. */
export interface Locator {
  /** File name inside DIR/archive, without `.open`. */
  readonly file: string;
  readonly offset: number;
  /** Bytes of the compressed member. */
  readonly length: number;
}

export interface Capture {
  readonly response: Locator;
  readonly at: Instant;
  /** `sha1:BASE32` over the payload (the body as archived), as WARC-Payload-Digest. */
  readonly digest: string;
  readonly truncated: Truncation | null;
  /** Set when the record is a revisit: the URL (its id) among whose captures one of the same digest holds the body. */
  readonly revisitOf?: number;
}

/** An earlier capture that holds a whole body. It must be committed: what refers to it outlives every crash that it does. */
export interface Original {
  readonly urlId: number;
  readonly href: Href;
  readonly at: Instant;
  /** `sha1:BASE32` */
  readonly digest: string;
}

/** WARC-Truncated's words. */
export type Truncation = "length" | "time" | "disconnect" | "unspecified";

/** An archive file and how many of its bytes are durable (synced). Nothing behind `bytes` may be believed after a crash. */
export interface ArchiveMark {
  readonly file: string;
  readonly bytes: number;
}
