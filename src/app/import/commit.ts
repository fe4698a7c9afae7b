/** Captures of an archive become visits of a state: read as a crawl reads, judged as it judges, nothing asked of anybody. */
import type { Instant } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { lookedAgain } from "../../crawl/again.ts";
import type { Admission, Reading, VisitContext } from "../../crawl/context.ts";
import type { Sink } from "../../crawl/crawl.ts";
import type { Duplicates } from "../../crawl/duplicates.ts";
import { read } from "../../crawl/read.ts";
import { recordOf } from "../../crawl/recorded.ts";
import { answerOf } from "../../crawl/visit.ts";
import { RecentLinks } from "../../dedup/recent.ts";
import type { Capture, Locator, Original } from "../../model/capture.ts";
import type { FetchResponse } from "../../model/fetch-result.ts";
import type { Lease, LeasedUrl, Verdict } from "../../model/lease.ts";
import type { NewUrl, UrlName } from "../../model/link.ts";
import type { UrlRecord, VisitRecord } from "../../model/record.ts";
import { KNOWN, type ParsedUrl, parseUrl } from "../../model/url.ts";
import type { Answer, Visited } from "../../model/visited.ts";
import { ADMISSION_RULES, admit } from "../../policy/admission.ts";
import { JUDGE_RULES, judge } from "../../policy/judge.ts";
import { priorityOf } from "../../policy/priority.ts";
import type { Settled } from "../../ports/frontier.ts";
import type { WarcRecord } from "../../warc/reader.ts";
import { instantOf, payloadDigest, targetOf } from "../../warc/record-facts.ts";
import { type Group, isRobots, type PlannedCapture } from "./plan.ts";
import { nameOf, responseOf } from "./record.ts";
import { type CopiesContext, RobotsCopies } from "./robots.ts";

export interface ImportContext extends CopiesContext {
  readonly pages: Sink<UrlRecord>;
  readonly reading: Reading;
  readonly duplicates: Duplicates;
  readonly agent: string;
  readonly assets: boolean;
  readonly readMs: number;
  readonly clock: VisitContext["clock"];
  readonly log: Log;
}

export interface ImportCounts {
  /** Visits recorded, of how many URLs, with how many links newly met. */
  visits: number;
  urls: number;
  links: number;
  robots: number;
  /** Captures that the state has already. */
  known: number;
  /** Captures that are older than the last one known of their URL: a history goes forward. */
  older: number;
  /** Revisits whose original is in none of the archives. */
  lost: number;
}

/**
 * Links are recorded as left out by this rule, so that nothing is queued; a crawl that goes on in the directory judges
 * them by its own rules and takes those that it wants.
 */
const LEFT_OUT = "import";
const MOST_LINKS = 50_000;

const leftOut: Admission = {
  admit: (href, base, found) =>
    admit(href, base, found, {
      ...ADMISSION_RULES,
      parse: { ...ADMISSION_RULES.parse, schemes: KNOWN.schemes },
      scope: () => ({ inside: false, excluded: true, rule: LEFT_OUT }),
      trap: () => null,
      refuse: () => null,
    }),
  extend() {},
};

type ReadAgain = Visited & { readonly outcome: Answer; readonly capture: Capture };

/** A capture whose record holds its body. */
type Found = Original & { readonly place: Locator };

interface Work {
  readonly group: Group;
  readonly url: ParsedUrl;
  readonly name: UrlName;
  /** Of the group's captures, those that are to be recorded. */
  left: readonly PlannedCapture[];
  /** The id of a URL that has ended before, with captures older than the last of these. */
  readonly again: number | null;
}

export class Importer {
  readonly #context: ImportContext;
  readonly counts: ImportCounts = { visits: 0, urls: 0, links: 0, robots: 0, known: 0, older: 0, lost: 0 };
  /** Held for groups whose turn has not come: what an import that was killed had queued. By URL. */
  readonly #leases = new Map<number, Lease>();
  readonly #robots: RobotsCopies;

  constructor(context: ImportContext) {
    this.#context = context;
    this.#robots = new RobotsCopies(context);
  }

  /** Groups whose revisits refer to what is not in the state yet; to be given again when the others are through. */
  async take(groups: readonly Group[], isLast: boolean): Promise<readonly Group[]> {
    const robots = groups.filter(({ captures }) => isRobots(captures[0]!.href));
    const copies = await this.#robots.take(robots.flatMap(({ captures }) => captures));
    this.counts.known += copies.known;
    this.counts.robots += copies.taken;
    const put: Group[] = [];
    const works: Work[] = [];
    for (const group of groups) {
      if (isRobots(group.captures[0]!.href)) continue;
      const work = await this.#workOf(group);
      if (work === null) continue;
      if (!isLast && (await this.#waits(work))) put.push(group);
      else works.push(work);
    }
    const { backend } = this.#context;
    const urls = await Promise.all(works.map(async (work) => ({ ...(await this.#newUrl(work)), again: work.again })));
    await backend.add(urls.filter(({ again }) => again === null));
    await backend.revisit(urls.flatMap(({ again: id, priority }) => (id === null ? [] : { id, priority })));
    for (let open = works; open.length > 0; ) {
      await this.#lease();
      open = await this.#commit(open);
    }
    return put;
  }

  /** Gives back what was leased and never asked for. */
  async end(): Promise<void> {
    const hostReadyAt = this.#context.clock.now();
    await this.#context.backend.release([...this.#leases.values()].map((lease) => ({ lease, hostReadyAt })));
    this.#leases.clear();
  }

  /** Null when nothing of it is to be done. */
  async #workOf(group: Group): Promise<Work | null> {
    const { backend } = this.#context;
    const parsed = parseUrl(group.captures[0]!.href, undefined, { ...KNOWN, maxLength: 65_536 });
    if (!parsed.ok) return null;
    const url = parsed.value;
    const name = nameOf(url);
    const known = await backend.find(name);
    const visits = known === null ? [] : (await backend.visitsOf(known.id)).filter(({ attempt }) => attempt > 0);
    const times = new Set(visits.map(({ capture }) => Math.floor(capture?.at ?? -1)));
    const fresh = group.captures.filter(({ at }) => !times.has(at));
    this.counts.known += group.captures.length - fresh.length;
    const latest = Math.max(...times);
    const left = fresh.filter(({ at }) => at > latest);
    this.counts.older += fresh.length - left.length;
    if (left.length === 0) return null;
    const again = known?.state === "ended" && visits.length > 0 ? known.id : null;
    return { group, url, name, left, again };
  }

  /** Whether one of its revisits refers to a capture that may yet come. */
  async #waits({ left, group }: Work): Promise<boolean> {
    for (const capture of left) {
      if (!capture.isRevisit) continue;
      const record = await this.#context.recordAt(capture.place);
      const target = targetOf(record.fields, "warc-refers-to-target-uri");
      const own = target === null || isSame(nameOf(target), nameOf(targetOf(record.fields)!));
      if (own && group.captures.some((one) => !one.isRevisit)) continue; // comes right before it
      if ((await this.#originalOf(record)) === null) return true;
    }
    return false;
  }

  async #newUrl({ left, url, name }: Work): Promise<NewUrl> {
    const { backend } = this.#context;
    const found = await backend.find(name);
    const depth = left.find((one) => one.depth !== null)?.depth ?? found?.depth ?? 0;
    const via = found?.via || (await this.#idOf(left.find((one) => one.via !== null)?.via ?? null));
    const source = found?.source ?? "imported";
    const priority = priorityOf(source, depth, url.parts.pathname);
    return { href: url.href, ...name, depth, hops: 0, via, source, priority };
  }

  async #idOf(href: string | null): Promise<number> {
    const parsed = href === null ? null : parseUrl(href, undefined, KNOWN);
    return parsed?.ok ? ((await this.#context.backend.find(nameOf(parsed.value)))?.id ?? 0) : 0;
  }

  /** Takes every lease that there is: the queue holds what was just added, and what a killed import left. */
  async #lease(): Promise<void> {
    for (;;) {
      const leases = await this.#context.backend.lease(256);
      if (leases.length === 0) return;
      for (const lease of leases) this.#leases.set(lease.url.id, lease);
    }
  }

  /** The next capture of each; those that have more come back, as they do in a crawl, with what was found now. */
  async #commit(works: readonly Work[]): Promise<Work[]> {
    const { backend, pages } = this.#context;
    const settled: Settled[] = [];
    const ended: UrlRecord[] = [];
    const open: Work[] = [];
    const comingBack: LeasedUrl[] = [];
    for (const work of works) {
      const record = (await backend.find(work.name))!;
      const lease = this.#leases.get(record.id);
      if (lease === undefined) throw new Error(`${record.href} was added and could not be leased`);
      this.#leases.delete(record.id);
      const one = await this.#settle(work, lease);
      settled.push(one);
      this.counts.visits++;
      work.left = work.left.slice(1);
      if (work.left.length > 0) open.push(work);
      else this.counts.urls++;
      if (one.verdict.kind !== "end") continue;
      if (work.left.length > 0) comingBack.push(lease.url);
      ended.push({ ...record, href: one.record!.href, state: "ended", visit: one.record });
    }
    const outputs = ended.length === 0 ? [] : [await pages.write(ended)];
    const report = await backend.commit({ settled, hosts: [], robots: [], requests: [], marks: outputs });
    if (report.current.includes(false)) throw new Error("a lease ran out while archives were imported");
    this.counts.links += report.admitted + report.dropped;
    await backend.revisit(comingBack);
    return open;
  }

  async #settle({ left }: Work, lease: Lease): Promise<Settled> {
    const [capture, next] = left;
    const visited = await this.#visited(capture!, lease);
    const now = this.#context.clock.now();
    const rules = { ...JUDGE_RULES, maxAttempts: next === undefined ? 1 : Number.POSITIVE_INFINITY };
    const verdict = verdictOf(judge(visited, { hostReadyAt: now, random: 0 }, rules), now);
    const record = this.#recordOf(visited, verdict);
    return { lease, verdict, hostReadyAt: now, record, links: visited.links, linksAgain: visited.linksAgain };
  }

  #recordOf(visited: ReadAgain, verdict: Verdict): VisitRecord | null {
    const { duplicates } = this.#context;
    const { lease, held, href, outcome, capture, page } = visited;
    const first = recordOf(visited, verdict);
    if (first === null) return null;
    const { record, change } =
      lease.previous === null ? { record: first, change: null } : lookedAgain(first, lease.previous, held);
    if (verdict.kind !== "end" || verdict.end !== "fetched" || page === null || change?.kind === "same") return record;
    const content = [lease.url.id, href, outcome.bytes, capture, page] as const;
    return {
      ...record,
      ...(change?.kind === "changed" ? duplicates.copyNow(...content) : duplicates.copyOf(...content)),
    };
  }

  async #visited(capture: PlannedCapture, lease: Lease): Promise<ReadAgain> {
    const { reading, limits } = this.#context;
    const record = await this.#context.recordAt(capture.place);
    const url = targetOf(record.fields)!;
    const original = record.type === "revisit" ? await this.#original(record, lease) : null;
    const response = (await responseOf(record, url, capture, original, limits))!;
    const mediaType = reading.identify(response);
    const answer = {
      ...answerOf(response, { task: "page", held: null }),
      setCookies: [],
      notModified: record.type === "revisit" && response.status === 304,
    };
    const { page, links, linksAgain } = await read(response, mediaType, answer, lease, this.#readContext());
    const { href, address, startedAt, endedAt, truncated } = response;
    const digest = payloadDigest(record) ?? original?.digest ?? "";
    const revisitOf = record.type === "revisit" ? { revisitOf: original?.urlId ?? lease.url.id } : {};
    const kept: Capture = { response: capture.place, at: startedAt, digest, truncated, ...revisitOf };
    const robotsId = this.#robots.at(url.host, startedAt);
    return {
      lease,
      task: "page",
      href,
      address,
      robotsId,
      startedAt,
      endedAt,
      held: original && { original, conditional: null },
      outcome: answer,
      capture: kept,
      page,
      links,
      linksAgain,
    };
  }

  #readContext(): Parameters<typeof read>[4] {
    const { reading, agent, assets, readMs, clock, log } = this.#context;
    return {
      reading,
      admission: leftOut,
      sentLately: this.#sentLately,
      rules: {
        ...{ agent, assets, readMs, maxLinks: MOST_LINKS, metadata: false },
        ...{ obeyRelNofollow: true, obeyPageRobots: true },
      },
      clock,
      log,
    };
  }

  readonly #sentLately = new RecentLinks();

  async #original(
    record: WarcRecord,
    lease: Lease,
  ): Promise<(Pick<FetchResponse, "rawHeaders" | "body"> & Original) | null> {
    const { recordAt, limits } = this.#context;
    const found = (await this.#originalOf(record)) ?? (await this.#ownOriginal(record, lease));
    if (found === null) {
      this.counts.lost++;
      return null;
    }
    const of = await recordAt(found.place);
    const response = await responseOf(of, targetOf(of.fields)!, { fetchMs: null }, null, limits);
    return response && { ...response, ...found };
  }

  /** What a revisit refers to: by URL and time or digest, or, when it names no URL, by its digest alone. */
  async #originalOf(record: WarcRecord): Promise<Found | null> {
    const { backend, duplicates } = this.#context;
    const target = targetOf(record.fields, "warc-refers-to-target-uri");
    const digest = payloadDigest(record);
    const at = instantOf(record.fields, "warc-refers-to-date");
    const id = target === null ? null : ((await backend.find(nameOf(target)))?.id ?? null);
    return (
      (await this.#among(id, digest, at)) ??
      (digest === null ? null : await this.#among(duplicates.first(digest), digest, null))
    );
  }

  async #ownOriginal(record: WarcRecord, lease: Lease): Promise<Found | null> {
    return this.#among(lease.url.id, payloadDigest(record), null);
  }

  async #among(urlId: number | null, digest: string | null, at: Instant | null): Promise<Found | null> {
    if (urlId === null) return null;
    const whole = (await this.#context.backend.visitsOf(urlId)).flatMap(({ href, capture }) =>
      capture === null || capture.revisitOf !== undefined ? [] : { urlId, href, ...capture, place: capture.response },
    );
    return (
      whole.find((one) => one.digest === digest && Math.floor(one.at) === at) ??
      whole.find((one) => (digest === null ? Math.floor(one.at) === at : one.digest === digest)) ??
      null
    );
  }
}

const isSame = (one: UrlName, other: UrlName): boolean => one.fpHi === other.fpHi && one.fpLo === other.fpLo;

/**
 * Nothing is asked again but where the archive has more captures of the URL. One that ends with a redirect of the URL to its
 * own key leaves it to be visited, as a crawl would: what it leads to is no other URL, which a link could bring.
 */
function verdictOf(judged: Verdict, now: Instant): Verdict {
  switch (judged.kind) {
    case "end":
    case "follow":
      return judged;
    case "retry":
      return { ...judged, at: now };
    default:
      throw new Error(`a capture was judged as "${judged.kind}"`);
  }
}
