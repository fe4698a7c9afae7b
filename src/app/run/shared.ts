/**
 * A run of a crawler that shares its crawl with others: frontier and state are in a Redis Cluster, archives in a store. Its
 * directory holds what has not gone up yet, and its log.
 */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { systemClock } from "../../base/clock.ts";
import { patience } from "../../blobs/patience.ts";
import { addressTurns } from "../../crawl/turns.ts";
import { pagesIn } from "../../model/end.ts";
import type { HostKey } from "../../model/host.ts";
import { ownersOf } from "../../policy/rendezvous.ts";
import { openCluster } from "../../store/cluster/backend.ts";
import { Facts, STARTED_AT } from "../../store/cluster/crawl/facts.ts";
import { emptied } from "../../store/cluster/crawl/losses.ts";
import { clusterBodies } from "../../store/cluster/crew/bodies.ts";
import { ClusterDomains } from "../../store/cluster/crew/domains.ts";
import { clusterInbox } from "../../store/cluster/crew/inbox.ts";
import { type Members, openMembers } from "../../store/cluster/crew/members.ts";
import { clusterParts } from "../../store/cluster/crew/parts.ts";
import { clusterTurns } from "../../store/cluster/crew/turns.ts";
import { holdDirectory } from "../../store/embedded/database.ts";
import { configIn, sharedConfig, writeConfig } from "../config/config.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import { type SharedCrawl, sharedSeen, unlike } from "../config/sharing.ts";
import { isFile } from "../dir/changes-file.ts";
import { makeDir } from "../dir/crawl-dir.ts";
import { openCrawlerChanges } from "../dir/crawler-changes.ts";
import { crawlerIn, keepCrawl, mustBeAt } from "../dir/crawler-id.ts";
import { claimStore, mustBeSameStore, ownerOf, STORE_ID } from "../dir/store.ts";
import { rememberPace } from "../inspect/report/paces.ts";
import { rememberSeen } from "../inspect/report/seen-loss.ts";
import { MOVING } from "../migrate/facts.ts";
import { CONFIG, openFrontier } from "../place/shared-crawl.ts";
import { UsageError } from "../usage-error.ts";
import { addedBy } from "./added.ts";
import { countDomains } from "./domains.ts";
import { addVisits, joinOthers, jointOf, mustBeAlike } from "./joint.ts";
import { openLog } from "./logging.ts";
import { frontierOptions, seenChoice } from "./opening.ts";
import { withNotices } from "./sending.ts";
import { giveTurnBack, takeOver, writerOf } from "./take-over.ts";
import type { Workplace, WorkplaceParts } from "./workplace.ts";

/** Who has a turn on an address waits so long at most until its request begins, in ms. */
const BEFORE_REQUEST_MS = 30_000;

/** Throws a `UsageError`, or an error with a code, when frontier, directory or store cannot be used. */
export async function openShared(
  config: CrawlConfig,
  { frontier, name }: SharedCrawl,
  { blobs, fault, hooks, hard, revisits }: WorkplaceParts,
): Promise<Workplace> {
  if (blobs === null) throw new Error("a crawl that crawlers share has a store");
  const { dir, shards, events } = config;
  const owner = await ownerOf(blobs);
  await makeDir(dir);
  await using opened = new AsyncDisposableStack();
  opened.use(holdDirectory(dir));
  const crawler = await crawlerIn(dir);
  const { id } = crawler;
  const ownLog = opened.use(await openLog({ dir, clock: systemClock, verbose: config.verbose, mirror: hooks.onLog }));
  const log = withNotices(ownLog, hooks);
  const connection = opened.use(await openFrontier(frontier, { log, patienceMs: Number.POSITIVE_INFINITY }));
  hard.addEventListener("abort", () => connection.limitPatience(0), { once: true });
  const facts = new Facts(connection, name);
  if ((await facts.fact(MOVING)) === "in")
    throw new UsageError(
      "frontier",
      `the crawl ${name} is being moved into the cluster; wait, or, if that was killed, give its trawl migrate command again`,
    );
  const isBegun = await facts.isBegun();
  if (isBegun) {
    await mustBeSameStore(facts, blobs);
    mustBeAt((await facts.fact(STORE_ID)) ?? "", dir, crawler);
  }
  const { leaseMs, ...options } = frontierOptions(config);
  const members = opened.use(
    await openMembers(connection, {
      name,
      id,
      clock: systemClock,
      log,
      shards,
      divide: ownersOf,
      leaseMs,
      pins: config.pins as HostKey[],
    }),
  );
  if (!isBegun) await facts.renew(id);
  const crawlId = await facts.settle(STORE_ID, randomUUID());
  mustBeAt(crawlId, dir, crawler);
  await mustBeSameStore(facts, blobs);
  const changed = await changedRules(config, facts, name, isNobodyAtIt(members));
  mustBeAlike(revisits, members, name);
  const waits = patience({ clock: systemClock, log, store: blobs.name });
  const backend = opened.use(
    await openCluster(connection, {
      ...{ ...options, leaseMs, name, shards, seen: sharedSeen(config), blobs },
      ...{ owner: id, rowsInRedis: config.redisRows },
      ...(fault === undefined ? {} : { fault }),
      joins: members.joins,
      // Those of a crawler that was killed are left alone, but its limits are no longer those of the crawl.
      bringsBack: changed !== null,
      prefers: (shard) => members.prefers(shard),
      patience: (work, signal = hard) => waits(work, signal),
    }),
  );
  await claimStore(backend, blobs, owner, crawlId);
  // Now that nothing is left that could refuse them. Who comes at the same moment may be quicker, with the same or with others.
  if (changed !== null) await facts.replaceFact(CONFIG, changed.kept, changed.mine);
  const pages = async () => pagesIn(await backend.endCounts());
  const joint = await joinOthers(revisits, { name, facts, members, clock: systemClock, pages });
  await changedRules(config, facts, name, false);
  const domains = new ClusterDomains(connection, { name, id });
  await countDomains(backend, domains);
  const resumed = await facts.isBegun();
  if (!resumed) await facts.setFact(STARTED_AT, String(systemClock.now()));
  await keepCrawl(crawlId, dir, crawler);
  await writeConfig(config);
  await rememberPace(backend, config, systemClock.now());
  await rememberSeen(backend, seenChoice(config));
  const isLiving = (crawler: string): boolean => members.living.includes(crawler);
  const owned = opened.move();
  return {
    ...{ backend, resumed, log },
    until: revisits === "pass" ? joint!.until : null,
    writer: `${id}_`,
    pages: null,
    owns: (file) => writerOf(file) === id,
    changes: async () => (isFile(events) ? openCrawlerChanges(events, { id, state: backend, isLiving }) : null),
    inbox: (admission) =>
      clusterInbox(connection, { name, clock: systemClock, log, admit: addedBy(backend, admission) }),
    turns: (rules) => {
      const line = addressTurns(systemClock, rules);
      const holdMs = Math.min(leaseMs, config.totalTimeout + BEFORE_REQUEST_MS);
      const { life } = members;
      const begunSince = (at: number) => members.begunSince(at);
      const own = { name, id, life, begunSince, clock: systemClock, line, holdMs };
      return owned.use(clusterTurns(connection, { ...rules, ...own }));
    },
    replaceFact: (fact, before, after) => facts.replaceFact(fact, before, after),
    shared: {
      hangUp: () => connection[Symbol.asyncDispose](),
      get crawlers() {
        return members.living.length;
      },
      get shards() {
        return members.shards;
      },
      calls: connection.calls,
      get known() {
        return backend.known;
      },
      tell({ startedAt, rateNow: pagesPerSecond, shared }) {
        const { here: pages = 0, leases = 0 } = shared ?? {};
        const { asked, met } = backend.known;
        const { pins } = config;
        members.tell({ machine: hostname(), startedAt, pins, pages, pagesPerSecond, leases, asked, met });
      },
      bodies: clusterBodies(connection, name),
      domains,
      parts: clusterParts(connection, { name, shards, state: backend, members }),
      joint,
      passUntil: async () => (await jointOf(facts)).until,
      addVisits: (more) => addVisits(facts, more),
    },
    async finish(isDone) {
      await members.say({ does: null });
      const { asked, met } = backend.known;
      log.info({ asked, met }, "links-known-here");
      if (isDone) {
        // Of a crawl that was emptied nothing is left to do either; but nothing says any longer what of the archive counts.
        if ((await facts.fact(STORE_ID)) !== crawlId) throw emptied(name);
        owned.defer(() => giveTurnBack({ id, facts })); // when all has gone up
        await members.heardAnew(); // who was killed a moment ago is among the living still
        await takeOver({ dir, id, state: backend, facts, blobs, log, isLiving });
      }
      return [];
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Others may be coming, or have ended. */
const isNobodyAtIt = ({ others }: Pick<Members, "others">): boolean => others.every(({ does }) => does === null);

/**
 * Of those who are at a crawl at the same time all have the same rules; who comes when nobody is at it may change them, as
 * in a directory: what is kept of them, and what is to be then.
 */
async function changedRules(
  config: CrawlConfig,
  facts: Facts,
  name: string,
  free: boolean,
): Promise<{ readonly kept: string; readonly mine: string } | null> {
  const mine = JSON.stringify(sharedConfig(config));
  const kept = await facts.settle(CONFIG, mine);
  const why = kept === mine ? null : unlike(config, configIn(JSON.parse(kept), `the crawl ${name}`, ""), name);
  if (why !== null && !free) throw new UsageError("frontier", why);
  return why === null ? null : { kept, mine };
}
