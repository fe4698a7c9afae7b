/** Opens one connection: to the checked address and nowhere else, or by way of the proxy that the user has named. */
import { isIP, type Socket, connect as tcpConnect } from "node:net";
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from "node:tls";
import type { AddressGuard } from "../ports/resolver.ts";
import { openTunnel, ProxyError, type ProxyServer, proxyName } from "./proxy.ts";

export interface DialOptions {
  readonly guard: AddressGuard;
  /** No certificate of a target is checked; that of an https proxy always is. */
  readonly insecure: boolean;
  readonly http2: boolean;
  readonly proxy: ProxyServer | null;
  /** Requests for `http:` are made of an HTTP proxy itself, in absolute form, and not through a tunnel. */
  readonly forward: boolean;
}

export interface Destination {
  readonly address: string;
  readonly port: number;
  /** The name that the certificate must be for; null: no TLS. */
  readonly secureName: string | null;
  /** Of an earlier connection, so that the handshake is a short one. */
  readonly session: Buffer | undefined;
}

/** Told how it goes. After `done` or `failed` nothing is called but `session`. */
export interface Dialling {
  /** What to destroy when it shall go on no longer. Another one may follow. */
  socket(socket: Socket): void;
  /** The way to the server is open and TLS is not yet: what fails now is TLS. */
  handshaking(): void;
  session(session: Buffer): void;
  done(socket: Socket | TLSSocket): void;
  failed(error: Error): void;
}

/** The guard, asked again at the last moment, said no. */
class RefusedAddress extends Error {
  readonly code = "TRAWL_REFUSED_ADDRESS";
}

export function dial(to: Destination, options: DialOptions, dialling: Dialling): void {
  const refused = options.guard(to.address);
  if (refused !== null) queueMicrotask(() => dialling.failed(new RefusedAddress(refused)));
  else if (options.proxy === null) dialDirectly(to, options, dialling);
  else dialThrough(options.proxy, to, options, dialling);
}

function dialDirectly(to: Destination, options: DialOptions, dialling: Dialling): void {
  // The host is always an address in canonical form (else the guard refuses it), so that nothing is ever looked up.
  const where = { host: to.address, port: to.port, autoSelectFamily: false };
  if (to.secureName === null) {
    watch(tcpConnect(where), "connect", dialling.done, dialling);
    return;
  }
  const socket = secure(where, to, options, dialling);
  socket.once("connect", () => dialling.handshaking());
  watch(socket, "secureConnect", dialling.done, dialling);
}

function dialThrough(proxy: ProxyServer, to: Destination, options: DialOptions, dialling: Dialling): void {
  const failed = (error: NodeJS.ErrnoException) => {
    const why = `the proxy ${proxyName(proxy)} cannot be reached: ${error.code ?? error.message}`;
    dialling.failed(error instanceof ProxyError ? error : new ProxyError(why));
  };
  const reached = async (socket: Socket) => {
    const forwards = options.forward && to.secureName === null;
    if (!forwards) await openTunnel(socket, proxy, { host: to.address, port: to.port });
    if (to.secureName === null) return dialling.done(socket);
    const inner = secure({ socket }, to, options, dialling);
    dialling.handshaking();
    watch(inner, "secureConnect", dialling.done, dialling);
  };
  // The user has named the proxy: the guard has no say, and its name is looked up by the system, which alone may know it.
  const where = { host: proxy.host, port: proxy.port };
  const name = isIP(proxy.host) === 0 ? { servername: proxy.host } : {};
  const isSecure = proxy.kind === "https";
  const socket = isSecure ? tlsConnect({ ...where, ...name, ALPNProtocols: ["http/1.1"] }) : tcpConnect(where);
  const ready = () => void reached(socket).catch(failed);
  watch(socket, isSecure ? "secureConnect" : "connect", ready, { socket: dialling.socket, failed });
}

function watch(
  socket: Socket,
  event: "connect" | "secureConnect",
  ready: (socket: Socket) => void,
  { socket: made, failed }: Pick<Dialling, "socket" | "failed">,
): void {
  made(socket);
  socket.setNoDelay(true);
  socket.once(event, () => ready(socket));
  // Stays for good: between attempts nobody else may listen, and an error without a listener ends the process.
  socket.on("error", failed);
}

function secure(where: ConnectionOptions, to: Destination, options: DialOptions, dialling: Dialling): TLSSocket {
  const name = to.secureName!.replace(/\.$/, "");
  const socket = tlsConnect({
    ...where,
    // An address is no server name (RFC 6066 section 3); the certificate is then checked against the address itself.
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ...(to.session === undefined ? {} : { session: to.session }),
    ALPNProtocols: options.http2 ? ["h2", "http/1.1"] : ["http/1.1"],
    rejectUnauthorized: !options.insecure,
  });
  return socket.on("session", dialling.session);
}
