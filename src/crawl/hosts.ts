/** What the control thread knows of the hosts it is busy with: state, robots rules, and what is open on them. */
import type { HostKey, HostState } from "../model/host.ts";
import { hostnameOf, newHostState } from "../model/host.ts";
import type { Lease } from "../model/lease.ts";
import type { RobotsCopy } from "../model/robots-copy.ts";
import type { Href } from "../model/url.ts";
import { type BudgetRules, tierOf, type Weights, weightOf } from "../policy/budget.ts";
import { parseRobots, type RobotsRules } from "../policy/robots.ts";
import { historyOf, type RobotsHistory, withCopy } from "../policy/robots-access.ts";
import type { StateQueries } from "../ports/frontier.ts";
import { type DomainEntry, Domains, type SharedDomains } from "./domains.ts";

/** Hosts kept in memory although nothing is open on them: what they know is in the store too. */
const KEPT = 20_000;

/** Domains counted, where a budget is all that hangs on it: what was longest not asked for is forgotten. */
const DOMAINS_KEPT = 100_000;

export interface HostEntry {
  /** Name or address, as in the URL (IPv6 in brackets). */
  readonly hostname: string;
  state: HostState;
  /** `--weight`. */
  readonly weight: number;
  /** Shared by the hosts of a domain; null where nothing hangs on it. */
  readonly domain: DomainEntry | null;
  /** What is known of its robots.txt, or null when it was never asked for. */
  robots: HostRobots | null;
  /** Errands given and not committed, robots.txt included. */
  open: number;
  /** True while robots.txt is being fetched: one fetch an origin. */
  robotsOpen: boolean;
  /**
   * Its robots.txt has just been asked for and something is in force, if only an old copy: the next turn is a page's. Else
   * a host whose turns are further apart than its copies hold would have no turn for anything but robots.txt.
   */
  pageNext: boolean;
  /** Where robots.txt was redirected to, when it was. */
  robotsHop: { readonly href: Href; readonly hops: number } | null;
  /** Times in a row that the host could not be reached or gave no robots.txt. */
  unreachable: number;
  /** Why the host waits, for people. */
  backoffSays: string;
}

/** Copies of a robots.txt, and the rules of the one that was reached last. */
export interface HostRobots {
  readonly history: RobotsHistory;
  readonly rules: RobotsRules;
}

type HostRecords = Pick<StateQueries, "host" | "robots" | "robotsReached">;

export interface HostsOptions {
  /**
   * Count by registrable domain too: "all", which costs memory for each there is, or "lately", those of late; or with
   * other crawlers.
   */
  readonly domains?: "all" | "lately" | SharedDomains;
  readonly weights?: Weights;
}

export class Hosts {
  readonly #entries = new Map<HostKey, HostEntry>();
  readonly #store: HostRecords;
  readonly #agent: string;
  readonly #weights: Weights;
  /** Null where nothing hangs on domains. */
  readonly #domains: Domains | null;

  private constructor(store: HostRecords, agent: string, { domains, weights = new Map() }: HostsOptions) {
    this.#store = store;
    this.#agent = agent;
    this.#weights = weights;
    const shared = typeof domains === "object" ? domains : null;
    this.#domains = domains === undefined ? null : new Domains(keptOf(domains), shared);
  }

  static async open(
    store: HostRecords & Pick<StateQueries, "topHosts">,
    agent: string,
    options: HostsOptions = {},
  ): Promise<Hosts> {
    const hosts = new Hosts(store, agent, options);
    const { domains } = options;
    if (domains === undefined || typeof domains === "object") return hosts;
    // The largest last: they are the last to be forgotten.
    for (const { host, requests } of (await store.topHosts(keptOf(domains))).reverse())
      hosts.#domains!.count(hostnameOf(host), requests);
    return hosts;
  }

  /** Of those who count the pages of domains together. */
  get crawlers(): number {
    return this.#domains?.crawlers ?? 1;
  }

  /** Those in memory, for reports. */
  get known(): IterableIterator<HostEntry> {
    return this.#entries.values();
  }

  /** Reads what the store knows of those that are not in memory. Always before `get`, and for many at a time. */
  async load(hosts: Iterable<HostKey>): Promise<void> {
    const missing = new Set<HostKey>();
    for (const host of hosts) if (this.#touch(host) === undefined) missing.add(host);
    if (missing.size === 0) return;
    const heard = this.#domains?.hear(Array.from(missing, hostnameOf));
    await Promise.all(Array.from(missing, (host) => this.#read(host, heard)));
  }

  /** The same of hosts that have been leased. What others have found out of one since our last lease on it is read anew. */
  async loadLeased(leases: readonly Pick<Lease, "url" | "hostMoved">[]): Promise<void> {
    const moved = leases.flatMap(({ url, hostMoved }) => (hostMoved ? (this.#entries.get(url.host) ?? []) : []));
    // Of one that something is open on, that tells what is new.
    const stale = new Set(moved.filter(({ open }) => open === 0));
    await Promise.all([
      this.load(leases.map(({ url }) => url.host)),
      this.#domains?.hear(leases.flatMap(({ url }) => this.#entries.get(url.host)?.hostname ?? [])),
      ...Array.from(stale, (entry) => this.#renew(entry)),
    ]);
  }

  /** Pages were asked for. */
  count(entry: HostEntry, pages: number): void {
    entry.state = { ...entry.state, requests: entry.state.requests + pages };
    this.#domains?.count(entry.hostname, pages);
  }

  /** Others hear what was counted of domains; with the commit of the pages. */
  async tell(): Promise<void> {
    await this.#domains?.tell();
  }

  has(host: HostKey): boolean {
    return this.#entries.has(host);
  }

  /** One that was loaded, and has stayed: what is open on it keeps it, and else room for many others. */
  get(host: HostKey): HostEntry {
    const entry = this.#touch(host);
    if (entry === undefined) throw new Error(`${host} was not loaded`);
    return entry;
  }

  #touch(host: HostKey): HostEntry | undefined {
    const entry = this.#entries.get(host);
    if (entry === undefined) return undefined;
    // Last used is last in the map's order.
    this.#entries.delete(host);
    this.#entries.set(host, entry);
    return entry;
  }

  async #read(host: HostKey, heard: Promise<void> | undefined): Promise<void> {
    const hostname = hostnameOf(host);
    const [state, robots] = await Promise.all([this.#store.host(host), this.#stored(host), heard]);
    // Somebody else may have waited for the same one.
    if (this.#entries.has(host)) return;
    const entry: HostEntry = {
      hostname,
      weight: weightOf(hostname, this.#weights),
      domain: this.#domains?.hold(hostname) ?? null,
      state: state ?? newHostState(host),
      robots,
      open: 0,
      robotsOpen: false,
      pageNext: false,
      robotsHop: null,
      unreachable: 0,
      backoffSays: "",
    };
    this.#entries.set(host, entry);
    if (this.#entries.size > KEPT) this.#forgetOldest();
  }

  async #renew(entry: HostEntry): Promise<void> {
    const { host } = entry.state;
    const [state, robots] = await Promise.all([this.#store.host(host), this.#stored(host)]);
    if (state !== null) entry.state = state;
    if (robots === null || robots.history.latest.id === entry.robots?.history.latest.id) return;
    entry.robots = robots;
    entry.robotsHop = null;
  }

  /** What is known once `copy` has come. */
  withRobots(entry: HostEntry, copy: RobotsCopy): HostRobots {
    const { robots } = entry;
    const history = withCopy(robots?.history ?? null, copy);
    const kept = copy.access === "unreachable" ? robots?.rules : undefined;
    return { history, rules: kept ?? parseRobots(copy.body, this.#agent) };
  }

  async #stored(host: HostKey): Promise<HostRobots | null> {
    const latest = await this.#store.robots(host);
    if (latest === null) return null;
    const history = historyOf(latest, latest.access === "unreachable" ? await this.#store.robotsReached(host) : null);
    return { history, rules: parseRobots(history.lastReached?.body ?? "", this.#agent) };
  }

  #forgetOldest(): void {
    for (const [host, entry] of this.#entries) {
      if (entry.open > 0 || entry.robotsOpen || entry.unreachable > 0) continue;
      this.#entries.delete(host);
      if (entry.domain !== null) this.#domains!.leave(entry.domain);
      return;
    }
  }
}

const keptOf = (domains: HostsOptions["domains"]): number =>
  domains === "all" ? Number.MAX_SAFE_INTEGER : DOMAINS_KEPT;

/** The same, once the store has given the newest copy its id: what is parsed is not parsed again. */
export function numbered({ history, rules }: HostRobots, id: number): HostRobots {
  const latest = { ...history.latest, id };
  const lastReached = history.lastReached === history.latest ? latest : history.lastReached;
  return { history: { ...history, latest, lastReached }, rules };
}

/** In which tier a host waits now. */
export function tierOfHost({ state, domain, weight }: HostEntry, rules: BudgetRules): number {
  return tierOf({ host: state.requests, domain: domain?.requests ?? null }, weight, rules);
}
