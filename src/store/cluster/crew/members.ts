/**
 * Who takes part in a crawl: each crawler says every second that it is there, and hears from that who else is, and so
 * which shards to look after. No promise rests on it: leases keep two crawlers from one host, whatever each believes.
 *
 * That somebody lives is seen from his beats between one's own, not from his clock: neither clocks that differ nor a
 * Redis that was away make the living look dead.
 */
import type { Clock, Instant } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { HostKey } from "../../../model/host.ts";
import { LEASE_MS } from "../../../model/lease.ts";
import type { Division, Member, MemberStanding } from "../../../model/member.ts";
import { pairs } from "../crawl/crawl.ts";
import { crawlKey } from "../crawl/facts.ts";
import { mustAgree } from "../redis/clocks.ts";
import type { Connection } from "../redis/connection.ts";
import { ClusterError, unlessAway } from "../redis/errors.ts";
import { shardOf } from "../shards/shard-of.ts";

export interface MembersOptions {
  /** The crawl. */
  readonly name: string;
  /** This crawler: the same after a restart, and no other's. */
  readonly id: string;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "error">;
  readonly shards: number;
  /** Who looks after which shard: all must be told the same (policy/rendezvous). */
  readonly divide: Division;
  /** Huge hosts that this crawler is there for. */
  readonly pins?: readonly HostKey[];
  /** As the frontier was told. */
  readonly leaseMs?: number;
}

export interface Members extends AsyncDisposable {
  /** Ids of those who live, this one included, in order. */
  readonly living: readonly string[];
  /**
   * When this one came, others took part, or may have: they have not said that they leave, and leases of theirs may be
   * open. Its own of an earlier life may be given back at once in any case, since it has that life's directory.
   */
  readonly joins: boolean;
  /** Which of its lives this is: later ones have higher numbers, also of one that was killed. */
  readonly life: number;
  /** Which lives of others were heard of first at that time or later. Their earlier ones are over: each has that life's directory. */
  begunSince(at: Instant): readonly Life[];
  /** How many shards this crawler looks after. */
  readonly shards: number;
  /** How it does: the others, and whoever looks, hear of it with the next beat. */
  tell(standing: Omit<MemberStanding, "shards">): void;
  /** Whether this crawler looks after the shard. */
  prefers(shard: number): boolean;
  /** Of the others who live: what each said last. */
  readonly others: readonly Saying[];
  /** Says this from now on, with each beat; returns when the others can hear it, and they were heard. */
  say(saying: Partial<Saying>): Promise<void>;
  /** Says with the next beats how many pages it looks after. */
  count(pages: number): void;
  /** Waits until each of the others was heard once more, or has been silent for so long that it is among the living no more. */
  heardAnew(): Promise<void>;
}

export interface Life {
  readonly id: string;
  readonly life: number;
}

/** What a crawler says of itself that is of use to others. */
export interface Saying {
  /** What it is at; null while it has not made up its mind, or has ended. */
  readonly does: string | null;
  /** Pages that are visited again, of those that it looks after. */
  readonly pages: number;
}

const BEAT_MS = 1_000;
/** Who has not been heard for so many of one's own beats is taken for dead. */
const SILENT_BEATS = 8;
/** Within so many beats one who lives is heard. */
const HEARD_BEATS = 3;
/** By so much two clocks may differ, in ms, where one's time is held against the other's. */
const LATENESS_MS = 5_000;

/** What one says of itself. */
interface Said {
  /** By its own clock. */
  readonly at: Instant;
  /** Higher after a restart. */
  readonly life: number;
  readonly pinned: readonly number[];
  /** Absent until it is at work. */
  readonly standing?: MemberStanding;
  /** Left out by those of earlier versions, who visit each page once. */
  readonly does?: string | null;
  readonly pages?: number;
}

/** One who takes part, as who only looks sees it. */
export interface LivingMember {
  readonly id: string;
  /** By its own clock. */
  readonly heardAt: Instant;
  /** Null until it is at work. */
  readonly standing: MemberStanding | null;
}

interface Other extends Said {
  readonly text: string;
  /** When this life of his was heard of first, by one's own clock. */
  readonly begunAt: Instant;
  /** Own beats since it was heard last. */
  readonly silent: number;
}

/**
 * Returns when this crawler is known to the others. @throws ClusterError when another one lives under its id, or when its
 * clock is none to keep a distance by.
 */
export async function openMembers(connection: Connection, options: MembersOptions): Promise<Members> {
  mustAgree(connection);
  const members = new ClusterMembers(connection, options);
  await members.join();
  return members;
}

/** Those who take part, in order of their ids, by what their clocks said last: for who only looks. */
export async function livingIn(connection: Connection, name: string, clock: Clock): Promise<readonly LivingMember[]> {
  const key = membersKey(name);
  const since = clock.now() - SILENT_BEATS * BEAT_MS - LATENESS_MS;
  const all = pairs(await connection.command(key, ["HGETALL", key]));
  const living = all.flatMap(([id, text]) => {
    const { at, standing = null } = saidIn(text);
    return at < since ? [] : [{ id, heardAt: at, standing }];
  });
  return living.sort((a, b) => (a.id < b.id ? -1 : 1));
}

const membersKey = (name: string): string => `trawl:{${name}}:members`;

class ClusterMembers implements Members {
  joins = false;
  living: readonly string[] = [];
  readonly #connection: Connection;
  readonly #options: MembersOptions;
  readonly #key: string;
  life = 0;
  readonly #pinned: readonly number[];
  #others: ReadonlyMap<string, Other> = new Map();
  #saying: Saying = { does: null, pages: 0 };
  /** What was said last. */
  #text = "";
  #dividedAmong = "";
  #isMine: readonly boolean[] = [];
  #standing: Omit<MemberStanding, "shards"> | null = null;
  #isDoubled = false;
  readonly #leaving = new AbortController();
  #beating: Promise<void> = Promise.resolve();

  constructor(connection: Connection, options: MembersOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#key = membersKey(options.name);
    this.#pinned = (options.pins ?? []).map((host) => shardOf(host, options.shards));
  }

  get shards(): number {
    return this.#isMine.reduce((sum, isMine) => sum + Number(isMine), 0);
  }

  tell(standing: Omit<MemberStanding, "shards">): void {
    this.#standing = standing;
  }

  prefers(shard: number): boolean {
    return this.#isMine[shard]!;
  }

  begunSince(at: Instant): readonly Life[] {
    const lives = [...this.#others].filter(([, { begunAt }]) => begunAt >= at);
    return lives.map(([id, { life }]) => ({ id, life }));
  }

  get others(): readonly Saying[] {
    const living = [...this.#others.values()].filter((other) => !isDead(other));
    return living.map(({ does = "none", pages = 0 }) => ({ does, pages }));
  }

  async say(saying: Partial<Saying>): Promise<void> {
    this.#saying = { ...this.#saying, ...saying };
    await this.#beat();
  }

  count(pages: number): void {
    this.#saying = { ...this.#saying, pages };
  }

  async heardAnew(): Promise<void> {
    const before = new Map([...this.#others].map(([id, { text }]) => [id, text]));
    const isOpen = ([id, other]: [string, Other]): boolean => !isDead(other) && before.get(id) === other.text;
    for (let beat = 0; beat <= SILENT_BEATS + HEARD_BEATS && [...this.#others].some(isOpen); beat++)
      await this.#options.clock.sleep(BEAT_MS, this.#leaving.signal);
  }

  async join(): Promise<void> {
    await this.#mustBeAlone();
    const crawl = crawlKey(this.#options.name);
    const count = () => this.#connection.command(crawl, ["HINCRBY", crawl, "lives", "1"]);
    this.life = Number(await this.#connection.lasting(count));
    await this.#beat();
    this.joins = [...this.#others.values()].some((other) => this.#mayHoldLeases(other));
    this.#beating = this.#beatOn();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort();
    await this.#beating;
    await this.#call("", "", [this.#options.id, this.#text]).catch(unlessAway);
  }

  /** Who was killed under this id says no more; who runs in a copy of the directory does. */
  async #mustBeAlone(): Promise<void> {
    const { name, id, clock } = this.#options;
    const own = async () => (await this.#call("", "", [])).all.get(id);
    const before = await own();
    if (before === undefined || clock.now() - saidIn(before).at > SILENT_BEATS * BEAT_MS) return;
    await clock.sleep(HEARD_BEATS * BEAT_MS);
    const now = await own();
    if (now !== undefined && now !== before)
      throw new ClusterError(
        "foreign",
        `a crawler called ${id} takes part in the crawl ${name} already; give this one a directory of its own, that is no copy`,
      );
  }

  async #beatOn(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#leaving;
    for (;;) {
      await clock.sleep(BEAT_MS, signal);
      if (signal.aborted) return;
      await this.#beat().catch(unlessAway);
    }
  }

  async #beat(): Promise<void> {
    const { id, clock, log } = this.#options;
    const standing = this.#standing === null ? {} : { standing: { ...this.#standing, shards: this.shards } };
    const said: Said = { at: clock.now(), life: this.life, pinned: this.#pinned, ...this.#saying, ...standing };
    const text = JSON.stringify(said);
    const forgotten = [...this.#others].filter(([, other]) => isDead(other) && !this.#mayHoldLeases(other));
    const { before, all } = await this.#call(
      id,
      text,
      forgotten.flatMap(([other, { text }]) => [other, text]),
    );
    if (this.#text !== "" && before !== "" && saidIn(before).life !== this.life && !this.#isDoubled) {
      this.#isDoubled = true;
      log.error({ id }, "member-doubled");
    }
    this.#text = text;
    all.delete(id);
    const isFirst = this.living.length === 0;
    this.#others = new Map(Array.from(all, ([other, text]) => [other, this.#hear(other, text, isFirst)]));
    this.#divide();
  }

  #hear(id: string, text: string, isFirst: boolean): Other {
    const known = this.#others.get(id);
    if (known?.text === text) return { ...known, silent: known.silent + 1 };
    const said = saidIn(text);
    const now = this.#options.clock.now();
    // Of those who were there before nothing but their clock tells when they were heard last.
    const silent = isFirst ? Math.floor((now - said.at) / BEAT_MS) : 0;
    const begunAt = known?.life === said.life ? known.begunAt : now;
    return { ...said, text, silent, begunAt };
  }

  #divide(): void {
    const { id, shards, divide, log } = this.#options;
    const living: Member[] = [{ id, pinned: this.#pinned }];
    for (const [other, is] of this.#others) if (!isDead(is)) living.push({ id: other, pinned: is.pinned });
    living.sort((a, b) => (a.id < b.id ? -1 : 1));
    const among = JSON.stringify(living);
    if (among === this.#dividedAmong) return;
    this.#dividedAmong = among;
    const owners = divide(shards, living);
    this.#isMine = owners.map((owner) => owner === id);
    this.living = living.map((member) => member.id);
    log.info({ living: this.living, shards: this.shards }, "members");
  }

  #mayHoldLeases({ at }: Said): boolean {
    const { clock, leaseMs = LEASE_MS } = this.#options;
    return clock.now() - at < leaseMs + LATENESS_MS;
  }

  async #call(id: string, text: string, forgotten: readonly string[]) {
    const [before, flat] = (await this.#connection.run("beat", this.#key, [id, text, ...forgotten])) as [
      string,
      readonly string[],
    ];
    return { before, all: new Map(pairs(flat)) };
  }
}

const saidIn = (text: string): Said => JSON.parse(text) as Said;

const isDead = ({ silent }: Other): boolean => silent >= SILENT_BEATS;
