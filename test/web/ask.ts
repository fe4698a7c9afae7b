/** A bare HTTP client for the web's own tests: one request, one connection, and whatever comes back. */
import { request } from "node:http";
import { connect } from "node:net";
import type { FakeWeb } from "./fake-web.ts";

/** All that a client needs to know of a web, in this process or another. */
export type Reachable = Pick<FakeWeb, "port" | "addresses">;

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** The error that ended the body early, or null. */
  readonly broken: string | null;
}

/** Asks the host's address for `path`; rejects when there is no answer at all. Stops reading after `most` bytes. */
export function ask(
  web: Reachable,
  host: string,
  path: string,
  { headers = {}, address = web.addresses[0]!, most = Number.POSITIVE_INFINITY, agent = "trawlbot/0.0" } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: address,
      port: web.port,
      path,
      agent: false,
      headers: { host: `${host}:${web.port}`, "user-agent": agent, ...headers },
    });
    let answered: ((broken: string | null) => void) | null = null;
    const broke = (error: NodeJS.ErrnoException): void =>
      answered === null ? reject(error) : answered(error.code ?? error.message);
    sent.on("error", broke);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      answered = (broken) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks), broken });
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size < most) return;
        answered?.("enough");
        sent.destroy();
      });
      response.on("end", () => answered?.(null));
      response.on("error", broke);
    });
    sent.end();
  });
}

/** The bytes of an answer as they stand on the wire, up to `most` of them; "" when the connection just ends. */
export function askRaw(web: Reachable, host: string, path: string, most = Number.POSITIVE_INFINITY): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(web.port, web.addresses[0]!);
    let text = "";
    const done = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}:${web.port}\r\nConnection: close\r\n\r\n`);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (text.length >= most) done();
    });
    socket.on("error", done);
    socket.on("close", done);
  });
}
