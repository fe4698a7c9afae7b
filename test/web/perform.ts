/** Carries a behaviour out on a connection. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { Behaviour, Coding } from "./behaviour.ts";
import { trapPage } from "./trap.ts";

export interface Stage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query, as sent. */
  readonly path: string;
  readonly host: string;
  /** Requests under the same rule on the same host before this one. */
  readonly count: number;
  /** What the rule remembers of the host from request to request. */
  readonly memory: Map<string, number>;
  /** The ordinary answer: the page at this path, or 404. */
  page(path?: string): Answer;
  /** Ends the request in the log and sends. */
  send(answer: Answer): void;
  /** Writes past HTTP: the status is only for the log. */
  wire(status: number | null): NodeJS.WritableStream & { destroy(): void; resetAndDestroy(): void };
  /** To be called just before the last byte is written; without it the request lasts until the connection closes. */
  ended(): void;
  /** Calls back until the connection closes. */
  every(ms: number, tick: () => void): void;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

const MOST_ENDLESS_BYTES = 2 ** 28;

/** One act a kind of behaviour. */
type Acts = { readonly [K in Behaviour["kind"]]: (stage: Stage, behaviour: Extract<Behaviour, { kind: K }>) => void };

const acts: Acts = {
  page: (stage) => stage.send(stage.page()),
  "slow-first-byte"(stage, { ms }) {
    const due = performance.now() + ms;
    stage.every(Math.min(ms, 50), () => {
      if (performance.now() >= due && !stage.response.writableEnded) stage.send(stage.page());
    });
  },
  never() {},
  stall({ response }) {
    response.writeHead(200, { ...HTML, "content-length": "10000" });
    response.flushHeaders();
  },
  drip,
  reset(stage, { afterBytes }) {
    const wire = stage.wire(afterBytes === 0 ? null : 200);
    if (afterBytes > 0) wire.write(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000000\r\n\r\n`);
    wire.write("x".repeat(afterBytes));
    // A reset discards what is still under way: the bytes get a moment to arrive.
    stage.every(20, () => {
      stage.ended();
      wire.resetAndDestroy();
    });
  },
  "hang-up"(stage) {
    const wire = stage.wire(null);
    stage.ended();
    wire.end();
  },
  stale(stage) {
    if (stage.request.socket.bytesWritten === 0) {
      stage.send(stage.page());
      return;
    }
    const wire = stage.wire(null);
    stage.ended();
    wire.end();
  },
  "wrong-length"(stage, { off }) {
    const { body } = stage.page();
    const length = Buffer.byteLength(body) + off;
    raw(stage, `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${length}\r\n\r\n`, body);
  },
  chunked,
  "until-close": (stage) => raw(stage, "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n", stage.page().body),
  endless,
  encoded(stage, { coding, declared, cutAt }) {
    const { status, headers, body } = stage.page();
    const whole = encode(coding, body);
    const said = { ...headers, "content-encoding": declared ?? coding.replace("-raw", "") };
    stage.send({ status, headers: said, body: whole.subarray(0, cutAt ?? whole.length) });
  },
  mislabelled(stage, { declared }) {
    const { status, headers, body } = stage.page();
    stage.send({ status, headers: { ...headers, "content-encoding": declared }, body });
  },
  bomb: (stage, { mib }) =>
    stage.send({ status: 200, headers: { ...HTML, "content-encoding": "gzip" }, body: bomb(mib) }),
  "header-flood": flood,
  raw: (stage, { text }) => raw(stage, text, ""),
  redirect(stage, { to, status, cookie }) {
    const answer = redirect(to, status);
    stage.send(cookie === undefined ? answer : { ...answer, headers: { ...answer.headers, "set-cookie": cookie } });
  },
  "redirect-chain"(stage, { hops }) {
    // Whatever else is asked for beside it: with utm_ parameters the chain is the same.
    const { pathname, searchParams } = new URL(stage.path, "http://this.test");
    const next = Number(searchParams.get("hop") ?? 0) + 1;
    stage.send(next > hops ? stage.page(pathname) : redirect(`${pathname}?hop=${next}`));
  },
  "cookie-wall"(stage, { by }) {
    if ((stage.request.headers.cookie ?? "").includes("seen=1")) {
      stage.send(stage.page());
      return;
    }
    const { status, headers, body } = redirect(by ?? stage.path);
    const cookie = by === undefined ? "seen=1; Path=/" : "from=here";
    stage.send({ status, headers: { ...headers, "set-cookie": cookie }, body });
  },
  status(stage, { status, times, headers }) {
    const over = times !== undefined && stage.count >= times;
    stage.send(over ? stage.page() : plain(status, headers));
  },
  limit,
  body(stage, { status, type, text, base64, headers }) {
    const body = base64 === undefined ? Buffer.from(text ?? "", "latin1") : Buffer.from(base64, "base64");
    stage.send({ status: status ?? 200, headers: { "content-type": type, ...headers }, body });
  },
  trap: (stage, { trap }) => stage.send({ status: 200, headers: HTML, body: trapPage(trap, stage.path) }),
  "soft-404"(stage) {
    const found = stage.page();
    const body = "<title>Oh!</title><p>We looked everywhere. <a href='/'>Home</a>";
    stage.send(found.status === 200 ? found : { status: 200, headers: HTML, body });
  },
};

export function perform<K extends Behaviour["kind"]>(behaviour: Extract<Behaviour, { kind: K }>, stage: Stage): void {
  acts[behaviour.kind as K](stage, behaviour);
}

export const HTML = { "content-type": "text/html; charset=utf-8" };

export function plain(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { "content-type": "text/plain", ...headers }, body: `${status}\n` };
}

export function redirect(to: string, status = 302): Answer {
  // Latin-1 goes out as it stands: a server may well put raw bytes into Location.
  return { status, headers: { location: to, ...HTML }, body: "<p>elsewhere" };
}

export function encode(coding: Coding, body: Buffer | string): Buffer {
  switch (coding) {
    case "gzip":
      return gzipSync(body, { level: 1 });
    case "deflate":
      return deflateSync(body, { level: 1 });
    case "deflate-raw":
      return deflateRawSync(body, { level: 1 });
    case "br":
      return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });
    case "zstd":
      return zstdCompressSync(body);
  }
}

const bombs = new Map<number, Buffer>();

function bomb(mib: number): Buffer {
  const made = bombs.get(mib) ?? gzipSync(Buffer.alloc(mib * 2 ** 20, "<p>boom</p>\n"), { level: 9 });
  bombs.set(mib, made);
  return made;
}

function raw(stage: Stage, head: string, body: Buffer | string): void {
  const status = /^HTTP\/\d\.\d (\d{3})\b/.exec(head)?.[1];
  const wire = stage.wire(status === undefined ? null : Number(status));
  wire.write(Buffer.from(head, "latin1"));
  stage.ended();
  if (body.length > 0) wire.write(body);
  wire.end();
}

function drip(stage: Stage, { bytes, everyMs }: Extract<Behaviour, { kind: "drip" }>): void {
  const { status, headers, body } = stage.page();
  const buffer = Buffer.from(body);
  stage.response.writeHead(status, { ...headers, "content-length": String(buffer.length) });
  let at = 0;
  stage.every(everyMs, () => {
    if (stage.response.writableEnded) return;
    const last = at + bytes >= buffer.length;
    if (last) stage.ended();
    stage.response.write(buffer.subarray(at, at + bytes));
    at += bytes;
    if (last) stage.response.end();
  });
}

function chunked(stage: Stage, { bytes, broken = false }: Extract<Behaviour, { kind: "chunked" }>): void {
  const { status, headers, body } = stage.page();
  const buffer = Buffer.from(body);
  stage.response.writeHead(status, { ...headers, "transfer-encoding": "chunked" });
  for (let at = 0; at < buffer.length; at += bytes) {
    if (broken && at >= buffer.length / 2) {
      const wire = stage.wire(200);
      stage.ended();
      wire.end("zz\r\nnot a chunk\r\n");
      return;
    }
    if (at + bytes >= buffer.length) stage.ended();
    stage.response.write(buffer.subarray(at, at + bytes));
  }
  stage.response.end();
}

function endless(stage: Stage, { everyMs }: Extract<Behaviour, { kind: "endless" }>): void {
  const { response } = stage;
  response.writeHead(200, HTML);
  const block = Buffer.alloc(65_536, "<p>and on and on</p>\n");
  let sent = 0;
  const more = () => {
    do sent += block.length;
    while (sent < MOST_ENDLESS_BYTES && response.write(block));
    if (sent >= MOST_ENDLESS_BYTES) response.end();
  };
  if (everyMs === undefined) {
    response.on("drain", more);
    more();
  } else stage.every(everyMs, () => response.write(block.subarray(0, 1024)));
}

function flood(stage: Stage): void {
  const wire = stage.wire(200);
  let n = 0;
  const more = () => {
    let lines = "";
    for (let i = 0; i < 64; i++) lines += `X-Flood-${n++}: ${"f".repeat(200)}\r\n`;
    if (n * 200 > MOST_ENDLESS_BYTES) wire.destroy();
    else if (wire.write(lines)) setImmediate(more);
  };
  wire.on("drain", more);
  wire.write("HTTP/1.1 200 OK\r\n");
  more();
}

function limit(stage: Stage, rule: Extract<Behaviour, { kind: "limit" }>): void {
  const { memory } = stage;
  const now = Date.now();
  const until = memory.get("until") ?? 0;
  const served = memory.get("served") ?? 0;
  if (now >= until && served < rule.after) {
    memory.set("served", served + 1);
    stage.send(stage.page());
    return;
  }
  const end = now < until ? until : now + rule.seconds * 1000;
  memory.set("until", end).set("served", 0);
  const said = {
    seconds: () => String(Math.ceil((end - now) / 1000)),
    date: () => new Date(Math.ceil(end / 1000) * 1000).toUTCString(),
    none: () => undefined,
  };
  const value = typeof rule.retryAfter === "string" ? said[rule.retryAfter]() : rule.retryAfter.raw;
  stage.send(plain(rule.status, value === undefined ? {} : { "retry-after": value }));
}
