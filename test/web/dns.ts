/** A DNS server for the fake names, on UDP at 127.0.0.1: answers, refuses, delays and lies as its zone says. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, type Packet } from "dns-packet";
import { logNow, type WebLog } from "./log.ts";

export type NameRecord =
  | {
      readonly kind: "addresses";
      readonly addresses: readonly string[];
      readonly ttl?: number;
      readonly delayMs?: number;
    }
  /** An alias; the target's addresses come along, as recursive servers send them. */
  | { readonly kind: "alias"; readonly to: string; readonly ttl?: number }
  /** 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED. */
  | { readonly kind: "error"; readonly rcode: 2 | 3 | 5; readonly times?: number; readonly later?: NameRecord }
  /** The name is there and has no address. */
  | { readonly kind: "empty" }
  | { readonly kind: "silent" }
  /** Another list at each question: the trick of DNS rebinding. */
  | { readonly kind: "turns"; readonly turns: readonly (readonly string[])[] };

/** The record of a name (lower case), or null: NXDOMAIN. */
export type Zone = (name: string) => NameRecord | null;

export interface DnsServer extends AsyncDisposable {
  readonly port: number;
}

const DEFAULT_TTL = 60;

export async function dnsServer(zone: Zone, log: WebLog, port = 0): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const asked = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();

  const reply = (query: Packet, rcode: number, answers: Answer[]): Buffer =>
    encode({
      type: "response",
      id: query.id ?? 0,
      // The RCODE is the low four bits of the flags (RFC 1035, 4.1.1); 0x100 and 0x80 are RD and RA.
      flags: AUTHORITATIVE_ANSWER | 0x180 | rcode,
      questions: query.questions ?? [],
      answers,
    });

  /** The answer, or null for silence, and what the log calls it. */
  const answer = (query: Packet, name: string, type: string, record: NameRecord | null): [Buffer | null, string] => {
    if (record === null) return [reply(query, 3, []), "NXDOMAIN"];
    const count = asked.get(`${name} ${type}`) ?? 0;
    asked.set(`${name} ${type}`, count + 1);
    switch (record.kind) {
      case "silent":
        return [null, "silence"];
      case "empty":
        return [reply(query, 0, []), "empty"];
      case "error":
        if (record.times !== undefined && count >= record.times)
          return answer(query, name, type, record.later ?? { kind: "empty" });
        return [reply(query, record.rcode, []), `RCODE ${record.rcode}`];
      case "turns": {
        const addresses = record.turns[Math.min(count, record.turns.length - 1)]!;
        return answer(query, name, type, { kind: "addresses", addresses, ttl: 0 });
      }
      case "alias": {
        const target = zone(record.to);
        const addresses = target?.kind === "addresses" ? target.addresses : [];
        const alias: Answer = { type: "CNAME", name, ttl: record.ttl ?? DEFAULT_TTL, data: record.to };
        return [reply(query, 0, [alias, ...records(record.to, type, addresses, record.ttl)]), `alias ${record.to}`];
      }
      case "addresses": {
        const found = records(name, type, record.addresses, record.ttl);
        return [reply(query, 0, found), found.map((one) => String("data" in one ? one.data : "")).join(" ") || "empty"];
      }
    }
  };

  socket.on("message", (message, from) => {
    let query: Packet;
    try {
      query = decode(message);
    } catch {
      return; // not DNS: a server may drop it
    }
    const question = query.questions?.[0];
    if (question === undefined) return;
    const name = question.name.toLowerCase();
    const record = zone(name);
    const [packet, said] = answer(query, name, question.type, record);
    log.add({ kind: "dns", name, type: question.type, answer: said, at: logNow() });
    if (packet === null) return;
    const send = () => socket.send(packet, from.port, from.address);
    if (record?.kind !== "addresses" || record.delayMs === undefined) {
      send();
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(timer);
      send();
    }, record.delayMs);
    timers.add(timer);
  });
  socket.bind(port, "127.0.0.1");
  await once(socket, "listening");
  return {
    port: socket.address().port,
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}

function records(name: string, type: string, addresses: readonly string[], ttl = DEFAULT_TTL): Answer[] {
  return addresses
    .filter((address) => (address.includes(":") ? type === "AAAA" : type === "A"))
    .map((data) => ({ type: type as "A" | "AAAA", name, ttl, data }));
}
