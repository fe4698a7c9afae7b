/** Where exchanges are kept. One writer a file; an archive belongs to one visit thread. */
import type { ArchiveMark, Capture, Original } from "../model/capture.ts";
import type { FetchResponse } from "../model/fetch-result.ts";

/**
 * What makes an answer one that the archive has already (WARC 1.1, section 6.7): its body is that of the original, to the
 * byte; or the server has said so itself (304) and sent none.
 */
export interface Revisit {
  readonly profile: "identical-payload-digest" | "server-not-modified";
  readonly original: Original;
}

/** A page in another form: its text, as Markdown. */
export interface Conversion {
  /** Its media type. */
  readonly type: string;
  readonly text: string;
}

export interface ArchiveNote {
  /** The copy of robots.txt in force; 0 when there is none. */
  readonly robotsId: number;
  /** The media type after sniffing, if known: WARC-Identified-Payload-Type. */
  readonly identifiedType: string | null;
  /** The URL where this one was found, if known. */
  readonly via: string | null;
  /** What `digest` said of the body, where it has been asked. */
  readonly digest?: string;
  /** Set: the body is not written again. */
  readonly revisit?: Revisit | null;
  /** What is known of the page, for a record of its own: [name, value, ...]. */
  readonly metadata?: readonly string[] | null;
  readonly conversions?: readonly Conversion[];
}

export interface Archive extends AsyncDisposable {
  /** `sha1:BASE32` of a body as received: what `Capture.digest` says, and what tells that a body is known. */
  digest(body: Uint8Array): string;
  /**
   * Appends the records of an exchange: response (or revisit), request, and what the note has of the page; of what came by
   * no HTTP a resource without request, never a revisit. The bytes may still be in memory. Order of appends is the order in the file.
   */
  append(response: FetchResponse, note: ArchiveNote): Capture;
  /**
   * Makes all that was appended durable, and tells how far each file touched since the last sync is good. `signal`: waits
   * no longer for what is away; the call rejects then.
   */
  sync(signal?: AbortSignal): Promise<ArchiveMark[]>;
}
