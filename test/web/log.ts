/** What the fake web saw: every connection, request and name question, in order. Politeness is proved from it. */
import { createWriteStream, readFileSync, type WriteStream } from "node:fs";

/** Milliseconds since the Unix epoch, read from the monotonic clock: differences are exact, and never negative. */
export function logNow(): number {
  return performance.timeOrigin + performance.now();
}

export interface RequestEntry {
  readonly kind: "request";
  /** The connection's number, as in `ConnectionEntry`. */
  readonly connection: number;
  readonly method: string;
  /** The Host field without the port, lower case. */
  readonly host: string;
  /** The address that was connected to. */
  readonly address: string;
  /** Path and query as sent. */
  readonly path: string;
  readonly agent: string;
  /** The request head had been read. */
  readonly startedAt: number;
  /**
   * Taken just before the last byte of an answer is handed over, or when the connection closes under an unfinished one;
   * null while it lasts. A client that got its answer ends no earlier, and starts its next request no later than the
   * server sees it, so the gaps seen here are never smaller than the client's own: who keeps a pause is never accused.
   * (A client that gives up ends earlier than the server hears of it, by the time that takes.)
   */
  endedAt: number | null;
  status: number | null;
  /** The canonical URL, when a page of the graph was served. */
  page: string | null;
  /** The number of its version, and the web's time, where pages change. */
  version?: number;
  webTime?: number;
}

export interface ConnectionEntry {
  readonly kind: "connection";
  readonly connection: number;
  readonly address: string;
  readonly at: number;
}

export interface DnsEntry {
  readonly kind: "dns";
  readonly name: string;
  readonly type: string;
  readonly answer: string;
  readonly at: number;
}

export type LogEntry = RequestEntry | ConnectionEntry | DnsEntry;

export class WebLog implements AsyncDisposable {
  readonly entries: LogEntry[] = [];
  readonly #file: WriteStream | null;

  /** With a path, entries are also written there as JSON lines: requests when they end, the rest at once. */
  constructor(path?: string) {
    this.#file = path === undefined ? null : createWriteStream(path);
  }

  add(entry: LogEntry): void {
    this.entries.push(entry);
    if (entry.kind !== "request") this.#write(entry);
  }

  /** Ends a request; the first call counts. */
  end(entry: RequestEntry): void {
    if (entry.endedAt !== null) return;
    entry.endedAt = logNow();
    this.#write(entry);
  }

  requests(host?: string): RequestEntry[] {
    return requestsOf(this.entries).filter((entry) => host === undefined || entry.host === host);
  }

  /** Resolves when the file holds all that has been written to it. */
  async flush(): Promise<void> {
    const file = this.#file;
    if (file !== null) await new Promise<void>((resolve) => file.write("", () => resolve()));
  }

  #write(entry: LogEntry): void {
    this.#file?.write(`${JSON.stringify(entry)}\n`);
  }

  /** Requests that have not ended go to the file too, with `endedAt` null. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const entry of this.requests()) if (entry.endedAt === null) this.#write(entry);
    const file = this.#file;
    if (file !== null) await new Promise<void>((resolve) => file.end(() => resolve()));
  }
}

export function requestsOf(entries: readonly LogEntry[]): RequestEntry[] {
  return entries.filter((entry) => entry.kind === "request");
}

/** A log file back into entries; an incomplete last line is left out. */
export function readLog(path: string): LogEntry[] {
  const lines = readFileSync(path, "utf8").split("\n");
  lines.pop();
  return lines.map((line) => JSON.parse(line) as LogEntry);
}
