/**
 * ReplayWeb.page (https://replayweb.page), served with one WACZ file on a loopback port: two scripts of the npm package,
 * which is unpacked by itself, since of all that it depends on nothing is needed.
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { access, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const VERSION = "2.4.6";
const CACHE = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));
const run = promisify(execFile);

/** The folder of the package, fetched from the registry the first time. */
async function replayWebPage(): Promise<string> {
  const folder = join(CACHE, `replaywebpage-${VERSION}`);
  const isThere = await access(join(folder, "sw.js")).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(join(CACHE, "unpack-"));
  try {
    const packed = ["pack", `replaywebpage@${VERSION}`, "--silent", "--pack-destination", work];
    const { stdout } = await run("npm", packed, { cwd: work, timeout: 300_000 });
    await run("tar", ["-xzf", join(work, stdout.trim()), "-C", work]);
    await rename(join(work, "package"), folder).catch(async (cause: unknown) => {
      if ((await stat(folder).catch(() => null)) === null) throw cause; // somebody else was faster
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return folder;
}

export interface Replay extends AsyncDisposable {
  /** The page that shows `href` as it is in the WACZ. */
  page(href: string): string;
}

/** Serves the WACZ file at `path` by ranges, as a static file server would, and the scripts that show it. */
export async function replayOf(path: string): Promise<Replay> {
  const folder = await replayWebPage();
  const files: Readonly<Record<string, readonly [string, string]>> = {
    "/ui.js": [join(folder, "ui.js"), "text/javascript"],
    "/replay/sw.js": [join(folder, "sw.js"), "text/javascript"],
    "/crawl.wacz": [path, "application/zip"],
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const [file, type] = files[url.pathname] ?? [];
    if (file !== undefined && type !== undefined) return void serve(file, type, request, response);
    if (url.pathname !== "/") return void response.writeHead(404).end();
    const href = (url.searchParams.get("url") ?? "").replace(/[&"<]/g, (c) => `&#${c.charCodeAt(0)};`);
    response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><script src="/ui.js"></script>
<style>html, body, replay-web-page { height: 100%; margin: 0 }</style>
<replay-web-page source="/crawl.wacz" url="${href}" replayBase="/replay/" embed="replayonly"></replay-web-page>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    page: (href) => `http://127.0.0.1:${port}/?url=${encodeURIComponent(href)}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function serve(file: string, type: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { size } = await stat(file);
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  const start = first === "" ? (last === "" ? 0 : Math.max(size - Number(last), 0)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (start > end) return void response.writeHead(416).end();
  const range = request.headers.range === undefined ? {} : { "content-range": `bytes ${start}-${end}/${size}` };
  response.writeHead("content-range" in range ? 206 : 200, {
    "content-type": type,
    "content-length": end - start + 1,
    "accept-ranges": "bytes",
    ...range,
  });
  if (request.method === "HEAD") response.end();
  else createReadStream(file, { start, end }).pipe(response);
}
