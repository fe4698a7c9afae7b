/** Names to addresses by asynchronous DNS (c-ares, never the thread pool), remembered for as long as the records say. */
import { Resolver as DnsClient } from "node:dns/promises";
import { isIP } from "node:net";
import type { Clock, Instant } from "../base/clock.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { DnsError, Resolver } from "../ports/resolver.ts";
import { isLoopbackName, literalAddress } from "./guard.ts";
import { type Hosts, readHosts, SYSTEM_HOSTS_FILE } from "./hosts-file.ts";

export interface ResolverOptions {
  readonly clock: Clock;
  /** "address:port" or "address" ("[v6]:port"). Given: only they are asked, and the hosts file is not read. */
  readonly servers?: readonly string[];
  /** For one question to one server. 5 s. */
  readonly timeoutMs?: number;
  /** Questions to each server before it is given up. 4: c-ares waits less for each when answers have been quick so far. */
  readonly tries?: number;
  /** No answer is kept longer, whatever its TTL says. 1 h. */
  readonly maxTtlMs?: number;
  /** Every answer is kept at least so long. 30 s. */
  readonly minTtlMs?: number;
  /** How long "no such name" and "no address" are kept. 60 s. */
  readonly negativeTtlMs?: number;
  /** Names remembered, the least recently asked forgotten first. 100,000. */
  readonly cacheSize?: number;
  /** Read once, at the first question, when `servers` is not given. */
  readonly hostsFile?: string;
}

/** Of names, not of addresses or localhost. */
export interface DnsCounts {
  /** Answers that were given, most of them from memory. */
  asked: number;
  /** Look-ups at a server, by what came of them: addresses, word that there are none, or nothing. */
  found: number;
  none: number;
  failed: number;
}

export interface CountingResolver extends Resolver {
  readonly counts: Readonly<DnsCounts>;
}

type Addresses = Result<readonly string[], DnsError>;

interface Entry {
  readonly answer: Addresses;
  freshUntil: Instant;
  /** Until then the answer may stand in when servers fail. */
  readonly staleUntil: Instant;
}

/** RFC 8767 section 5: a stale answer is given for 30 s before servers are asked again; its age is capped at a day. */
const STALE_TTL_MS = 30_000;
const STALE_MOST_MS = 86_400_000;
/** RFC 9520 section 3.2: a failure is remembered for at least one second. */
const FAILURE_TTL_MS = 1_000;

const LOOPBACK: Addresses = ok(["127.0.0.1", "::1"]);

/** See the port. Throws when one of `servers` is no address. */
export function dnsResolver(options: ResolverOptions): CountingResolver {
  const { clock, servers, timeoutMs = 5_000, tries = 4, maxTtlMs = 3_600_000, minTtlMs = 30_000 } = options;
  const { negativeTtlMs = 60_000, cacheSize = 100_000, hostsFile = SYSTEM_HOSTS_FILE } = options;
  const dns = new DnsClient({ timeout: timeoutMs, tries, maxTimeout: timeoutMs });
  if (servers !== undefined) dns.setServers(servers);
  // A hair more than c-ares itself may take, should it ever not come back.
  const deadlineMs = (timeoutMs * tries + 1_000) * Math.max(1, dns.getServers().length);

  const cache = new Map<string, Entry>();
  const asking = new Map<string, Promise<Addresses>>();
  const counts: DnsCounts = { asked: 0, found: 0, none: 0, failed: 0 };
  let hosts: Promise<Hosts> | null = null;

  const remember = (name: string, entry: Entry): Addresses => {
    cache.delete(name);
    cache.set(name, entry);
    if (cache.size > cacheSize) cache.delete(cache.keys().next().value!);
    return entry.answer;
  };

  const ask = async (name: string): Promise<Addresses> => {
    if (servers === undefined) {
      hosts ??= readHosts(hostsFile);
      const listed = (await hosts).get(name);
      if (listed !== undefined) return ok(listed);
    }
    const done = new AbortController();
    const late = clock.sleep(deadlineMs, done.signal).then((): Reply => ({ kind: "failed", detail: "ETIMEOUT" }));
    const [v4, v6] = await Promise.all([
      Promise.race([question(dns, name, 4), late]),
      Promise.race([question(dns, name, 6), late]),
    ]);
    done.abort();
    const now = clock.now();
    const until = (ttlMs: number) => ({ freshUntil: now + ttlMs, staleUntil: now + ttlMs + STALE_MOST_MS });
    const found = [v4, v6].filter((reply) => reply.kind === "found");
    if (found.length > 0) {
      counts.found++;
      const ttlMs = Math.min(...found.map((reply) => reply.ttlMs));
      const addresses = [...new Set(found.flatMap((reply) => reply.addresses))];
      return remember(name, { answer: ok(addresses), ...until(Math.min(Math.max(ttlMs, minTtlMs), maxTtlMs)) });
    }
    const failed = v4.kind === "failed" ? v4 : v6.kind === "failed" ? v6 : null;
    if (failed === null) {
      counts.none++;
      const detail = v4.kind === "none" ? v4.detail : "ENODATA";
      return remember(name, { answer: err({ kind: "none", detail }), ...until(negativeTtlMs) });
    }
    counts.failed++;
    const before = cache.get(name);
    if (before?.answer.ok && now < before.staleUntil) {
      before.freshUntil = now + STALE_TTL_MS;
      return before.answer;
    }
    return remember(name, {
      answer: err({ kind: "failed", detail: failed.detail }),
      freshUntil: now + FAILURE_TTL_MS,
      staleUntil: now,
    });
  };

  return {
    counts,
    async resolve(hostname) {
      if (isLoopbackName(hostname)) return LOOPBACK;
      const literal = isIP(hostname) !== 0 ? hostname : literalAddress(hostname);
      if (literal !== null) return ok([literal]);
      const name = hostname.toLowerCase().replace(/\.$/, "");
      counts.asked++;
      const known = cache.get(name);
      if (known !== undefined && clock.now() < known.freshUntil) return remember(name, known);
      let answer = asking.get(name);
      if (answer === undefined) {
        answer = ask(name).finally(() => asking.delete(name));
        asking.set(name, answer);
      }
      return answer;
    },
  };
}

/** No look-up: a name is its own answer, for a proxy to make of it what it will. */
export const namesAsTheyAre: Resolver = {
  resolve: async (hostname) => ok([literalAddress(hostname) ?? hostname]),
};

type Reply =
  | { readonly kind: "found"; readonly addresses: readonly string[]; readonly ttlMs: number }
  | { readonly kind: "none" | "failed"; readonly detail: string };

/** One question of one family; aliases are followed by c-ares. Never rejects for what a server does. */
async function question(dns: DnsClient, name: string, family: 4 | 6): Promise<Reply> {
  try {
    const records = await (family === 4 ? dns.resolve4(name, { ttl: true }) : dns.resolve6(name, { ttl: true }));
    if (records.length === 0) return { kind: "none", detail: "ENODATA" };
    const ttlMs = Math.min(...records.map((record) => record.ttl)) * 1_000;
    return { kind: "found", addresses: records.map((record) => record.address), ttlMs };
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (typeof code !== "string" || code.startsWith("ERR_")) throw cause; // a bug, not a dead name: let it be seen
    return { kind: NO_ADDRESS.has(code) ? "none" : "failed", detail: code };
  }
}

/** EBADNAME: the text cannot be a name at all (a label of 64 characters, "a..b"). */
const NO_ADDRESS = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);
