/**
 * A web of many small hosts on few addresses, odd ones among them, of which every crawl that is patient fetches the same
 * pages in whatever order: nothing in it is cut off by a count of what came before.
 */
import type { Rule } from "../web/behaviour.ts";
import type { FakeWebOptions } from "../web/options.ts";
import type { RobotsAnswer } from "../web/robots.ts";

/** Hosts that answer 429 ask to be left alone for so long. */
export const RETRY_AFTER_MS = 2_000;
export const LIMITED = ["h340.test", "h341.test"];

/** Hosts from 134 on lead to no further hosts: what is odd stands there, and hides nothing. */
const RULES: readonly Rule[] = [
  ...LIMITED.map(
    (host): Rule => ({
      host,
      behaviour: { kind: "limit", status: 429, after: 2, seconds: RETRY_AFTER_MS / 1_000, retryAfter: "seconds" },
    }),
  ),
  ...["h342.test", "h343.test", "h344.test"].map(
    (host): Rule => ({
      host,
      behaviour: { kind: "slow-first-byte", ms: 1_500 },
    }),
  ),
  { host: "h345.test", behaviour: { kind: "redirect", to: "http://h346.test:{port}/" } },
  // Its root also as links with utm_ parameters ask for it: which form a crawl meets first is chance.
  ...["/", "/?*"].map(
    (path): Rule => ({
      ...{ host: "h346.test", path },
      behaviour: { kind: "redirect", to: "http://h347.test:{port}/", status: 301 },
    }),
  ),
  { host: "h348.test", behaviour: { kind: "redirect-chain", hops: 2 } },
  { host: "h349.test", behaviour: { kind: "status", status: 404 } },
];

const ROBOTS: Readonly<Record<string, RobotsAnswer>> = {
  "h350.test": { kind: "rules", groups: [{ agents: ["*"], disallow: ["/"] }] },
  "h351.test": { kind: "rules", groups: [{ agents: ["*"], crawlDelay: 1 }] },
  "h352.test": {
    kind: "redirect",
    to: "/moved.txt",
    later: { kind: "rules", groups: [{ agents: ["*"], disallow: ["/wiki/", "/docs/", "/blog/"] }] },
  },
};

export function oddWeb(seed: number, pagesPerHost: number): FakeWebOptions {
  return {
    ...{ seed, pagesPerHost, hosts: 400, addresses: 40, bytes: [1_000, 4_000] },
    ...{ rules: RULES, robots: ROBOTS },
  };
}
