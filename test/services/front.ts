/** What stands between a client and the object store in tests: passes all on, checks sums on the way, and fails as it is told. */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { crc32 } from "node:zlib";

export interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly bytes: number;
}

/**
 * status: answers so and passes nothing on. cut: breaks the connection, nothing passed on. lost: passes it on and breaks
 * the connection instead of answering. garble: one byte of the body is another when it arrives. spoil: one byte of the
 * answer's body is another. slow: passes on after so many ms.
 */
export type Fault =
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "cut" | "lost" | "garble" | "spoil" }
  | { readonly kind: "slow"; readonly ms: number };

export interface Front extends AsyncDisposable {
  readonly endpoint: string;
  /** All that was asked, in order. */
  readonly asked: readonly Asked[];
  /** Bodies whose CRC32 was given, and right. */
  readonly checked: number;
  /** HEAD gives a tag that is no check sum, as of a server that encrypts. */
  opaqueTags: boolean;
  /** Decides on each request; null: it goes through. */
  fault: (asked: Asked) => Fault | null;
  /** Listens no more, until `open`. */
  close(): Promise<void>;
  open(): Promise<void>;
}

export async function front(port: number): Promise<Front> {
  const asked: Asked[] = [];
  let checked = 0;
  const server = createServer((incoming, answer) => {
    serve(incoming, answer).catch(() => answer.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = (server.address() as { port: number }).port;
  const self: Front = {
    endpoint: `http://127.0.0.1:${own}`,
    asked,
    get checked() {
      return checked;
    },
    opaqueTags: false,
    fault: () => null,
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
    async open() {
      server.listen(own, "127.0.0.1");
      await once(server, "listening");
    },
    [Symbol.asyncDispose]: () => self.close(),
  };
  return self;

  async function serve(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    const one = { method: incoming.method ?? "", path: incoming.url ?? "", bytes: body.length };
    asked.push(one);
    const fault = self.fault(one);
    if (fault?.kind === "cut") return void incoming.socket.destroy();
    if (fault?.kind === "status") return refuse(answer, fault.status, "ServiceUnavailable");
    if (fault?.kind === "slow") await new Promise((resolve) => setTimeout(resolve, fault.ms));
    if (fault?.kind === "garble" && body.length > 0) body[0]! ^= 1;
    const crc = incoming.headers["x-amz-checksum-crc32"];
    if (crc !== undefined && fault?.kind !== "garble") {
      const found = Buffer.alloc(4);
      found.writeUInt32BE(crc32(body));
      if (found.toString("base64") !== crc) return refuse(answer, 400, "BadDigest");
      checked++;
    }
    const through = request({
      host: "127.0.0.1",
      port,
      method: one.method,
      path: one.path,
      headers: incoming.headers,
      agent: false,
    });
    through.end(body);
    const [response] = (await once(through, "response")) as [IncomingMessage];
    const received: Buffer[] = [];
    for await (const piece of response) received.push(piece as Buffer);
    if (fault?.kind === "lost") return void incoming.socket.destroy();
    const whole = Buffer.concat(received);
    if (fault?.kind === "spoil" && whole.length > 0) whole[0]! ^= 1;
    const tag = self.opaqueTags && one.method === "HEAD" ? { etag: '"opaque"' } : {};
    answer.writeHead(response.statusCode ?? 500, { ...response.headers, ...tag });
    answer.end(whole);
  }
}

function refuse(answer: ServerResponse, status: number, code: string): void {
  answer.writeHead(status, { "content-type": "application/xml" });
  answer.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}
