/**
 * One crawl by several crawlers on a Redis Cluster and an object store, to which happens what happens to clusters; at its
 * end it must hold what an embedded crawl of the same web holds, and the web's own log must show that nobody was hurried.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Blobs } from "../../src/ports/blobs.ts";
import type { FrontierState } from "../../src/ports/frontier.ts";
import type { Asked, Fault, Front } from "../services/front.ts";
import type { RedisCluster, RedisNode } from "../services/redis-cluster.ts";
import { type LogEntry, requestsOf } from "../web/log.ts";
import { type Random, random } from "../web/random.ts";
import type { SpawnedWeb } from "../web/spawn.ts";
import { faultsOfPoliteness, faultsOfState, faultsOfStore, fetchedAgain } from "./cluster-invariants.ts";
import type { Crew } from "./crew.ts";
import { LIMITED, RETRY_AFTER_MS } from "./odd-web.ts";

export interface ClusterRound {
  readonly web: SpawnedWeb;
  readonly cluster: RedisCluster;
  /** What the crawlers take for the object store. */
  readonly between: Front;
  /** The crawlers, of whom none has been started. */
  readonly crew: Crew;
  /** What an embedded crawl of the web fetches, canonical, and how many requests that takes. */
  readonly pages: ReadonlySet<string>;
  readonly requests: number;
  readonly delayMs: number;
  readonly leaseMs: number;
  /** How long the object store is away. */
  readonly awayMs: number;
  readonly seed: number;
  /** All of it unless told. */
  readonly happens?: readonly FaultName[];
  /** The crawl as it stands, and its place in the object store, for who only looks. Asked for when it has been created. */
  look(): Promise<{ readonly state: FrontierState; readonly blobs: Blobs }>;
  /** What `trawl verify` finds wrong with it. */
  verify(): Promise<readonly string[]>;
}

export interface ClusterReport {
  /** In words; empty when all is well. */
  readonly faults: readonly string[];
  /** What happened, in order. */
  readonly happened: readonly string[];
  readonly requests: number;
  /** Fetches beyond the first, of a page or a robots.txt. */
  readonly again: number;
  /** Leases that were open when something happened, and so may have been fetched for nothing: the most that `again` may be. */
  readonly open: number;
}

const CRAWLERS = 4;
/** The shares of all requests at which something happens. */
const MOMENTS = [0.1, 0.25, 0.4, 0.55, 0.65];
const LOOK_EVERY_MS = 100;

/** How the object store is away: nobody listens; it refuses, as one that is overrun; it takes what it is sent, and does not answer. */
const AWAY = ["silent", "overrun", "cut"] as const;

export async function crawlThroughFaults(round: ClusterRound): Promise<ClusterReport> {
  const { web, crew, seed, requests, happens = Object.keys(FAULTS) as FaultName[] } = round;
  const chance = random(seed, "faults");
  const before = (await web.entries()).length;
  const log = async (): Promise<LogEntry[]> => (await web.entries()).slice(before);
  for (let n = 0; n < CRAWLERS; n++) crew.start();
  const meanwhile: Promise<void>[] = [];
  const happened: string[] = [];
  let open = 0;
  await asked(log, 1, crew);
  const { state, blobs } = await round.look();
  for (const [nth, what] of shuffled(happens, chance).entries()) {
    const share = requestsOf(await asked(log, MOMENTS[nth]! * requests, crew)).length / requests;
    if (crew.working.length === 0) break;
    const { leased } = await state.pending();
    const happening = FAULTS[what](round, chance);
    open += what === "join" ? 0 : leased;
    happened.push(`${happening.says} after ${Math.round(share * 100)} % (${leased} leases open)`);
    meanwhile.push(happening.over);
  }
  await Promise.all(meanwhile);
  const faults: string[] = [];
  if (happened.length < happens.length) faults.push(`the crawl was over when ${happened.length} things had happened`);
  for (const { crawler, run } of await crew.ends())
    if (run.code !== 0 && run.signal !== "SIGKILL")
      faults.push(`crawler ${crawler} ended with ${run.code ?? run.signal}: ${run.stderr.slice(-2_000)}`);
  const whole = await log();
  const polite = { delayMs: round.delayMs, limited: LIMITED, retryAfterMs: RETRY_AFTER_MS };
  const again = fetchedAgain(whole);
  if (again.length > open)
    faults.push(`${again.length} fetched again, and ${open} leases were open: ${again.join(" ")}`);
  faults.push(
    ...(await faultsOfState(state, round.pages)),
    ...(await faultsOfStore(state, blobs)),
    ...(await round.verify()),
    ...faultsOfPoliteness(whole, web, polite),
  );
  return { faults, happened, requests: requestsOf(whole).length, again: again.length, open };
}

/** Waits until so many requests have been made; or nobody is left to make any. */
async function asked(log: () => Promise<LogEntry[]>, count: number, crew: Crew): Promise<LogEntry[]> {
  for (;;) {
    const entries = await log();
    if (requestsOf(entries).length >= count || crew.working.length === 0) return entries;
    await sleep(LOOK_EVERY_MS);
  }
}

interface Happening {
  readonly says: string;
  /** Resolves when all is as before. */
  readonly over: Promise<void>;
}

export type FaultName = "kill" | "stop" | "join" | "failover" | "away";

const FAULTS: Readonly<Record<FaultName, (round: ClusterRound, chance: Random) => Happening>> = {
  kill({ crew, leaseMs }, chance) {
    const crawler = chance.pick(crew.working);
    const killed = crew.kill(crawler);
    if (chance.chance(0.5)) return { says: `crawler ${crawler} is killed for good`, over: killed };
    // Some of what it had has been taken by others by then, or none.
    const ms = chance.int(0, 2 * leaseMs);
    const over = killed.then(() => sleep(ms)).then(() => void crew.start(crawler));
    return { says: `crawler ${crawler} is killed, and comes back after ${ms} ms`, over };
  },
  stop({ crew, leaseMs }, chance) {
    const crawler = chance.pick(crew.working);
    crew.stop(crawler);
    const over = sleep(2 * leaseMs).then(() => crew.goOn(crawler));
    return { says: `crawler ${crawler} stops for ${2 * leaseMs} ms`, over };
  },
  join({ crew }) {
    return { says: `crawler ${crew.start()} joins`, over: Promise.resolve() };
  },
  failover({ cluster }, chance) {
    const says = "a master is killed";
    return { says, over: killAndStartAgain(cluster, chance) };
  },
  away({ between, awayMs }, chance) {
    const how = chance.pick(AWAY);
    return { says: `the store is ${how} for ${awayMs} ms`, over: awayFor(between, how, awayMs) };
  },
};

async function killAndStartAgain(cluster: RedisCluster, chance: Random): Promise<void> {
  const masters: RedisNode[] = [];
  for (const node of cluster.nodes) if ((await cluster.ask(node, "ROLE")).startsWith("master")) masters.push(node);
  const master = chance.pick(masters);
  await cluster.kill(master);
  await cluster.start(master);
}

async function awayFor(between: Front, how: (typeof AWAY)[number], ms: number): Promise<void> {
  const answers: Readonly<Record<(typeof AWAY)[number], ((asked: Asked) => Fault) | null>> = {
    silent: null,
    overrun: () => ({ kind: "status", status: 503 }),
    cut: () => ({ kind: "cut" }),
  };
  const answer = answers[how];
  if (answer === null) await between.close();
  else between.fault = answer;
  await sleep(ms);
  if (answer === null) await between.open();
  else between.fault = () => null;
}

function shuffled<T>(list: readonly T[], chance: Random): T[] {
  const left = [...list];
  return list.map(() => left.splice(chance.int(0, left.length - 1), 1)[0]!);
}
