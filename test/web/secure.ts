/** TLS on the port of plain HTTP, for the gallery's hosts with certificates good and bad: the first byte tells which is spoken. */
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { createSecureContext, createServer, type SecureContext } from "node:tls";

export type Certificate = "good" | "expired" | "other" | "self-signed";

const pem = (name: string): Buffer => readFileSync(new URL(`certificates/${name}.pem`, import.meta.url));

/** What a crawler must be told to trust (NODE_EXTRA_CA_CERTS) for the good certificate to be good. */
export const AUTHORITY_FILE = new URL("certificates/authority.pem", import.meta.url).pathname;

/** The first byte of a TLS record that begins a handshake (RFC 8446 section 5.1). */
const HANDSHAKE = 0x16;

/** Makes the server speak TLS to who does; `certificateOf` a server name. `closeAllConnections` ends all, those too that have said nothing yet. */
export function speakTlsToo(server: Server, certificateOf: (name: string) => Certificate): void {
  const contexts = new Map<Certificate, SecureContext>();
  const contextOf = (name: Certificate): SecureContext => {
    const made = contexts.get(name) ?? createSecureContext({ cert: pem(name), key: pem("odd.key") });
    contexts.set(name, made);
    return made;
  };
  const plain = server.listeners("connection") as ((socket: Socket) => void)[];
  server.removeAllListeners("connection");
  const serve = (socket: Socket): void => {
    for (const listener of plain) listener.call(server, socket);
  };
  const secure = createServer(
    {
      cert: pem("good"),
      key: pem("odd.key"),
      ALPNProtocols: ["http/1.1"],
      SNICallback: (name, done) => done(null, contextOf(certificateOf(name))),
    },
    serve,
  ).on("tlsClientError", () => {});
  const open = new Set<Socket>();
  server.closeAllConnections = () => {
    for (const socket of open) socket.destroy();
  };
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => {});
    socket.once("data", (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      if (first[0] === HANDSHAKE) secure.emit("connection", socket);
      else serve(socket);
      process.nextTick(() => socket.resume());
    });
  });
}
