/** A TCP (or TLS) server that a test scripts byte by byte, and that remembers what it was sent. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import type { Clock } from "../../src/base/clock.ts";
import { systemClock } from "../../src/base/clock.ts";
import type { FetchFailure, FetchRequest, FetchResponse, FetchResult } from "../../src/model/fetch-result.ts";
import type { Href } from "../../src/model/url.ts";
import { type FetcherOptions, httpFetcher } from "../../src/net/fetcher.ts";
import { addressGuard } from "../../src/net/guard.ts";
import type { Fetcher } from "../../src/ports/fetcher.ts";

export interface RawServer extends AsyncDisposable {
  readonly port: number;
  /** Heads of requests, as received, in order. */
  readonly heads: string[];
  /** Connections accepted so far, and those open now. */
  readonly accepted: number;
  readonly open: ReadonlySet<Socket>;
  url(path?: string): Href;
}

/** Called for every request head; `nth` counts the requests of that connection from 1. */
export type Script = (socket: Socket, head: string, nth: number) => void;

export async function rawServer(script: Script, tls?: TlsOptions): Promise<RawServer> {
  const heads: string[] = [];
  const open = new Set<Socket>();
  let accepted = 0;
  const onConnection = (socket: Socket) => {
    accepted++;
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => {});
    let buffered = "";
    let nth = 0;
    socket.on("data", (chunk) => {
      buffered += chunk.toString("latin1");
      for (let end = buffered.indexOf("\r\n\r\n"); end >= 0; end = buffered.indexOf("\r\n\r\n")) {
        const head = buffered.slice(0, end + 4);
        buffered = buffered.slice(end + 4);
        heads.push(head);
        script(socket, head, ++nth);
      }
    });
  };
  const server: Server =
    tls === undefined ? createServer(onConnection) : createTlsServer(tls, onConnection).on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    heads,
    open,
    get accepted() {
      return accepted;
    },
    url: (path = "/") => `${tls === undefined ? "http" : "https"}://site.test:${port}${path}` as Href,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A plain answer with Content-Length. */
export function answer(
  body: string | Uint8Array = "hello",
  fields = "Content-Type: text/html\r\n",
  status = "200 OK",
): Buffer {
  const bytes = Buffer.from(body as string);
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${fields}Content-Length: ${bytes.length}\r\n\r\n`, "latin1"),
    bytes,
  ]);
}

export interface TestFetcher extends Fetcher {
  get(href: string, more?: Partial<FetchRequest>, signal?: AbortSignal): Promise<FetchResult>;
  response(href: string, more?: Partial<FetchRequest>): Promise<FetchResponse>;
  failure(href: string, more?: Partial<FetchRequest>): Promise<FetchFailure>;
}

export function testFetcher(options: Partial<FetcherOptions> & { clock?: Clock } = {}): TestFetcher {
  const fetcher = httpFetcher({
    clock: systemClock,
    guard: addressGuard(["127.0.0.1"]),
    userAgent: "TrawlBot/0.1 (+https://trawl.test/bot)",
    ...options,
  });
  const get: TestFetcher["get"] = (href, more, signal) =>
    fetcher.fetch({ href: href as Href, address: "127.0.0.1", purpose: "page", ...more }, signal);
  return {
    fetch: (request, signal) => fetcher.fetch(request, signal),
    [Symbol.asyncDispose]: () => fetcher[Symbol.asyncDispose](),
    get,
    async response(href, more) {
      const result = await get(href, more);
      if (result.kind !== "response") throw new Error(`no response: ${result.cause}, ${result.detail}`);
      return result;
    },
    async failure(href, more) {
      const result = await get(href, more);
      if (result.kind !== "failure") throw new Error(`no failure: status ${result.status}`);
      return result;
    },
  };
}

/** Resolves once the condition holds; the test runner's own deadline ends it when it never does. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

export const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
