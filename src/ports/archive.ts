/** Where exchanges are kept. One writer a file; an archive belongs to one visit thread. */
import type { ArchiveMark, Capture } from "../model/capture.ts";
import type { FetchResponse } from "../model/fetch-result.ts";

export interface ArchiveNote {
  /** The copy of robots.txt in force; 0 when there is none. */
  readonly robotsId: number;
  /** The media type after sniffing, if known: WARC-Identified-Payload-Type. */
  readonly identifiedType: string | null;
  /** The URL where this one was found, if known. */
  readonly via: string | null;
}

export interface Archive extends AsyncDisposable {
  /** Appends request and response; the bytes may still be in memory. Order of appends is the order in the file. */
  append(response: FetchResponse, note: ArchiveNote): Capture;
  /** Makes all that was appended durable, and tells how far each file touched since the last sync is good. */
  sync(): Promise<ArchiveMark[]>;
}
