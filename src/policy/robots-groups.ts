/** The lines of a robots.txt, gathered into groups (RFC 9309, sections 2.2.1 to 2.2.4). */
import type { RawRule } from "./robots-rule.ts";

export interface Group {
  /** Product tokens in lower case, or "*". */
  readonly agents: ReadonlySet<string>;
  readonly rules: readonly RawRule[];
}

export interface RobotsFile {
  readonly groups: readonly Group[];
  /** The longest Crawl-delay of each agent that has one. */
  readonly delaysMs: ReadonlyMap<string, number>;
  readonly sitemaps: readonly string[];
  readonly others: ReadonlyMap<string, number>;
}

/**
 * RFC 9309, 2.5: at least 500 KiB are parsed. A line that begins before this octet is read whole, others are not. (Google's
 * parser cuts lines at 16,664 octets: half a pattern is another pattern, and the RFC knows no such limit.)
 */
export const PARSED_OCTETS = 500 * 1024;

const MOST_SITEMAPS = 10_000;
const MOST_OTHERS = 100;

/** Names as people write them, with the misspellings that Google's parser takes for what they were meant to be. */
const RECORDS: Readonly<Record<string, "agent" | "allow" | "disallow" | "sitemap" | "delay">> = {
  "user-agent": "agent",
  useragent: "agent",
  "user agent": "agent",
  allow: "allow",
  disallow: "disallow",
  dissallow: "disallow",
  dissalow: "disallow",
  disalow: "disallow",
  diasllow: "disallow",
  disallaw: "disallow",
  sitemap: "sitemap",
  "site-map": "sitemap",
  "crawl-delay": "delay",
  crawldelay: "delay",
};

interface OpenGroup {
  readonly agents: Set<string>;
  readonly rules: RawRule[];
}

export function readGroups(body: string): RobotsFile {
  const groups: OpenGroup[] = [];
  const sitemaps = new Set<string>();
  const others = new Map<string, number>();
  let group: OpenGroup | null = null;
  // Only a rule ends the list of agents of a group: other records must not interfere with it (2.2.4). So "User-agent: *",
  // "Crawl-delay: 10", "User-agent: badbot", "Disallow: /" denies everybody, whatever its author meant.
  let agentsOpen = false;
  // No standard says to whom Crawl-delay applies. Files mean the agents just above it, so it ends a list of its own.
  const delaysMs = new Map<string, number>();
  let delayed: string[] = [];
  let delayedOpen = false;
  for (const { text, line } of linesOf(body)) {
    const record = recordOf(text);
    if (record === null) continue;
    const { name, value } = record;
    switch (RECORDS[name]) {
      case "agent":
        if (group === null || !agentsOpen) {
          group = { agents: new Set(), rules: [] };
          groups.push(group);
        }
        if (!delayedOpen) delayed = [];
        agentsOpen = delayedOpen = true;
        group.agents.add(agentOf(value));
        delayed.push(agentOf(value));
        break;
      case "allow":
      case "disallow":
        agentsOpen = delayedOpen = false;
        // An empty pattern matches nothing; rules before the first agent belong to nobody (2.2.2).
        if (group !== null && value !== "")
          group.rules.push({ allow: RECORDS[name] === "allow", pattern: value, line });
        break;
      case "delay":
        delayedOpen = false;
        for (const agent of delayed) delaysMs.set(agent, Math.max(delaysMs.get(agent) ?? 0, delayOf(value)));
        break;
      case "sitemap":
        if (value !== "" && sitemaps.size < MOST_SITEMAPS) sitemaps.add(value);
        break;
      default:
        if (others.has(name) || others.size < MOST_OTHERS) others.set(name, (others.get(name) ?? 0) + 1);
    }
  }
  return { groups, delaysMs, sitemaps: [...sitemaps], others };
}

/** Lines end with CR, LF or CRLF (2.2). */
function* linesOf(body: string): Generator<{ text: string; line: number }> {
  const end = /\r\n|\n|\r/g;
  let from = 0;
  let octets = 0;
  for (let line = 1; from < body.length && octets < PARSED_OCTETS; line++) {
    const found = end.exec(body);
    const to = found?.index ?? body.length;
    const text = body.slice(from, to);
    octets += octetsOf(text) + (found?.[0].length ?? 0);
    yield { text, line };
    if (found === null) return;
    from = end.lastIndex;
  }
}

function octetsOf(text: string): number {
  let octets = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) octets += code >= 0x800 && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return octets;
}

function recordOf(line: string): { name: string; value: string } | null {
  let text = line;
  // Comments end a line; so does NUL, which no text holds.
  const end = text.search(/[#\0]/);
  if (end !== -1) text = text.slice(0, end);
  text = text.trim(); // which takes a byte order mark away too
  if (text === "") return null;
  const colon = text.indexOf(":");
  if (colon === -1) return null;
  return { name: text.slice(0, colon).trimEnd().toLowerCase(), value: text.slice(colon + 1).trimStart() };
}

/** "FooBot/1.2 beta" -> "foobot"; "*" may be followed by anything that no token holds ("*<BR>"). */
function agentOf(value: string): string {
  if (/^\*(?![\w-])/.test(value)) return "*";
  return /^[\w-]*/.exec(value)![0].toLowerCase();
}

/** Seconds, fractions allowed; anything else is no delay. */
function delayOf(value: string): number {
  const number = /^\d*\.?\d+(?=$|[\s<])|^\d+\.(?=$|[\s<])/.exec(value)?.[0];
  return number === undefined ? 0 : Math.min(Number(number) * 1000, Number.MAX_SAFE_INTEGER);
}
