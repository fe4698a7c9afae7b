/** Connections kept alive: one lane for each origin at each address, and the least recently used lanes let go. */
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { type buildConnector, Client } from "undici";
import type { TlsFacts } from "../model/fetch-result.ts";
import { type DialOptions, dial } from "./dial.ts";
import { watchHead } from "./head.ts";

export interface LaneOptions extends DialOptions {
  /** Open at a time for one origin at one address. */
  readonly connectionsPerHost: number;
  /** Lanes kept, each with its idle connections and its TLS session. */
  readonly maxLanes: number;
  readonly keepAliveMs: number;
  readonly maxHeaderBytes: number;
}

/** What waits for a connection, and is told when it has one. */
export interface Passenger {
  board(connection: Connection): void;
}

/** Streams that one HTTP/2 connection may carry at once, should the server allow as many. */
const H2_STREAMS = 100;

export class Connections implements AsyncDisposable {
  readonly #options: LaneOptions;
  readonly #lanes = new Map<string, Lane>();

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** The lane to an origin ("https://example.com:8443") at an address. Take it anew for each request. */
  lane(origin: string, address: string): Lane {
    const key = `${origin} ${address}`;
    let lane = this.#lanes.get(key);
    if (lane === undefined) lane = new Lane(origin, address, this.#options);
    else this.#lanes.delete(key);
    this.#lanes.set(key, lane);
    if (this.#lanes.size > this.#options.maxLanes) this.#evict(lane);
    return lane;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const lanes = [...this.#lanes.values()];
    this.#lanes.clear();
    await Promise.all(lanes.map((lane) => lane.close()));
  }

  /** Lanes in use are passed over: then there are a few more for a while. The newest is about to be used. */
  #evict(newest: Lane): void {
    for (const [key, lane] of this.#lanes) {
      if (this.#lanes.size <= this.#options.maxLanes || lane === newest) return;
      if (!lane.idle) continue;
      this.#lanes.delete(key);
      void lane.close();
    }
  }
}

/** The connections to one origin at one address. */
export class Lane {
  readonly origin: string;
  readonly address: string;
  /** The last TLS session, so that the next handshake is a short one. */
  session: Buffer | undefined;
  readonly #options: LaneOptions;
  readonly #connections: Connection[] = [];
  readonly #waiting: Passenger[] = [];

  constructor(origin: string, address: string, options: LaneOptions) {
    this.origin = origin;
    this.address = address;
    this.#options = options;
  }

  get idle(): boolean {
    return this.#waiting.length === 0 && this.#connections.every((connection) => connection.load === 0);
  }

  /** Boards the passenger now if a connection is free or may be opened, else in turn. A warm connection goes first. */
  take(passenger: Passenger): void {
    let free: Connection | null = null;
    for (const connection of this.#connections) {
      if (connection.load >= connection.capacity) continue;
      free = connection;
      if (connection.open) break;
    }
    if (free === null && this.#connections.length < this.#options.connectionsPerHost) {
      free = new Connection(this, this.#options);
      this.#connections.push(free);
    }
    if (free === null) return void this.#waiting.push(passenger);
    free.load++;
    passenger.board(free);
  }

  /** A passenger has left: its place goes to the one who waits longest. */
  give(connection: Connection): void {
    connection.load--;
    this.fill(connection);
  }

  /** A passenger leaves before the connection is open: nobody waits for it, and it might never open. */
  drop(connection: Connection): void {
    this.#connections.splice(this.#connections.indexOf(connection), 1);
    void connection.close();
    const next = this.#waiting.shift();
    if (next !== undefined) this.take(next);
  }

  /** Boards as many of those who wait as the connection has room for. */
  fill(connection: Connection): void {
    while (this.#waiting.length > 0 && connection.load < connection.capacity) {
      connection.load++;
      this.#waiting.shift()!.board(connection);
    }
  }

  /** A passenger who has not boarded waits no longer. */
  withdraw(passenger: Passenger): void {
    const at = this.#waiting.indexOf(passenger);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }
}

/** One connection, opened when it is needed, closed when it has been idle, and opened again. Connects to the lane's address alone. */
export class Connection {
  readonly client: Client;
  /** Requests on it, or waiting for it to open. The lane counts. */
  load = 0;
  /** Whole responses read since it was last opened. */
  served = 0;
  /** TCP is up and TLS is not yet: what fails now is TLS. */
  handshaking = false;
  /** The minor version of the last HTTP/1 status line. */
  minorVersion = 1;
  /** Set when a request goes out, until the head of its answer has come. */
  awaitsHead = false;
  /** The head of the last HTTP/1 answer, as received; null when it has not come. */
  head: string | null = null;
  /** Of the last time that it was opened; null: not encrypted. */
  tls: TlsFacts | null = null;
  readonly #lane: Lane;
  readonly #options: LaneOptions;
  #socket: Socket | null = null;
  #established = false;
  #h2 = false;

  constructor(lane: Lane, options: LaneOptions) {
    this.#lane = lane;
    this.#options = options;
    this.client = new Client(lane.origin, {
      connect: (target, callback) => this.#connect(target, callback),
      allowH2: options.http2,
      // Deadlines are ours (deadlines.ts): one timer for all, and they cover what undici's do not.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: options.keepAliveMs,
      keepAliveMaxTimeout: options.keepAliveMs,
      maxHeaderSize: options.maxHeaderBytes,
    });
  }

  get capacity(): number {
    return this.#h2 ? H2_STREAMS : 1;
  }

  get open(): boolean {
    return this.#established && !this.#socket!.destroyed;
  }

  get isHttp2(): boolean {
    return this.#h2;
  }

  /** For good; an attempt to connect is given up. */
  async close(): Promise<void> {
    if (!this.#established) this.#socket?.destroy();
    await this.client.destroy();
  }

  #connect(target: buildConnector.Options, callback: buildConnector.Callback): void {
    this.served = 0;
    this.handshaking = false;
    this.#established = false;
    this.#h2 = false;
    const lane = this.#lane;
    const secure = target.protocol === "https:";
    let waiting = true;
    const to = {
      address: lane.address,
      port: Number(target.port) || (secure ? 443 : 80),
      secureName: secure ? target.hostname : null,
      session: lane.session,
    };
    dial(to, this.#options, {
      socket: (socket) => {
        this.#socket = socket;
      },
      handshaking: () => {
        this.handshaking = true;
      },
      session: (session) => {
        lane.session = session;
      },
      done: (socket) => {
        if (!waiting) return;
        waiting = false;
        this.handshaking = false;
        this.#established = true;
        this.#h2 = "alpnProtocol" in socket && socket.alpnProtocol === "h2";
        this.tls = "getCipher" in socket ? tlsFacts(socket) : null;
        watchHead(socket, this);
        callback(null, socket);
        if (this.#h2) lane.fill(this);
      },
      failed: (error) => {
        if (!waiting) return;
        waiting = false;
        callback(error, null);
      },
    });
  }
}

/** In the words of WARC-Protocol and WARC-Cipher-Suite. */
function tlsFacts(socket: TLSSocket): TlsFacts {
  return {
    protocol: (socket.getProtocol() ?? "tls").toLowerCase().replace("v", "/"),
    cipher: socket.getCipher().standardName,
  };
}
