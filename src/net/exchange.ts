/** One request and what comes of it: the state machine between undici's dispatcher and a value that says how it ended. */
import type { Dispatcher } from "undici";
import type { Clock, Instant } from "../base/clock.ts";
import type { Truncation } from "../model/capture.ts";
import { header, type TlsFacts } from "../model/fetch-result.ts";
import type { Connection, Lane, Passenger } from "./connections.ts";
import type { Deadlines, Expiring } from "./deadlines.ts";
import { type Failed, failureOf, isProtocolError, isStaleConnection, type Phase } from "./failure.ts";
import { Gathering } from "./gathering.ts";

export interface ExchangeRules {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly totalMs: number;
}

/** What is asked, and how much of which answers is read. */
export interface Order {
  readonly lane: Lane;
  readonly path: string;
  /** [name, value, ...] in the order of the wire; the first is `host`. */
  readonly headers: string[];
  /** Bytes of a body as received: of an answer with status 2xx, and of any other. */
  readonly maxBytes: number;
  readonly maxOtherBytes: number;
  /** Whether a 2xx body of that declared type is read at all. */
  wants(contentType: string | null): boolean;
}

/** An answer as it came over the wire. */
export interface Received {
  readonly kind: "received";
  readonly status: number;
  readonly statusText: string;
  readonly httpVersion: "1.0" | "1.1" | "2";
  readonly tls?: TlsFacts;
  readonly rawHeaders: readonly string[];
  readonly rawHead: string | null;
  readonly body: Uint8Array;
  readonly bodyRead: boolean;
  readonly truncated: Truncation | null;
}

export type Outcome = Received | (Failed & { readonly kind: "failed" });

/** A server that sends more interim answers (1xx) than this before the answer is playing games. */
const INTERIM_MOST = 20;

/** Resolves when the exchange has ended, whichever way; never rejects. The connection is given back before. */
export function exchange(order: Order, rules: ExchangeRules, signal?: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => new Exchange(order, rules, resolve, signal).begin());
}

class Exchange implements Passenger, Expiring, Dispatcher.DispatchHandler {
  dueAt: Instant;
  readonly #order: Order;
  readonly #rules: ExchangeRules;
  readonly #resolve: (outcome: Outcome) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #totalDueAt: Instant;
  #phase: Phase = "waiting";
  #ended = false;
  #connection: Connection | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  /** The connection had answered before: it may have been closed by the server just now. */
  #reused = false;
  #retried = false;
  #anyByte = false;
  #interim = 0;

  #status = 0;
  #statusText = "";
  #rawHeaders: readonly string[] = [];
  #rawHead: string | null = null;
  #bodyRead = true;
  #cap = 0;
  readonly #body = new Gathering();

  constructor(
    order: Order,
    rules: ExchangeRules,
    resolve: (outcome: Outcome) => void,
    signal: AbortSignal | undefined,
  ) {
    this.#order = order;
    this.#rules = rules;
    this.#resolve = resolve;
    this.#signal = signal;
    this.#totalDueAt = rules.clock.now() + rules.totalMs;
    this.dueAt = this.#totalDueAt;
  }

  begin(): void {
    if (this.#signal?.aborted) {
      this.stop();
      return;
    }
    this.#signal?.addEventListener("abort", this.stop, { once: true });
    this.#rules.deadlines.add(this);
    if (!this.#ended) this.#order.lane.take(this);
  }

  board(connection: Connection): void {
    this.#connection = connection;
    this.#dispatch(connection);
  }

  expire(): void {
    if (this.#phase === "body") this.#receive("time");
    else this.#fail({ cause: "timeout", detail: this.#lateness() });
  }

  readonly stop = (): void => this.#fail({ cause: "timeout", detail: "aborted" });

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#ended) {
      controller.abort(new Error("ended before it began"));
      return;
    }
    this.#controller = controller;
    this.#phase = "sent";
    this.#connection!.awaitsHead = true;
    this.#connection!.head = null;
    this.#due(this.#rules.firstByteMs);
  }

  onResponseStarted(): void {
    this.#anyByte = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _: unknown,
    statusText: string | undefined,
  ): void {
    if (this.#ended) return;
    if (status < 200) {
      if (++this.#interim > INTERIM_MOST) this.#fail({ cause: "protocol", detail: `${this.#interim} interim answers` });
      return;
    }
    this.#phase = "body";
    this.dueAt = this.#totalDueAt;
    this.#status = status;
    this.#statusText = wireText(statusText ?? "");
    this.#rawHeaders = flatHeaders(controller.rawHeaders);
    const connection = this.#connection!;
    this.#rawHead = connection.isHttp2 ? null : connection.head;
    const success = status < 300;
    this.#cap = success ? this.#order.maxBytes : this.#order.maxOtherBytes;
    if (success && status !== 204 && !this.#order.wants(header(this.#rawHeaders, "content-type"))) {
      this.#bodyRead = false;
      this.#receive(null);
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    const room = this.#cap - this.#body.size;
    this.#body.add(chunk.length <= room ? chunk : chunk.subarray(0, room));
    if (chunk.length > room) this.#receive("length");
  }

  onResponseEnd(): void {
    if (this.#ended) return;
    this.#connection!.served++;
    this.#controller = null; // nothing is left to abort
    this.#receive(null);
  }

  onResponseError(_: unknown, error: NodeJS.ErrnoException): void {
    if (this.#ended) return;
    this.#controller = null;
    if (this.#phase === "body") {
      this.#receive(isProtocolError(error.code ?? error.name, error.message) ? "unspecified" : "disconnect");
    } else if (this.#reused && !this.#retried && !this.#anyByte && isStaleConnection(error)) {
      this.#retried = true;
      // Not from within undici's own clearing up after the connection.
      queueMicrotask(() => {
        if (!this.#ended) this.#dispatch(this.#connection!);
      });
    } else {
      const handshaking = this.#phase === "connecting" && this.#connection!.handshaking;
      this.#fail(failureOf(error, handshaking ? "handshaking" : this.#phase));
    }
  }

  #dispatch(connection: Connection): void {
    // It has waited for a connection, or was stopped with the whole process: an answer would come to nobody.
    if (this.#rules.clock.now() >= this.#totalDueAt) {
      this.dueAt = this.#totalDueAt;
      this.expire();
      return;
    }
    this.#phase = "connecting";
    this.#due(this.#rules.connectMs);
    this.#reused = connection.open && connection.served > 0;
    connection.client.dispatch({ method: "GET", path: this.#order.path, headers: this.#order.headers }, this);
  }

  #due(withinMs: number): void {
    this.dueAt = Math.min(this.#totalDueAt, this.#rules.clock.now() + withinMs);
  }

  #lateness(): string {
    const { connectMs, firstByteMs, totalMs } = this.#rules;
    if (this.dueAt === this.#totalDueAt) return `not done within ${totalMs} ms`;
    return this.#phase === "sent" ? `no answer within ${firstByteMs} ms` : `not connected within ${connectMs} ms`;
  }

  #fail(failed: Failed): void {
    if (!this.#ended) this.#end({ kind: "failed", ...failed });
  }

  #receive(truncated: Truncation | null): void {
    const connection = this.#connection!;
    this.#end({
      kind: "received",
      status: this.#status,
      statusText: this.#statusText,
      httpVersion: connection.isHttp2 ? "2" : connection.minorVersion === 0 ? "1.0" : "1.1",
      ...(connection.tls === null ? {} : { tls: connection.tls }),
      rawHeaders: this.#rawHeaders,
      rawHead: this.#rawHead,
      body: this.#body.take(),
      bodyRead: this.#bodyRead,
      truncated,
    });
  }

  /** The one way out: what was taken is given back, and what still runs is stopped, in this order. */
  #end(outcome: Outcome): void {
    this.#ended = true;
    this.#body.take();
    this.#rules.deadlines.delete(this);
    this.#signal?.removeEventListener("abort", this.stop);
    const { lane } = this.#order;
    const connection = this.#connection;
    if (connection === null) lane.withdraw(this);
    else if (this.#phase === "connecting" && !connection.open) lane.drop(connection);
    else {
      this.#controller?.abort(new Error("the exchange has ended"));
      lane.give(connection);
    }
    this.#resolve(outcome);
  }
}

/** Header fields as they came, as Latin-1: HTTP/1 gives buffers in a row, HTTP/2 an object. */
function flatHeaders(raw: Dispatcher.DispatchController["rawHeaders"]): readonly string[] {
  if (raw === null || raw === undefined) return [];
  if (Array.isArray(raw)) return raw.map((part) => (typeof part === "string" ? part : part.toString("latin1")));
  const flat: string[] = [];
  for (const [name, value] of Object.entries(raw)) {
    for (const one of Array.isArray(value) ? value : [value ?? ""]) flat.push(name, one);
  }
  return flat;
}

/** undici reads the reason phrase as UTF-8; on the wire it is bytes, which we write as Latin-1. */
function wireText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}
