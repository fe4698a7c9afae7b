/** Proxies: how one is named, and how a connection is led through it. */
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, isIP, isIPv4, type Socket } from "node:net";
import { err, ok, type Result } from "../base/result.ts";

export interface ProxyServer {
  readonly kind: "http" | "https" | "socks5";
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Decoded; null: none is asked for. */
  readonly credentials: { readonly user: string; readonly password: string } | null;
  /** `socks5h://`, as curl has it: the proxy looks up the names of targets. */
  readonly looksUp: boolean;
}

/** What went wrong between us and the proxy, or behind it. The words are whole; the code is the same for all. */
export class ProxyError extends Error {
  readonly code = "TRAWL_PROXY";
}

export interface Target {
  /** An address, or a name where the proxy looks names up. */
  readonly host: string;
  readonly port: number;
}

const PORTS: Readonly<Record<ProxyServer["kind"], number>> = { http: 80, https: 443, socks5: 1080 };

/** `http://user:password@proxy.example:3128`. The error is the end of a sentence that starts with the text. */
export function parseProxy(text: string): Result<ProxyServer, string> {
  const mend = "is not a proxy; write http://HOST:PORT, https://HOST:PORT or socks5://USER:PASSWORD@HOST:PORT";
  const url = URL.parse(text);
  const [, scheme = "", h] = /^(https?|socks5)(h?):$/.exec(url?.protocol ?? "") ?? [];
  if (url === null || url.hostname === "" || scheme === "" || (h === "h" && scheme !== "socks5")) return err(mend);
  if (!/^\/?$/.test(url.pathname) || url.search !== "" || url.hash !== "") return err(mend);
  const kind = scheme as ProxyServer["kind"];
  let credentials: ProxyServer["credentials"] = null;
  try {
    if (url.username !== "")
      credentials = { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  } catch {
    return err("has a % in its user or password that is no escape; write %25");
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return ok({ kind, host, port: Number(url.port) || PORTS[kind], credentials, looksUp: h === "h" });
}

/** As it may be shown: without user and password. */
export const proxyName = ({ kind, host, port }: ProxyServer): string =>
  `${kind}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** Whether anybody listens there, within `withinMs`: null, or why not, as the end of a sentence that starts with its name. */
export async function unreachable({ host, port }: ProxyServer, withinMs: number): Promise<string | null> {
  const socket = connect({ host, port });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(withinMs) });
    return null;
  } catch (cause) {
    const { code, name } = cause as NodeJS.ErrnoException;
    return `cannot be reached (${name === "AbortError" ? `not connected within ${withinMs} ms` : (code ?? name)})`;
  } finally {
    socket.destroy();
  }
}

/** The field that an HTTP proxy wants to see, or null. RFC 7617. */
export function proxyAuthorization({ credentials }: ProxyServer): string | null {
  return credentials === null ? null : basicAuthorization(credentials.user, credentials.password);
}

export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}`;
}

/**
 * Makes a connection to the proxy one to the target: by CONNECT (RFC 9110 section 9.3.6), or SOCKS5 (RFC 1928). Throws a
 * `ProxyError`. Takes as long as the proxy does: whoever waits destroys the socket when it is too late.
 */
export async function openTunnel(socket: Socket, proxy: ProxyServer, target: Target): Promise<void> {
  if (proxy.kind === "socks5") await connectSocks5(socket, proxy, target);
  else await connectHttp(socket, proxy, target);
}

async function connectHttp(socket: Socket, proxy: ProxyServer, { host, port }: Target): Promise<void> {
  const path = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const authorization = proxyAuthorization(proxy);
  const headers = { host: path, ...(authorization === null ? {} : { "proxy-authorization": authorization }) };
  const asked = httpRequest({ method: "CONNECT", path, headers, createConnection: () => socket });
  asked.end();
  let status: number;
  try {
    const [answer, , ahead] = (await Promise.race([
      once(asked, "connect"),
      once(socket, "close").then(() => {
        throw new Error("it closed the connection");
      }),
    ])) as [{ statusCode: number }, Socket, Buffer];
    status = answer.statusCode;
    if (ahead.length > 0) socket.unshift(ahead);
  } catch (cause) {
    throw new ProxyError(`the proxy ${proxyName(proxy)} gave no answer to CONNECT: ${(cause as Error).message}`);
  }
  if (status >= 200 && status < 300) return;
  throw new ProxyError(status === 407 ? wantsCredentials(proxy) : `the proxy answered ${status} to CONNECT ${path}`);
}

export const wantsCredentials = (proxy: ProxyServer): string =>
  `the proxy ${proxyName(proxy)} wants ${proxy.credentials === null ? "a" : "another"} user and password (407)`;

/** RFC 1928 section 6. */
const SOCKS_REPLIES = [
  "",
  "general failure",
  "not allowed by its rules",
  "network unreachable",
  "host unreachable",
  "connection refused",
  "TTL expired",
  "command not supported",
  "address type not supported",
];

async function connectSocks5(socket: Socket, proxy: ProxyServer, { host, port }: Target): Promise<void> {
  const { credentials } = proxy;
  const fault = (words: string) => new ProxyError(`the proxy ${proxyName(proxy)}: ${words}`);
  const reply = async (bytes: number) => {
    const found = await readExactly(socket, bytes);
    if (found === null) throw fault("it closed the connection");
    return found;
  };
  socket.write(credentials === null ? SOCKS_HELLO : SOCKS_HELLO_PASSWORD);
  const [version, method] = await reply(2);
  if (version !== 5) throw fault("it does not speak SOCKS 5");
  if (method === 2 && credentials !== null) {
    // RFC 1929.
    const [user, password] = [Buffer.from(credentials.user), Buffer.from(credentials.password)];
    if (user.length > 255 || password.length > 255) throw fault("user or password is longer than 255 bytes");
    socket.write(Buffer.concat([Buffer.of(1, user.length), user, Buffer.of(password.length), password]));
    const [, status] = await reply(2);
    if (status !== 0) throw fault("user or password is wrong");
  } else if (method !== 0) throw fault("it wants a user and a password");

  socket.write(Buffer.concat([Buffer.of(5, 1, 0), socksAddress(host), Buffer.of(port >> 8, port & 255)]));
  const [, status = 0, , type] = await reply(4);
  if (status !== 0) throw new ProxyError(`the proxy says of ${host}: ${SOCKS_REPLIES[status] ?? `reply ${status}`}`);
  const length = type === 1 ? 4 : type === 4 ? 16 : (await reply(1))[0]!;
  await reply(length + 2); // the address that it has bound: nothing to us
}

const SOCKS_HELLO = Buffer.of(5, 1, 0);
const SOCKS_HELLO_PASSWORD = Buffer.of(5, 2, 0, 2);

function socksAddress(host: string): Buffer {
  if (isIPv4(host)) return Buffer.of(1, ...host.split(".").map(Number));
  if (isIP(host) === 6) return Buffer.from([4, ...groupsOf(host).flatMap((group) => [group >> 8, group & 255])]);
  const name = Buffer.from(host).subarray(0, 255);
  return Buffer.concat([Buffer.of(3, name.length), name]);
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
    [a * 256 + Number(b), c * 256 + Number(d)].map((group) => group.toString(16)).join(":"),
  );
  const [head = "", tail] = plain.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail ?? "")];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

/** Null when the connection ends before. What comes behind stays in the socket. */
async function readExactly(socket: Socket, bytes: number): Promise<Buffer | null> {
  for (;;) {
    const found = socket.read(bytes) as Buffer | null;
    if (found !== null) return found.length === bytes ? found : null;
    if (socket.destroyed || socket.readableEnded) return null;
    const settled = new AbortController();
    const { signal } = settled;
    await Promise.race([
      once(socket, "readable", { signal }),
      once(socket, "close", { signal }),
      once(socket, "end", { signal }),
    ]).catch(() => {});
    settled.abort();
  }
}
