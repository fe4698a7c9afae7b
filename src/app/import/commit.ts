/** Captures of an archive become visits of a state: read as a crawl reads, judged as it judges, nothing asked of anybody. */
import type { Instant } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Admission, Reading, VisitContext } from "../../crawl/context.ts";
import type { Sink } from "../../crawl/crawl.ts";
import { type Duplicates, NO_COPY } from "../../crawl/duplicates.ts";
import { read } from "../../crawl/read.ts";
import { recordOf } from "../../crawl/recorded.ts";
import { answerOf } from "../../crawl/visit.ts";
import { RecentLinks } from "../../dedup/recent.ts";
import type { Capture, Locator } from "../../model/capture.ts";
import type { EndReason } from "../../model/end.ts";
import type { FetchResponse } from "../../model/fetch-result.ts";
import type { Lease, Verdict } from "../../model/lease.ts";
import type { NewUrl } from "../../model/link.ts";
import type { UrlRecord } from "../../model/record.ts";
import type { RobotsCopy } from "../../model/robots-copy.ts";
import { KNOWN, type ParsedUrl, parseUrl } from "../../model/url.ts";
import type { Answer, Visited } from "../../model/visited.ts";
import { ADMISSION_RULES, admit } from "../../policy/admission.ts";
import { JUDGE_RULES, judge } from "../../policy/judge.ts";
import { priorityOf } from "../../policy/priority.ts";
import { accessOf, robotsExpiry } from "../../policy/robots-access.ts";
import type { Backend, Settled } from "../../ports/frontier.ts";
import type { WarcRecord } from "../../warc/reader.ts";
import { instantOf, payloadDigest, targetOf } from "../../warc/record-facts.ts";
import { type Group, isRobots, type PlannedCapture } from "./plan.ts";
import { fingerprintOf, type ReadLimits, responseOf } from "./record.ts";

export interface ImportContext {
  readonly backend: Backend;
  readonly pages: Sink<UrlRecord>;
  readonly reading: Reading;
  readonly duplicates: Duplicates;
  /** The record at a place of the archive. */
  readonly recordAt: (place: Locator) => Promise<WarcRecord>;
  readonly limits: ReadLimits;
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
  /** Captures that are older than the one with which their URL has ended: only later ones open it again. */
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

interface Work {
  readonly group: Group;
  readonly url: ParsedUrl;
  readonly fp: readonly [number, number];
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
  /** By host, in order of time. */
  readonly #robots = new Map<string, { readonly id: number; readonly at: Instant }[]>();

  constructor(context: ImportContext) {
    this.#context = context;
  }

  /** Groups whose revisits refer to what is not in the state yet; to be given again when the others are through. */
  async take(groups: readonly Group[], isLast: boolean): Promise<readonly Group[]> {
    const robots = groups.filter(({ captures }) => isRobots(captures[0]!.href));
    await this.#takeRobots(robots.flatMap(({ captures }) => captures));
    const put: Group[] = [];
    const works: Work[] = [];
    for (const group of groups) {
      if (isRobots(group.captures[0]!.href)) continue;
      const work = this.#workOf(group);
      if (work === null) continue;
      if (!isLast && (await this.#waits(work))) put.push(group);
      else works.push(work);
    }
    const { backend } = this.#context;
    const urls = works.map((work) => ({ ...this.#newUrl(work), again: work.again }));
    await backend.add(urls.filter(({ again }) => again === null));
    await backend.revisit(urls.flatMap(({ again: id, priority }) => (id === null ? [] : { id, priority })));
    for (let open = works; open.length > 0; ) {
      await this.#lease();
      await this.#commit(open);
      open = open.filter((work) => {
        work.left = work.left.slice(1);
        return work.left.length > 0;
      });
    }
    return put;
  }

  /** Gives back what was leased and never asked for. */
  end(): void {
    const hostReadyAt = this.#context.clock.now();
    this.#context.backend.release([...this.#leases.values()].map((lease) => ({ lease, hostReadyAt })));
    this.#leases.clear();
  }

  /** Null when nothing of it is to be done. */
  #workOf(group: Group): Work | null {
    const { backend } = this.#context;
    const parsed = parseUrl(group.captures[0]!.href, undefined, { ...KNOWN, maxLength: 65_536 });
    if (!parsed.ok) return null;
    const url = parsed.value;
    const fp = fingerprintOf(url);
    const known = backend.find(...fp);
    const visits = known === null ? [] : backend.visitsOf(known.id).filter(({ attempt }) => attempt > 0);
    const times = new Set(visits.map(({ capture }) => Math.floor(capture?.at ?? -1)));
    const left = group.captures.filter(({ at }) => !times.has(at));
    this.counts.known += group.captures.length - left.length;
    if (left.length === 0) return null;
    if (known?.state !== "ended" || visits.length === 0) return { group, url, fp, left, again: null };
    if (left.at(-1)!.at < Math.max(...times)) {
      this.counts.older += left.length;
      return null;
    }
    return { group, url, fp, left, again: known.id };
  }

  /** Whether one of its revisits refers to a capture that may yet come. */
  async #waits({ left, group }: Work): Promise<boolean> {
    for (const capture of left) {
      if (!capture.isRevisit) continue;
      const record = await this.#context.recordAt(capture.place);
      const target = targetOf(record.fields, "warc-refers-to-target-uri");
      const own = target === null || fingerprintOf(target).join() === fingerprintOf(targetOf(record.fields)!).join();
      if (own && group.captures.some((one) => !one.isRevisit)) continue; // comes right before it
      if (this.#originalOf(record) === null) return true;
    }
    return false;
  }

  #newUrl({ left, url, fp }: Work): NewUrl {
    const { backend } = this.#context;
    const found = backend.find(...fp);
    const depth = left.find((one) => one.depth !== null)?.depth ?? found?.depth ?? 0;
    const via = found?.via || this.#idOf(left.find((one) => one.via !== null)?.via ?? null);
    const source = found?.source ?? "imported";
    const priority = priorityOf(source, depth, url.parts.pathname);
    return { href: url.href, host: url.host, fpHi: fp[0], fpLo: fp[1], depth, hops: 0, via, source, priority };
  }

  #idOf(href: string | null): number {
    const parsed = href === null ? null : parseUrl(href, undefined, KNOWN);
    return parsed?.ok ? (this.#context.backend.find(...fingerprintOf(parsed.value))?.id ?? 0) : 0;
  }

  /** Takes every lease that there is: the queue holds what was just added, and what a killed import left. */
  async #lease(): Promise<void> {
    for (;;) {
      const leases = await this.#context.backend.lease(256);
      if (leases.length === 0) return;
      for (const lease of leases) this.#leases.set(lease.url.id, lease);
    }
  }

  async #commit(works: readonly Work[]): Promise<void> {
    const { backend, pages } = this.#context;
    const settled: Settled[] = [];
    const ended: UrlRecord[] = [];
    for (const work of works) {
      const record = backend.find(...work.fp)!;
      const lease = this.#leases.get(record.id);
      if (lease === undefined) throw new Error(`${record.href} was added and could not be leased`);
      this.#leases.delete(record.id);
      const one = await this.#settle(work, lease);
      settled.push(one);
      this.counts.visits++;
      if (one.verdict.kind !== "end") continue;
      this.counts.urls++;
      ended.push({ ...record, href: one.record!.href, state: "ended", visit: one.record });
    }
    const outputs = ended.length === 0 ? [] : [await pages.write(ended)];
    const report = await backend.commit({ settled, hosts: [], robots: [], requests: [], marks: outputs });
    if (report.current.includes(false)) throw new Error("a lease ran out while archives were imported");
    this.counts.links += report.admitted + report.dropped;
  }

  async #settle({ left }: Work, lease: Lease): Promise<Settled> {
    const { clock, duplicates } = this.#context;
    const [capture, next] = left;
    const visited = await this.#visited(capture!, lease);
    const now = clock.now();
    const judged = judge(visited, { hostReadyAt: now, random: 0 }, { ...JUDGE_RULES, maxAttempts: 1 });
    const end = endOf(judged);
    const verdict = next === undefined ? end : judged.kind === "follow" ? judged : retry(now, end.end);
    const { page } = visited;
    const isPage = verdict.kind === "end" && verdict.end === "fetched" && page !== null;
    const copy = isPage
      ? duplicates.copyOf(lease.url.id, visited.href, visited.outcome.bytes, visited.capture, page)
      : NO_COPY;
    const visit = recordOf(visited, verdict);
    const record = visit && { ...visit, ...copy };
    return { lease, verdict, hostReadyAt: now, record, links: visited.links, linksAgain: visited.linksAgain };
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
    const robotsId = this.#robotsAt(url.host, startedAt);
    return {
      lease,
      task: "page",
      href,
      address,
      robotsId,
      startedAt,
      endedAt,
      held: null,
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
  ): Promise<
    (Pick<FetchResponse, "rawHeaders" | "body"> & { readonly urlId: number; readonly digest: string }) | null
  > {
    const { recordAt, limits } = this.#context;
    const found = this.#originalOf(record) ?? this.#ownOriginal(record, lease);
    if (found === null) {
      this.counts.lost++;
      return null;
    }
    const of = await recordAt(found.place);
    const response = await responseOf(of, targetOf(of.fields)!, { fetchMs: null }, null, limits);
    return response === null ? null : { ...response, urlId: found.urlId, digest: found.digest };
  }

  /** What a revisit refers to: by URL and time or digest, or, when it names no URL, by its digest alone. */
  #originalOf(record: WarcRecord): { urlId: number; digest: string; place: Locator } | null {
    const { backend, duplicates } = this.#context;
    const target = targetOf(record.fields, "warc-refers-to-target-uri");
    const digest = payloadDigest(record);
    const at = instantOf(record.fields, "warc-refers-to-date");
    const id = target === null ? null : (backend.find(...fingerprintOf(target))?.id ?? null);
    return (
      this.#among(id, digest, at) ?? (digest === null ? null : this.#among(duplicates.first(digest), digest, null))
    );
  }

  #ownOriginal(record: WarcRecord, lease: Lease): { urlId: number; digest: string; place: Locator } | null {
    return this.#among(lease.url.id, payloadDigest(record), null);
  }

  #among(urlId: number | null, digest: string | null, at: Instant | null) {
    if (urlId === null) return null;
    const whole = this.#context.backend
      .visitsOf(urlId)
      .flatMap(({ capture }) => (capture === null || capture.revisitOf !== undefined ? [] : capture));
    const capture =
      whole.find((one) => one.digest === digest && Math.floor(one.at) === at) ??
      whole.find((one) => (digest === null ? Math.floor(one.at) === at : one.digest === digest));
    return capture === undefined ? null : { urlId, digest: capture.digest, place: capture.response };
  }

  async #takeRobots(captures: readonly PlannedCapture[]): Promise<void> {
    const { backend, limits } = this.#context;
    const copies: RobotsCopy[] = [];
    for (const capture of captures) {
      const record = await this.#context.recordAt(capture.place);
      const url = targetOf(record.fields)!;
      const response = await responseOf(record, url, capture, null, limits);
      if (response === null || (response.status >= 300 && response.status < 400)) continue; // the last hop is the answer
      const { status, endedAt } = response;
      const access = accessOf({ kind: "answer", status });
      copies.push({
        ...{ id: 0, host: url.host, fetchedAt: endedAt, access, status, failure: null, href: url.href },
        expiresAt: robotsExpiry(access, endedAt, null),
        body: access === "rules" ? (answerOf(response, { task: "robots", held: null }).robotsBody ?? "") : "",
        capture: {
          response: capture.place,
          at: response.startedAt,
          digest: payloadDigest(record) ?? "",
          truncated: response.truncated,
        },
      });
    }
    // All copies of a host come together and by time: what is not newer than the newest known one has been here before.
    const fresh: RobotsCopy[] = [];
    for (const copy of copies) {
      const newest = backend.robots(copy.host);
      if (newest === null || newest.fetchedAt < copy.fetchedAt) fresh.push(copy);
      else this.#robots.set(copy.host, [{ id: newest.id, at: newest.fetchedAt }]);
    }
    this.counts.known += copies.length - fresh.length;
    if (fresh.length === 0) return;
    const { robotsIds } = await backend.commit({ settled: [], hosts: [], robots: fresh, marks: [] });
    for (const [nth, { host, fetchedAt }] of fresh.entries()) {
      const copiesOf = this.#robots.get(host) ?? [];
      copiesOf.push({ id: robotsIds[nth]!, at: fetchedAt });
      this.#robots.set(host, copiesOf);
    }
    this.counts.robots += fresh.length;
  }

  /** The copy in force: the newest that was there at the time. */
  #robotsAt(host: string, at: Instant): number {
    return this.#robots.get(host)?.findLast((copy) => copy.at <= at)?.id ?? 0;
  }
}

/** Another capture of the same URL comes. */
const retry = (at: Instant, reason: EndReason): Verdict => ({ kind: "retry", at, reason });

/** Nothing is followed and nothing comes later: whatever a crawl would do next, this capture is the end. */
function endOf(verdict: Verdict): Verdict & { kind: "end" } {
  if (verdict.kind === "end") return verdict;
  if (verdict.kind === "follow") return { kind: "end", end: "redirected", detail: verdict.href };
  throw new Error(`a capture was judged as "${verdict.kind}"`);
}
