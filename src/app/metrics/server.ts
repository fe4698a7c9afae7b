/** GET /metrics and /healthz, on an address of this machine. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isIPv6 } from "node:net";
import { UsageError } from "../usage-error.ts";

/** `says`: one line. */
export interface Health {
  readonly ok: boolean;
  readonly says: string;
}

export interface Pages {
  readonly contentType: () => string;
  readonly page: () => Promise<string>;
  readonly health: () => Health;
}

export interface MetricsServer extends AsyncDisposable {
  /** Of the page with the metrics. */
  readonly url: string;
}

/** `listen`: as `--metrics` has it: `127.0.0.1:9464`, `[::1]:9464`; port 0 is any that is free. @throws UsageError */
export async function serveMetrics(listen: string, pages: Pages): Promise<MetricsServer> {
  const [, host = "", port = ""] = /^\[?(.*?)\]?:(\d+)$/.exec(listen) ?? [];
  const server = createServer((request, response) => {
    request.resume();
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return say(response, 405, "only GET is answered here");
    }
    const path = request.url?.replace(/\?.*/s, "");
    if (path === "/healthz") {
      const { ok, says } = pages.health();
      return say(response, ok ? 200 : 503, says);
    }
    if (path !== "/metrics") return say(response, 404, "there is /metrics, and /healthz");
    pages.page().then(
      (text) => response.setHeader("content-type", pages.contentType()).end(text),
      (cause) => say(response, 500, String(cause)),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why = REASONS[cause.code ?? ""] ?? `cannot be listened on (${cause.message}); name another`;
      reject(new UsageError("metrics", `--metrics: ${listen} ${why}`, { cause }));
    });
    server.listen(Number(port), host, resolve);
  });
  server.on("error", () => {}); // what a connection suffers is no matter of the crawl's
  server.unref();
  const { address, port: given } = server.address() as AddressInfo;
  return {
    url: `http://${isIPv6(address) ? `[${address}]` : address}:${given}/metrics`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "is taken by another program, or another crawler; name another port (0 takes any that is free)",
  EACCES: "may not be listened on by this user; name a port above 1023",
  EADDRNOTAVAIL: "is no address of this machine; name one, 127.0.0.1:9464, or 0.0.0.0:9464 for all",
  ENOTFOUND: "is no address of this machine; name one, 127.0.0.1:9464, or 0.0.0.0:9464 for all",
};

function say(response: ServerResponse, status: number, line: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${line}\n`);
}
