/** A visit to a page, settled: whether it was the page, what becomes of its URL, of its links and of its cookies. */
import type { HostDeath } from "../model/host.ts";
import { isWebHost } from "../model/host.ts";
import type { Verdict } from "../model/lease.ts";
import type { NewUrl } from "../model/link.ts";
import type { Visited } from "../model/visited.ts";
import { judge } from "../policy/judge.ts";
import type { AfterAnswer } from "../ports/cookies.ts";
import type { Judged, SettleContext } from "./context.ts";
import { giveUp, HOST_PATIENCE } from "./host-failure.ts";
import type { HostEntry } from "./hosts.ts";

export function settlePage(visited: Visited, entry: HostEntry, context: SettleContext): Judged {
  const { rules } = context;
  const { outcome } = visited;
  if (outcome.kind === "failure" && UNREACHABLE.has(outcome.cause)) {
    if (++entry.unreachable >= rules.tries + HOST_PATIENCE) giveUp(entry, outcome.cause as HostDeath);
  }
  const verdict = judged(visited, entry, context);
  if (outcome.kind === "answer" && isWebHost(entry.state.host))
    context.cookies.keep(visited.lease.url, visited.href, outcome.setCookies, afterAnswer(verdict));
  return { verdict, links: linksAfter(visited, verdict), robots: null };
}

function judged(visited: Visited, entry: HostEntry, { rules, random, softNotFound }: SettleContext): Verdict {
  const verdict = judge(visited, { hostReadyAt: entry.state.readyAt, random: random() }, rules.judge);
  const isMissing = verdict.kind === "end" && verdict.end === "fetched" && softNotFound.isOne(visited);
  return isMissing ? { kind: "end", end: "soft-404" } : verdict;
}

function afterAnswer(verdict: Verdict): AfterAnswer {
  if (verdict.kind === "follow") return "redirected";
  if (verdict.kind === "end") return verdict.end === "redirected" ? "redirected" : "ended";
  return "retried";
}

function linksAfter({ links }: Visited, verdict: Verdict): readonly NewUrl[] {
  if (verdict.kind === "follow") return [];
  if (verdict.kind !== "end") return links;
  if (verdict.end === "redirect-loop" || verdict.end === "soft-404") return [];
  return links;
}

const UNREACHABLE: ReadonlySet<string> = new Set(["connect", "timeout", "tls"]);
