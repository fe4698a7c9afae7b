/**
 * What pages have brought decides how many more of their kind are asked for (SPEC 10). On the control thread. What a host's
 * pages have brought goes with its state to whoever asks there next; the rest is kept in memory alone.
 *
 * A page is useless when it is a copy of another, when it is a near copy or too short to be compared and says what a page
 * of late said but for numbers and the words of its URL, when it is empty, and when it filters a list and leads to nothing
 * but more of the list. Where the other is decides who pays: on one host the URL's pattern; on two the host that came
 * later (a mirror), and, where both are of one registrable domain, the domain's hosts that have brought little of their
 * own (a link farm).
 */
import type { Instant } from "../base/clock.ts";
import { hashText } from "../base/hash.ts";
import { RecentLinks } from "../dedup/recent.ts";
import type { HostKey, HostState } from "../model/host.ts";
import { hostnameOf } from "../model/host.ts";
import type { LeasedUrl } from "../model/lease.ts";
import type { NewUrl } from "../model/link.ts";
import type { Visited } from "../model/visited.ts";
import { isOfSeed } from "../policy/admission.ts";
import { registrableDomain } from "../policy/url-key.ts";
import { urlPattern } from "../policy/url-pattern.ts";
import { Accounts } from "./accounts.ts";
import type { CopyOf } from "./duplicates.ts";
import { type HostMemory, learns, lessonsOf, MOST_PATTERNS_A_HOST, memoryOf, newMemory } from "./host-memory.ts";

/** A page that was compared with others, and what it is a copy of. */
export interface Lesson {
  readonly visited: Visited;
  readonly copy: CopyOf;
}

type HostOf = (urlId: number) => Promise<HostKey | null>;

export interface FeedbackRules {
  /** Useless pages that a pattern may bring before its budget shrinks; 0: no such budgets. */
  readonly patternBudget: number;
}

const MOST_HOSTS = 20_000;
const MOST_DOMAINS = 10_000;
const MOST_KNOWN_HOSTS = 4_096;
const GISTS = 1 << 17;
/**
 * Texts of a few words are alike sooner than they are the same page. A trap leads to itself; what a page that was worth
 * something leads to has as many pages as those that list it: pictures, members.
 */
const COST_OF_SHORT = 1 / 8;
const COST_OF_SHORT_LED_TO_BY_USELESS = 1;
const USELESS_REMEMBERED = 1 << 16;
/** Copies on several hosts of a domain are less often chance than copies on one. */
const DOMAIN_SHARE = 1 / 3;
/** Pages of its own, more than copied ones, or requests that brought no copy, set a host apart from the rest of its domain. */
const PROVEN_BY = 5;
const PROVEN_BY_REQUESTS = 10;
/** Of a domain that copies itself so many unknown hosts are tried at a time; one is for so long, in ms. */
const TRIALS = 3;
const TRIAL_MS = 60_000;
/** In the place of a URL's id: the page that a host shows for all that it has not. */
const NOT_FOUND = 0;
const LEAST_BYTES = 1_024;
/** The account of a host as a mirror of others; no pattern is named so. */
const MIRROR = "mirror";

export class Feedback {
  readonly #hosts = new Map<HostKey, HostMemory>();
  readonly #domains: Accounts;
  /** Of domains that copy themselves: hosts that are asked for their first page, since when. */
  readonly #trials = new Map<string, Map<HostKey, Instant>>();
  readonly #gists = new RecentLinks(GISTS);
  /** Ids of pages that brought nothing, of late; a slot each. */
  readonly #useless = new Uint32Array(USELESS_REMEMBERED);
  readonly #hostOf: HostOf;
  readonly #known = new Map<number, HostKey | null>();
  readonly #rules: FeedbackRules;

  /** `hostOf`: the host of a URL that was admitted. */
  constructor(hostOf: HostOf, rules: FeedbackRules) {
    this.#hostOf = hostOf;
    this.#rules = rules;
    this.#domains = new Accounts(Math.ceil(rules.patternBudget * DOMAIN_SHARE), MOST_DOMAINS);
  }

  /**
   * Why a leased URL is not worth a request: the pattern that has had its budget; or null. "later": when more is known of
   * its domain. `requests`: those that its host has had. What was asked for by name, and sitemaps, are always worth one.
   */
  refusal(url: LeasedUrl, requests: number, now: Instant): string | "later" | null {
    if (this.#rules.patternBudget === 0 || isWanted(url)) return null;
    const memory = this.#hosts.get(url.host);
    return (memory === undefined ? null : refusalOf(url, memory)) ?? this.#refusalOfDomain(url, memory, requests, now);
  }

  /** A host is known by what its state says of it, if others have learnt more there, or an earlier run. */
  recall({ host, lessons }: Pick<HostState, "host" | "lessons">): void {
    if (lessons === null || lessons.budget !== this.#rules.patternBudget) return;
    if (lessons.pages <= (this.#hosts.get(host)?.pages ?? 0)) return;
    this.#hosts.delete(host);
    this.#put(host, memoryOf(lessons));
  }

  /** The state of a host, with what its pages have brought. */
  withLessons(state: HostState): HostState {
    this.recall(state);
    const memory = this.#hosts.get(state.host);
    if (memory === undefined || memory.patterns.size === 0) return state;
    memory.told ??= lessonsOf(memory, this.#rules.patternBudget);
    return { ...state, lessons: memory.told };
  }

  #refusalOfDomain(url: LeasedUrl, memory: HostMemory | undefined, requests: number, now: Instant): string | null {
    if (this.#domains.size === 0 || isProven(memory, requests)) return null;
    const domain = registrableDomain(hostnameOf(url.host));
    if (!this.#domains.has(domain)) return null;
    if (!this.#domains.admits(domain, url.id)) return `*.${domain}`;
    return memory === undefined && !this.#mayTry(domain, url.host, now) ? "later" : null;
  }

  #mayTry(domain: string, host: HostKey, now: Instant): boolean {
    let trials = this.#trials.get(domain);
    if (trials === undefined) {
      trials = new Map();
      this.#trials.set(domain, trials);
      if (this.#trials.size > MOST_DOMAINS) this.#trials.delete(this.#trials.keys().next().value!);
    }
    for (const [other, since] of trials) if (this.#hosts.has(other) || now - since > TRIAL_MS) trials.delete(other);
    if (trials.has(host)) return true;
    if (trials.size >= TRIALS) return false;
    trials.set(host, now);
    return true;
  }

  /** Pages were fetched. Of each, whether it is much like another of its host, or empty. */
  async learn(lessons: readonly Lesson[]): Promise<boolean[]> {
    const hosts = await Promise.all(lessons.map(({ copy }) => this.#hostOfOriginal(copy)));
    return lessons.map(({ visited, copy }, nth) => this.#learn(visited, copy, hosts[nth]!));
  }

  /** `host`: of what it is a copy of. */
  #learn(visited: Visited, copy: CopyOf, host: HostKey | null): boolean {
    const { url } = visited.lease;
    const saysNothingNew = this.#isKnown(visited);
    const original = copy.duplicateOf ?? copy.nearDuplicateOf;
    // Of one template are the goods of a shop, and the days of a calendar: what they say tells one from the other.
    if (copy.nearDuplicateOf !== null && !saysNothingNew) return host === url.host;
    if (original !== null && host !== null && host !== url.host) {
      if (isWhole(visited)) this.#chargeLater(url, original, host);
      return false;
    }
    const cost = original === null ? this.#costOf(visited, saysNothingNew) : 1;
    if (cost === 0) this.#reward(url);
    else this.#chargePattern(url, cost, copy.duplicateOf);
    return cost > 0;
  }

  /** A URL's turn is over, whatever it brought: others of its domain may be tried. */
  ended({ host }: LeasedUrl): void {
    if (this.#trials.size > 0) this.#trials.get(registrableDomain(hostnameOf(host)))?.delete(host);
  }

  /** A page was the host's way to say that there is none. */
  missing({ lease }: Visited): void {
    this.#chargePattern(lease.url, 1, NOT_FOUND);
  }

  /** Of a page that is no copy. */
  #costOf({ lease, page, outcome, links }: Visited, saysNothingNew: boolean): number {
    if (outcome.kind === "answer" && outcome.bytes === 0) return 1;
    const { href, via } = lease.url;
    if (page?.simhash === null && saysNothingNew)
      return this.#wasUseless(via) ? COST_OF_SHORT_LED_TO_BY_USELESS : COST_OF_SHORT;
    return href.includes("&") && urlPattern(href).faceted && !leadsOn(href, links) ? 1 : 0;
  }

  #wasUseless(urlId: number): boolean {
    return urlId > 0 && this.#useless[urlId % USELESS_REMEMBERED] === urlId;
  }

  /**
   * Whether a page of late had the same words and pictures: short texts on its own host, long ones anywhere. Also when
   * words are not known.
   */
  #isKnown({ lease, gist, page }: Visited): boolean {
    if (gist === undefined) return page?.simhash !== null;
    const [hi, lo] = hashText(page?.simhash === null ? `${lease.url.host} ${gist}` : gist);
    return this.#gists.met(hi, lo);
  }

  /** `original`: what the page is a copy of to the byte, or null. */
  #chargePattern(url: LeasedUrl, cost: number, original: number | null): void {
    this.#useless[url.id % USELESS_REMEMBERED] = url.id;
    const memory = this.#remember(url.host, url.id);
    const { pattern, wider, combined } = urlPattern(url.href);
    learns(memory);
    memory.patterns.charge(pattern, url.id, cost);
    if (wider !== null && (combined || isSameAgain(memory, wider, original)))
      memory.patterns.charge(wider, url.id, cost);
  }

  /** Of two hosts that have the same page the one that came later pays, whichever was asked first. */
  #chargeLater(url: LeasedUrl, original: number, other: HostKey): void {
    const here = this.#remember(url.host, url.id);
    const there = this.#remember(other, original);
    const [later, host, urlId, earlier] =
      here.first > there.first ? [here, url.host, url.id, other] : [there, other, original, url.host];
    learns(here);
    learns(there);
    later.mirrors = earlier;
    later.copied++;
    // It was taken for a page of its own until the earlier host had it too.
    if (later === there && later.useful > 0) later.useful--;
    later.patterns.charge(MIRROR, urlId);
    const domain = registrableDomain(hostnameOf(host));
    if (domain === registrableDomain(hostnameOf(earlier))) this.#domains.charge(domain, urlId);
  }

  #reward(url: LeasedUrl): void {
    const memory = this.#hosts.get(url.host) ?? (this.#isOfBusyDomain(url.host) && this.#remember(url.host, url.id));
    if (!memory) return;
    const { pattern, wider } = urlPattern(url.href);
    learns(memory);
    memory.patterns.reward(pattern, url.id);
    if (wider !== null) memory.patterns.reward(wider, url.id);
    memory.patterns.reward(MIRROR, url.id);
    // What an old host brings says nothing of whether the domain's new ones are worth a visit; of mirrors one is always first.
    if (memory.useful++ < PROVEN_BY && memory.copied === 0)
      this.#domains.reward(registrableDomain(hostnameOf(url.host)), url.id);
  }

  #isOfBusyDomain(host: HostKey): boolean {
    return this.#domains.size > 0 && this.#domains.has(registrableDomain(hostnameOf(host)));
  }

  #remember(host: HostKey, urlId: number): HostMemory {
    let memory = this.#hosts.get(host);
    if (memory === undefined) {
      memory = newMemory(this.#rules.patternBudget, urlId);
    } else this.#hosts.delete(host);
    this.#put(host, memory); // last used is last in the map's order
    memory.first = Math.min(memory.first, urlId);
    return memory;
  }

  #put(host: HostKey, memory: HostMemory): void {
    this.#hosts.set(host, memory);
    if (this.#hosts.size > MOST_HOSTS) this.#hosts.delete(this.#hosts.keys().next().value!);
  }

  /** Copies are held against the first of their kind: few URLs are asked for again and again. */
  #hostOfOriginal({ duplicateOf, nearDuplicateOf }: CopyOf): HostKey | null | Promise<HostKey | null> {
    const urlId = duplicateOf ?? nearDuplicateOf;
    if (urlId === null) return null;
    const known = this.#known.get(urlId);
    return known === undefined ? this.#askHost(urlId) : known;
  }

  async #askHost(urlId: number): Promise<HostKey | null> {
    const host = await this.#hostOf(urlId);
    this.#known.set(urlId, host);
    if (this.#known.size > MOST_KNOWN_HOSTS) this.#known.delete(this.#known.keys().next().value!);
    return host;
  }
}

const isWanted = (url: LeasedUrl): boolean => url.source === "added" || url.source === "sitemap" || isOfSeed(url);

function isProven(memory: HostMemory | undefined, requests: number): boolean {
  if (memory === undefined) return requests >= PROVEN_BY_REQUESTS;
  return memory.copied === 0 || (memory.useful >= PROVEN_BY && memory.useful > memory.copied);
}

function refusalOf({ href, id }: LeasedUrl, { patterns, mirrors }: HostMemory): string | null {
  if (patterns.closed === 0) return null;
  if (!patterns.admits(MIRROR, id)) return `copies of ${mirrors}`;
  const { pattern, wider } = urlPattern(href);
  if (!patterns.admits(pattern, id)) return pattern;
  if (wider === null || patterns.isProven(pattern) || patterns.admits(wider, id)) return null;
  return wider;
}

/**
 * Directories hold pages of all kinds, so that only one page under all names speaks against a whole one. The pages of an
 * older version, or of another language, are copies each of its own.
 */
function isSameAgain({ originals }: HostMemory, directory: string, original: number | null): boolean {
  if (original === null) return false;
  const before = originals.get(directory);
  originals.delete(directory);
  originals.set(directory, original);
  if (originals.size > MOST_PATTERNS_A_HOST) originals.delete(originals.keys().next().value!);
  return original === before || original === NOT_FOUND;
}

/** "It works!" stands on many hosts that are nobody's mirror: a few words, or a few bytes where words are not counted. */
function isWhole({ page, gist, outcome }: Visited): boolean {
  if (page?.simhash != null) return true;
  return gist === undefined && outcome.kind === "answer" && outcome.bytes >= LEAST_BYTES;
}

/** Whether a page of a list led to something that is not the same list in another order. */
function leadsOn(href: string, links: readonly NewUrl[]): boolean {
  const path = href.split("?", 1)[0]!;
  return links.some((link) => link.drop === undefined && link.href.split("?", 1)[0] !== path);
}
