/** robots.txt as RFC 9309 says, with Google's published reading where the RFC is silent. Time linear in file and path. */
import { type Group, readGroups } from "./robots-groups.ts";
import { comparable, compile, isSearch, matches, type Rule, sieveOf } from "./robots-rule.ts";

export interface RobotsRules {
  /** Rule sets that all must allow: our own (or that of `*`), then those of each agent also obeyed. Strongest rule first. */
  readonly sets: readonly (readonly Rule[])[];
  /** The longest Crawl-delay of the groups obeyed, in ms; 0 when there is none. Not capped. */
  readonly crawlDelayMs: number;
  /** Values of Sitemap lines, each once, as written; they belong to the file, not to a group. */
  readonly sitemaps: readonly string[];
  /** How often each other record stood in the file, by lower-case name: "host", "clean-param"... At most 100 names. */
  readonly others: ReadonlyMap<string, number>;
}

export interface RobotsDecision {
  readonly allowed: boolean;
  /** The deciding rule as written, "Disallow: /private", or null when none matched. */
  readonly rule: string | null;
  /** Its line in the file, from 1. */
  readonly line: number | null;
}

const NO_RULE: RobotsDecision = { allowed: true, rule: null, line: null };
const IMPLICIT: RobotsDecision = {
  allowed: true,
  rule: "robots.txt itself is always allowed (RFC 9309, 2.2.2)",
  line: null,
};

/**
 * Characters of the path that rules with wildcards may search in one decision, all together. The sieve leaves honest
 * files of thousands of such rules far below; a file and a path made to hurt each other are denied rather than tried to
 * the end.
 */
const MOST_STEPS = 400_000;
/** Before so many it does not pay to sift the path. */
const FREE_STEPS = 2_000;
const TOO_MUCH: RobotsDecision = {
  allowed: false,
  rule: "denied, because it has more rules with wildcards than are ever tried on one URL",
  line: null,
};

/**
 * The rules of `body` for the agent whose product token is `agentToken` ("trawlbot", or a whole user agent that begins
 * with it). The groups of the tokens in `also` are obeyed on top of our own, without falling back to `*`.
 * Anything parses: bad lines are skipped.
 */
export function parseRobots(body: string, agentToken: string, also: readonly string[] = []): RobotsRules {
  const file = readGroups(body);
  const obeyed = [isNamed(file.groups, productToken(agentToken)) ? productToken(agentToken) : "*"];
  for (const other of also) if (isNamed(file.groups, productToken(other))) obeyed.push(productToken(other));
  return {
    sets: obeyed.map((agent) => ruleSet(file.groups, agent)).filter((rules) => rules.length > 0),
    crawlDelayMs: Math.max(...obeyed.map((agent) => file.delaysMs.get(agent) ?? 0)),
    sitemaps: file.sitemaps,
    others: file.others,
  };
}

/** Whether `href`, an absolute URL as WHATWG prints it, of the origin that the file was fetched for, may be fetched. */
export function decide(rules: RobotsRules, href: string): RobotsDecision {
  if (rules.sets.length === 0) return NO_RULE;
  const path = comparable(pathOf(href));
  if (path === "/robots.txt") return IMPLICIT;
  let decision = NO_RULE; // that of the last set in which a rule matched; a denial is final
  let mayMatch: ((rule: Rule) => boolean) | null = null;
  let steps = 0;
  for (const set of rules.sets) {
    for (const rule of set) {
      if (isSearch(rule)) {
        if (!path.startsWith(rule.pieces[0]!) || mayMatch?.(rule) === false) continue;
        steps += path.length;
        if (steps > FREE_STEPS) mayMatch ??= sieveOf(path);
        if (steps > MOST_STEPS) return TOO_MUCH;
      }
      if (!matches(rule, path)) continue;
      decision = { allowed: rule.allow, rule: rule.text, line: rule.line };
      break;
    }
    if (!decision.allowed) break;
  }
  return decision;
}

function isNamed(groups: readonly Group[], token: string): boolean {
  return token !== "" && groups.some((group) => group.agents.has(token));
}

/** The product token that a user agent begins with, in lower case: "TrawlBot/1.0 (+https://...)" -> "trawlbot". */
function productToken(agent: string): string {
  return /^[\w-]*/.exec(agent.trim())![0].toLowerCase();
}

/** The longest pattern wins, in octets; of equals Allow (RFC 9309, 2.2.2). So sorted, the first match decides. */
function ruleSet(groups: readonly Group[], agent: string): Rule[] {
  const rules = groups.filter((group) => group.agents.has(agent)).flatMap((group) => group.rules.map(compile));
  return rules.sort((a, b) => b.octets - a.octets || Number(b.allow) - Number(a.allow) || a.line - b.line);
}

function pathOf(href: string): string {
  const authority = href.indexOf("://") + 3;
  let start = authority;
  for (; start < href.length; start++) {
    const code = href.charCodeAt(start);
    if (code === 47 || code === 63 || code === 35) break; // "/", "?", "#"
  }
  const fragment = href.indexOf("#", start);
  const path = href.slice(start, fragment === -1 ? undefined : fragment);
  return path.startsWith("/") ? path : `/${path}`;
}
