/** Proxies that a test runs: HTTP (CONNECT and absolute form) and SOCKS 5, with a log of what they were asked. */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from "node:net";
import type { TlsOptions } from "node:tls";

export interface TestProxy extends AsyncDisposable {
  readonly port: number;
  /** `CONNECT host:port`, `GET http://...`, `SOCKS host:port`; in order. */
  readonly asked: string[];
}

export interface TestProxyOptions {
  readonly tls?: TlsOptions;
  /** "user:password". */
  readonly credentials?: string;
  /** Says no to every target. Names that are let through all lead to 127.0.0.1. */
  readonly refuses?: boolean;
}

const here = (host: string): string => (/^[\d.]+$|:/.test(host) ? host : "127.0.0.1");

export async function httpProxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const isAllowed = ({ headers }: IncomingMessage): boolean =>
    options.credentials === undefined ||
    headers["proxy-authorization"] === `Basic ${Buffer.from(options.credentials).toString("base64")}`;
  const forward = (from: IncomingMessage, to: ServerResponse): void => {
    asked.push(`${from.method} ${from.url}`);
    if (!isAllowed(from)) return void to.writeHead(407).end("who are you?");
    const { hostname, port, pathname, search } = new URL(from.url!);
    const { "proxy-authorization": _, ...headers } = from.headers;
    const onward = request({ host: here(hostname), port, path: pathname + search, headers }, (answer) => {
      to.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(to);
    });
    onward.on("error", () => to.writeHead(502).end());
    onward.end();
  };
  const server: Server = options.tls === undefined ? createServer(forward) : createHttpsServer(options.tls, forward);
  server.on("connect", (from: IncomingMessage, socket: Socket, ahead: Buffer) => {
    asked.push(`CONNECT ${from.url}`);
    socket.on("error", () => {});
    if (!isAllowed(from)) return void socket.end("HTTP/1.1 407 Who\r\n\r\n");
    if (options.refuses) return void socket.end("HTTP/1.1 403 No\r\n\r\n");
    const [, host = "", port] = /^\[?(.*?)\]?:(\d+)$/.exec(from.url!) ?? [];
    const onward = connect(Number(port), here(host), () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.write(ahead);
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
    socket.on("close", () => onward.destroy());
  });
  return listening(server, asked);
}

export async function socksProxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const server = createTcpServer(async (socket) => {
    socket.on("error", () => {});
    const take = async (bytes: number): Promise<Buffer> => {
      for (;;) {
        const found = socket.read(bytes) as Buffer | null;
        if (found !== null) return found;
        await once(socket, "readable");
      }
    };
    const [, methods = 0] = await take(2);
    const offered = await take(methods);
    const method = options.credentials === undefined ? 0 : 2;
    if (!offered.includes(method)) return void socket.end(Buffer.of(5, 255));
    socket.write(Buffer.of(5, method));
    if (method === 2) {
      const user = await take((await take(2))[1]!);
      const password = await take((await take(1))[0]!);
      const isRight = `${user}:${password}` === options.credentials;
      socket.write(Buffer.of(1, isRight ? 0 : 1));
      if (!isRight) return void socket.end();
    }
    const [, , , type] = await take(4);
    const host =
      type === 1
        ? (await take(4)).join(".")
        : type === 4
          ? (await take(16)).toString("hex")
          : String(await take((await take(1))[0]!));
    const port = (await take(2)).readUInt16BE();
    asked.push(`SOCKS ${host}:${port}`);
    if (options.refuses) return void socket.end(Buffer.of(5, 2, 0, 1, 0, 0, 0, 0, 0, 0));
    const onward = connect(port, here(host), () => {
      socket.write(Buffer.of(5, 0, 0, 1, 127, 0, 0, 1, 0, 0));
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.end(Buffer.of(5, 5, 0, 1, 0, 0, 0, 0, 0, 0)));
    socket.on("close", () => onward.destroy());
  });
  return listening(server, asked);
}

async function listening(server: TcpServer, asked: string[]): Promise<TestProxy> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
