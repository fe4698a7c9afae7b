/** A seeded random web on loopback addresses: many virtual hosts, their names, all their misbehaviour, and a log of what was asked. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { type Behaviour, type Rule, ruleFits } from "./behaviour.ts";
import { dnsServer, type NameRecord } from "./dns.ts";
import { FORBIDDEN, GALLERY, galleryRules, TRAPS } from "./gallery.ts";
import { hostNumber } from "./graph.ts";
import { logNow, type RequestEntry, WebLog } from "./log.ts";
import type { FakeWebOptions } from "./options.ts";
import { originOf } from "./page.ts";
import { type Answer, perform, plain, redirect, type Stage } from "./perform.ts";
import { type RobotsAnswer, robotsText } from "./robots.ts";
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
  const serve = responder({ content, rules, log, port, gzip: options.gzip ?? true });
  let connections = 0;
  for (const [i, server] of servers.entries()) {
    const address = [LURE, ...addresses][i]!;
    const numbers = new WeakMap<Socket, number>();
    server.on("connection", (socket: Socket) => {
      numbers.set(socket, ++connections);
      log.add({ kind: "connection", connection: connections, address, at: logNow() });
    });
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

interface Parts {
  readonly content: Site;
  readonly rules: readonly Rule[];
  readonly log: WebLog;
  readonly port: number;
  readonly gzip: boolean;
}

type Respond = (request: IncomingMessage, response: ServerResponse, address: string, connection: number) => void;

function responder({ content, rules, log, port, gzip }: Parts): Respond {
  const memories = new Map<string, Map<string, number>>();
  const robotsAsked = new Map<string, number>();

  return (request, response, address, connection) => {
    const host = (request.headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
    const path = request.url ?? "/";
    const entry: RequestEntry = {
      kind: "request",
      connection,
      method: request.method ?? "",
      host,
      address,
      path,
      agent: request.headers["user-agent"] ?? "",
      startedAt: logNow(),
      endedAt: null,
      status: null,
      page: null,
    };
    log.add(entry);
    const { socket } = request;
    const ended = () => {
      entry.status ??= response.headersSent ? response.statusCode : null;
      log.end(entry);
    };
    response.on("close", ended);
    response.on("error", ended);

    const send = ({ status, headers, body }: Answer): void => {
      entry.status = status;
      response.writeHead(
        status,
        status === 204 || status === 304 ? headers : { ...headers, "content-length": Buffer.byteLength(body) },
      );
      response.end(request.method === "HEAD" || status === 204 || status === 304 ? undefined : body);
      // The kernel took it whole: this is the end, whatever the event loop does before it says so.
      if (socket.writableLength === 0) log.end(entry);
    };
    const page = (asked = path): Answer => {
      const served = content.serve(host, asked);
      if (served === null) return plain(404);
      if (served.moved !== undefined) return redirect(served.moved, 301);
      entry.page = served.page;
      const etag = `"${host.length}-${served.body.length}"`;
      const headers = { "content-type": served.type, etag };
      if (request.headers["if-none-match"] === etag) return { status: 304, headers, body: "" };
      return { status: 200, headers, body: served.body };
    };
    const squeezed = (answer: Answer): Answer => {
      const text = answer.headers["content-type"]?.startsWith("text/") ?? false;
      if (!gzip || answer.status !== 200 || !text || !/\bgzip\b/.test(String(request.headers["accept-encoding"])))
        return answer;
      return {
        status: 200,
        headers: { ...answer.headers, "content-encoding": "gzip", vary: "accept-encoding" },
        body: gzipSync(answer.body, { level: 1 }),
      };
    };

    const rule = rules.find((one) => ruleFits(one, host, path));
    if (rule === undefined) {
      const robots = robotsPath(path) ? content.robots(host) : null;
      if (robots !== null && sendRobots(robots, path, content, host, { port, asked: robotsAsked, send })) return;
      send(squeezed(page()));
      return;
    }
    const key = `${rules.length - rules.indexOf(rule)} ${host}`;
    const memory = memories.get(key) ?? new Map<string, number>();
    memories.set(key, memory);
    const seen = memory.get("count") ?? 0;
    memory.set("count", seen + 1);
    const stage: Stage = {
      request,
      response,
      path,
      host,
      count: seen,
      memory,
      page,
      send,
      wire(status) {
        entry.status = status;
        socket.on("close", ended);
        socket.on("error", ended);
        return socket;
      },
      ended,
      every(ms, tick) {
        const timer = setInterval(tick, ms);
        socket.once("close", () => clearInterval(timer));
        response.once("finish", () => clearInterval(timer));
      },
    };
    perform(filled(rule.behaviour, port), stage);
  };
}

const ROBOTS_HOP = "/robots-hop-";

function robotsPath(path: string): boolean {
  return path === "/robots.txt" || path.startsWith(ROBOTS_HOP) || path === "/moved.txt";
}

interface RobotsStage {
  readonly port: number;
  readonly asked: Map<string, number>;
  send(answer: Answer): void;
}

/** Answers for robots.txt and the hops it is sent through; false for a path that is none of these. */
function sendRobots(answer: RobotsAnswer, path: string, content: Site, host: string, stage: RobotsStage): boolean {
  const { send, asked, port } = stage;
  switch (answer.kind) {
    case "never":
      return true;
    case "text":
      send({ status: 200, headers: { "content-type": answer.type ?? "text/plain" }, body: answer.text });
      return true;
    case "rules": {
      const sitemap = hostNumber(host) !== null && content.serve(host, "/sitemap.xml") !== null ? ["/sitemap.xml"] : [];
      const sitemaps = [...(answer.sitemaps ?? []), ...sitemap];
      const body = robotsText({ ...answer, sitemaps }, originOf(host, port));
      send({ status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body });
      return true;
    }
    case "status": {
      const count = asked.get(host) ?? 0;
      asked.set(host, count + 1);
      if (count >= (answer.times ?? Number.POSITIVE_INFINITY))
        return sendRobots(answer.later ?? { kind: "status", status: 404 }, path, content, host, stage);
      send(plain(answer.status));
      return true;
    }
    case "redirect": {
      if (answer.to === "self") {
        send(redirect(path));
        return true;
      }
      if (path === answer.to) {
        return sendRobots(answer.later ?? { kind: "status", status: 404 }, path, content, host, stage);
      }
      const hop = path === "/robots.txt" ? 1 : Number(path.slice(ROBOTS_HOP.length)) + 1;
      send(redirect(hop >= (answer.hops ?? 1) ? answer.to : `${ROBOTS_HOP}${hop}`));
      return true;
    }
  }
}

/** The behaviour with the web's port where its text has `{port}`. */
function filled(behaviour: Behaviour, port: number): Behaviour {
  if (behaviour.kind === "redirect") return { ...behaviour, to: behaviour.to.replaceAll("{port}", String(port)) };
  if (behaviour.kind === "body" && behaviour.text !== undefined)
    return { ...behaviour, text: behaviour.text.replaceAll("{port}", String(port)) };
  return behaviour;
}

/** FORBIDDEN with the port filled in. */
export function forbiddenUrls(port: number): string[] {
  return FORBIDDEN.map((href) => href.replaceAll("{port}", String(port)));
}
