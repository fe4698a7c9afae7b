/** A web whose pages change, go, come back and move as time goes by. All of it follows from the seed and the time alone. */
import type { PageId } from "./graph.ts";
import { type Answer, plain, redirect } from "./perform.ts";
import { type Random, random } from "./random.ts";

const DAY_MS = 86_400_000;

export interface ChangingOptions {
  /** The web's time when it is started, in ms since 1970: 2020 unless told. */
  readonly from?: number;
  /** Its ms in a real one; 1. */
  readonly speed?: number;
  /** Of the times between two changes of a page, by page: the median of their means, in days; 5. */
  readonly medianDays?: number;
  /** By how many powers of e the pages' means differ from it (one standard deviation): a heavy tail; 2. */
  readonly spread?: number;
  /** The share of pages that go and come back, some of them for good (404, or 410 by halves); 0. */
  readonly fleeting?: number;
  /** The share that is led to the root of its host one day; 0. */
  readonly moving?: number;
  /** Nothing happens after so many days; 365. */
  readonly days?: number;
  /** How hosts tell one version from another: host i by the (i mod n)th. "strong" unless told. */
  readonly servers?: readonly Server[];
  /** By host name: the day on which its robots.txt forbids everything. */
  readonly denies?: Readonly<Record<string, number>>;
}

/**
 * strong, weak: an ETag of the version. modified: Last-Modified alone. none: neither. churning: another ETag with each
 * answer. noisy: neither, and each answer has a line of its own. deaf: an ETag of the version, and 304 to whoever sends
 * any. stuck: an ETag that is the same for all versions.
 */
export type Server = "strong" | "weak" | "modified" | "none" | "churning" | "noisy" | "deaf" | "stuck";

/** A page as it is at a time. */
export interface Version {
  /** Changes so far. */
  readonly number: number;
  readonly changedAt: number;
  /** null: it is there. */
  readonly away: "404" | "410" | "moved" | null;
}

export interface Changing {
  /** Changes a ms. */
  rateOf(id: PageId): number;
  versionOf(id: PageId, at: number): Version;
  serverOf(host: number): Server;
  /** Whether the host's robots.txt forbids everything. */
  denies(host: string, at: number): boolean;
}

interface Life {
  readonly rate: number;
  readonly changes: readonly number[];
  /** By turns: it goes, it comes back ... */
  readonly comings: readonly number[];
  readonly gone: "404" | "410";
  readonly movesAt: number;
}

export function changing(seed: number, options: ChangingOptions): Changing {
  const { medianDays = 5, spread = 2, fleeting = 0, moving = 0, days = 365, servers = ["strong"] } = options;
  const from = startOf(options);
  const until = from + days * DAY_MS;
  const lives = new Map<string, Life>();

  const lifeOf = ({ host, page }: PageId): Life => {
    const key = `${host} ${page}`;
    let life = lives.get(key);
    if (life === undefined) {
      const draw = random(seed, `life ${key}`);
      const rate = Math.exp(spread * normal(draw)) / (medianDays * DAY_MS);
      // Roots stay: all else hangs on them.
      const isFleeting = page > 0 && draw.chance(fleeting);
      life = {
        rate,
        changes: times(random(seed, `changes ${key}`), rate, from, until),
        comings: isFleeting ? times(random(seed, `comings ${key}`), 4 / (days * DAY_MS), from, until) : [],
        gone: draw.chance(0.5) ? "404" : "410",
        movesAt: page > 0 && draw.chance(moving) ? from + uniform(draw) * (until - from) : Number.POSITIVE_INFINITY,
      };
      lives.set(key, life);
    }
    return life;
  };

  return {
    rateOf: (id) => lifeOf(id).rate,
    versionOf(id, at) {
      const { changes, comings, gone, movesAt } = lifeOf(id);
      const number = before(changes, at);
      const isGone = before(comings, at) % 2 === 1;
      const away = at >= movesAt ? "moved" : isGone ? gone : null;
      return { number, changedAt: number === 0 ? from : changes[number - 1]!, away };
    },
    serverOf: (host) => servers[host % servers.length]!,
    denies: (host, at) => at >= from + (options.denies?.[host] ?? Number.POSITIVE_INFINITY) * DAY_MS,
  };
}

export const startOf = ({ from = Date.UTC(2020, 0, 1) }: ChangingOptions): number => from;

/** The times of a Poisson process. */
function times(draw: Random, rate: number, from: number, until: number): number[] {
  const all: number[] = [];
  for (let at = from; ; ) {
    at += -Math.log(uniform(draw)) / rate;
    if (at >= until) return all;
    all.push(at);
  }
}

/** How many of the times, in order, are past. */
function before(all: readonly number[], at: number): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (all[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

const uniform = (draw: Random): number => (draw.word() + 1) / (2 ** 32 + 1);

/** Box and Muller 1958. */
const normal = (draw: Random): number =>
  Math.sqrt(-2 * Math.log(uniform(draw))) * Math.cos(2 * Math.PI * uniform(draw));

/** What is asked with: as Node's servers give the fields of a request. */
interface Asked {
  readonly "if-none-match"?: string | undefined;
  readonly "if-modified-since"?: string | undefined;
}

/** A page as it stands, or where it has moved to. */
interface Content {
  readonly type: string;
  readonly body: string | Buffer;
  readonly moved?: string;
}

/** What a server of that kind answers. `nth`: answers before this one. */
export function changingAnswer(
  { type, body, moved }: Content,
  version: Version,
  server: Server,
  asked: Asked,
  nth: number,
): Answer {
  if (moved !== undefined) return redirect(moved, 301);
  if (version.away !== null) return plain(Number(version.away));
  const headers: Record<string, string> = { "content-type": type };
  const etag = ETAGS[server]?.(version.number, nth);
  if (etag !== undefined) headers.etag = etag;
  if (server === "modified") headers["last-modified"] = new Date(version.changedAt).toUTCString();
  if (isSame(server, version, etag, asked)) return { status: 304, headers, body: "" };
  return { status: 200, headers, body: server === "noisy" ? `${body}<p>You are visitor ${nth}.</p>\n` : body };
}

/** RFC 9110, section 13.1: comparison is weak; If-Modified-Since counts where there is no If-None-Match. */
function isSame(server: Server, { changedAt }: Version, etag: string | undefined, asked: Asked): boolean {
  const { "if-none-match": match, "if-modified-since": since } = asked;
  if (etag !== undefined && match !== undefined) return server === "deaf" || plainTag(match) === plainTag(etag);
  return server === "modified" && since !== undefined && Math.floor(changedAt / 1_000) * 1_000 <= Date.parse(since);
}

const plainTag = (tag: string): string => tag.replace(/^W\//, "");

const ETAGS: { readonly [S in Server]?: (version: number, nth: number) => string } = {
  strong: (version) => `"v${version}"`,
  weak: (version) => `W/"v${version}"`,
  churning: (version, nth) => `"v${version}-${nth}"`,
  deaf: (version) => `"v${version}"`,
  stuck: () => '"always"',
};
