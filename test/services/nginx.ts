/** A private nginx on a free loopback port, serving one folder. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findCommand, need } from "./command.ts";

export interface NginxOptions {
  /** The folder served at `/`. */
  readonly root: string;
  /** Compress HTML, CSS and scripts for those who accept it; false. */
  readonly gzip?: boolean;
  /** List folders without an index page; false. */
  readonly autoindex?: boolean;
  /** Worker processes; 1. */
  readonly workers?: number;
  /** Further lines for the `server` block. */
  readonly extra?: string;
}

export interface Nginx extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** The lines of its access log: `METHOD URI STATUS BYTES AGENT`, tabs between. */
  accessLog(): Promise<string[]>;
}

const START_MS = 10_000;

/** Throws `MissingService` when nginx is not there and cannot be installed. */
export async function nginx(options: NginxOptions): Promise<Nginx> {
  const binary = await need("nginx", ["nginx-light"], () => findCommand("nginx"));
  const dir = await mkdtemp(join(tmpdir(), "nginx-"));
  await chmod(dir, 0o755);
  const port = await freePort();
  const config = join(dir, "nginx.conf");
  await writeFile(config, configOf(dir, port, options));
  const child = spawn(binary, ["-e", join(dir, "error.log"), "-p", dir, "-c", config], { stdio: "ignore" });
  const exited = once(child, "exit");
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exited;
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await accepting(port, () => child.exitCode !== null);
  } catch {
    const said = await readFile(join(dir, "error.log"), "utf8").catch(() => "");
    await stop();
    throw new Error(`nginx did not start: ${said.trim() || "no word of it"}`);
  }
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    accessLog: async () => (await readFile(join(dir, "access.log"), "utf8")).split("\n").slice(0, -1),
    [Symbol.asyncDispose]: stop,
  };
}

function configOf(dir: string, port: number, options: NginxOptions): string {
  const { root, gzip = false, autoindex = false, workers = 1, extra = "" } = options;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  // Files under /usr/share are read by all; as root, nginx would otherwise become `nobody`, who may lack the folder.
  const user = process.getuid?.() === 0 ? "user root;" : "";
  return `daemon off; ${user} worker_processes ${workers}; pid ${dir}/nginx.pid; error_log ${dir}/error.log warn;
events { worker_connections 1024; }
http {
  ${temporary.map((name) => `${name}_temp_path ${dir}/${name};`).join(" ")}
  types {
    text/html html htm; text/css css; application/javascript js; image/png png; image/svg+xml svg; image/gif gif;
    image/jpeg jpg jpeg; text/plain txt; application/xml xml; application/pdf pdf; font/woff2 woff2;
  }
  default_type application/octet-stream;
  log_format plain '$request_method\\t$request_uri\\t$status\\t$body_bytes_sent\\t$http_user_agent';
  access_log ${dir}/access.log plain;
  sendfile on; tcp_nopush on; keepalive_requests 100000;
  gzip ${gzip ? "on" : "off"}; gzip_comp_level 1; gzip_vary on; gzip_types text/css application/javascript image/svg+xml;
  server {
    listen 127.0.0.1:${port};
    root ${root};
    index index.html;
    autoindex ${autoindex ? "on" : "off"};
    ${extra}
  }
}
`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function accepting(port: number, ended: () => boolean): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline && !ended()) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch {
      await sleep(20);
    } finally {
      socket.destroy();
    }
  }
  throw new Error("not listening");
}
