/** A seeded random web on loopback addresses: many virtual hosts, their names, all their misbehaviour, and a log of what was asked. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { hashText } from "../../src/base/hash.ts";
import type { Rule } from "./behaviour.ts";
import { startOf } from "./changing.ts";
import { dnsServer, type NameRecord } from "./dns.ts";
import { certificateOf, FORBIDDEN, GALLERY, galleryRules, TRAPS } from "./gallery.ts";
import { hostNumber } from "./graph.ts";
import { logNow, WebLog } from "./log.ts";
import { isMazeHost } from "./maze/maze.ts";
import type { FakeWebOptions } from "./options.ts";
import { originOf } from "./page.ts";
import { responder } from "./respond.ts";
import { speakTlsToo } from "./secure.ts";
import { type Site, site } from "./site.ts";

export interface FakeWeb extends AsyncDisposable {
  readonly port: number;
  readonly dnsPort: number;
  /** `127.0.0.1:PORT`, as `--dns` takes it. */
  readonly dns: string;
  /** The addresses that hosts are on. 127.0.0.1 is listened on too, and belongs to none: who comes there was lured. */
  readonly addresses: readonly string[];
  /** What to allow a crawler, and no more: the network of `addresses`. */
  readonly allowNet: string;
  readonly log: WebLog;
  readonly site: Site;
  /** The root of a host, by number or name. */
  origin(host: number | string): string;
  /** Puts a rule in front of all others. */
  behave(rule: Rule): void;
}

const MOST_ADDRESSES = 200;
const LURE = "127.0.0.1";
const FORBIDDEN_NAMES: Readonly<Record<string, NameRecord>> = {
  "loopback.test": { kind: "addresses", addresses: [LURE] },
  "private.test": { kind: "addresses", addresses: ["10.0.0.1"] },
};

export async function fakeWeb(options: FakeWebOptions = {}): Promise<FakeWeb> {
  const { addresses: count = 2, network = "127.0.1" } = options;
  if (count < 1 || count > MOST_ADDRESSES) throw new Error(`addresses: 1 to ${MOST_ADDRESSES}, not ${count}`);
  const addresses = Array.from({ length: count }, (_, i) => `${network}.${i + 1}`);
  await using stack = new AsyncDisposableStack();
  const log = stack.use(new WebLog(options.logFile));
  const rules = [...(options.rules ?? []), ...(options.gallery ? [...galleryRules(), ...TRAPS] : [])];
  const servers = await listen([LURE, ...addresses], options.port ?? 0);
  for (const server of servers) stack.defer(() => close(server));
  const port = portOf(servers[0]!);
  const content = site(options, port);
  const started = logNow();
  const { speed = 1 } = options.changing ?? {};
  const now = () => startOf(options.changing ?? {}) + (logNow() - started) * speed;
  const serve = responder({ content, rules, log, port, gzip: options.gzip ?? true, now });
  let connections = 0;
  for (const [i, server] of servers.entries()) {
    const address = [LURE, ...addresses][i]!;
    const numbers = new WeakMap<Socket, number>();
    server.on("connection", (socket: Socket) => {
      numbers.set(socket, ++connections);
      log.add({ kind: "connection", connection: connections, address, at: logNow() });
    });
    if (options.gallery) speakTlsToo(server, certificateOf);
    server.on("request", (request, response) => serve(request, response, address, numbers.get(request.socket) ?? 0));
  }

  const place = (record: NameRecord): NameRecord => {
    if (record.kind === "turns") return { ...record, turns: record.turns.map((turn) => turn.map(placeAddress)) };
    if (record.kind === "error" && record.later) return { ...record, later: place(record.later) };
    return record.kind === "addresses" ? { ...record, addresses: record.addresses.map(placeAddress) } : record;
  };
  const placeAddress = (address: string): string =>
    address === "@" ? addresses[0]! : address === "!" ? `${network}.254` : address;
  const at = (i: number): NameRecord => ({
    kind: "addresses",
    addresses: [addresses[i % count]!],
    ttl: options.ttl ?? 60,
  });
  const zone = (name: string): NameRecord | null => {
    const told = options.names?.[name] ?? FORBIDDEN_NAMES[name];
    if (told !== undefined) return place(told);
    const number = hostNumber(name);
    if (number !== null) return number < (options.hosts ?? 10) ? at(number) : null;
    if (options.maze && isMazeHost(name)) return at(hashText(name)[0] % count);
    if (!options.gallery) return null;
    if (name === "odd.test" || name === "trap.test") return at(0);
    const specimen = name.endsWith(".odd.test") ? name.slice(0, -".odd.test".length) : "";
    const index = Object.keys(GALLERY).indexOf(specimen);
    return index < 0 ? null : place(GALLERY[specimen]!.dns ?? at(index));
  };
  const dns = stack.use(await dnsServer(zone, log, options.dnsPort ?? 0));

  const owned = stack.move();
  return {
    port,
    dnsPort: dns.port,
    dns: `127.0.0.1:${dns.port}`,
    addresses,
    allowNet: `${network}.0/24`,
    log,
    site: content,
    origin: (host) => originOf(host, port),
    behave: (rule) => void rules.unshift(rule),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The same port on all addresses; another try when one of them has it in use. */
async function listen(addresses: readonly string[], wanted: number): Promise<Server[]> {
  for (let attempt = 1; ; attempt++) {
    const servers: Server[] = [];
    try {
      let port = wanted;
      for (const address of addresses) {
        const server = createServer({ keepAliveTimeout: 30_000, requestTimeout: 0, noDelay: true });
        servers.push(server);
        server.listen(port, address);
        await once(server, "listening");
        port = portOf(server);
      }
      return servers;
    } catch (cause) {
      await Promise.all(servers.filter((server) => server.listening).map(close));
      if (wanted !== 0 || attempt === 20 || (cause as NodeJS.ErrnoException).code !== "EADDRINUSE") throw cause;
    }
  }
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

function portOf(server: Server): number {
  return (server.address() as { port: number }).port;
}

/** FORBIDDEN with the port filled in. */
export function forbiddenUrls(port: number): string[] {
  return FORBIDDEN.map((href) => href.replaceAll("{port}", String(port)));
}
