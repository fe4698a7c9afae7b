/** Why a URL is, was, or will be crawled or not: each decision about it with its rule. Pure but for the state it asks. */
import type { Instant } from "../../base/clock.ts";
import { hashText } from "../../base/hash.ts";
import { type HostKey, isWebHost } from "../../model/host.ts";
import type { VisitRecord } from "../../model/record.ts";
import type { RobotsCopy } from "../../model/robots-copy.ts";
import type { ParsedUrl } from "../../model/url.ts";
import { decide, parseRobots } from "../../policy/robots.ts";
import { historyOf, robotsInForce } from "../../policy/robots-access.ts";
import { TRAP_RULES, trapOf } from "../../policy/traps.ts";
import { urlKey } from "../../policy/url-key.ts";
import { urlPattern } from "../../policy/url-pattern.ts";
import type { StateQueries } from "../../ports/frontier.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import { configuredScope } from "../config/rules.ts";
import { productToken } from "../config/user-agent.ts";
import { counted, size, span, timeInUtc } from "../wording.ts";
import { looksSay } from "./due.ts";
import { END_WORDS } from "./summary.ts";

export interface ExplainContext {
  readonly config: CrawlConfig;
  /** Where redirects of seeds led: as good as seeds. */
  readonly moved: readonly string[];
  /** Null: nothing has been crawled yet; only the rules can be told. */
  readonly state: Pick<StateQueries, "find" | "byId" | "importance" | "host" | "robots" | "robotsReached"> | null;
  /** Why a host that is a literal address may not be spoken to, or null; null for every name. */
  readonly refuse: (hostname: string) => string | null;
  readonly now: Instant;
}

type Row = readonly [name: string, says: string];

/** Lines for people: a name and what is to be said about it. */
export async function explain(url: ParsedUrl, context: ExplainContext): Promise<string[]> {
  const { config, state } = context;
  const key = urlKey(url.parts);
  const rows: Row[] = [
    ["fetch form", url.href],
    ["key", key === (url.href as string) ? "the same" : key],
    ["scope", scopeSays(url, context)],
    ...(url.href.length > config.maxUrlLength
      ? [["length", `${url.href.length} characters; at most ${config.maxUrlLength} (--max-url-length)`] as const]
      : []),
    ["trap", trapSays(url, context)],
    ["robots", await robotsSays(url, context)],
    ["address", await addressSays(url, context)],
    ...(state === null ? [] : await stateRows(key, url.host, state, context)),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, says]) => `${name.padEnd(width)}  ${says}`);
}

function scopeSays(url: ParsedUrl, { config, moved }: ExplainContext): string {
  const seeds = [...config.seeds, ...moved];
  if (seeds.includes(url.href)) return "inside: a seed";
  if (seeds.length === 0 && config.scope !== "any") return "not known: there are no seeds (name a crawl with --dir)";
  const decision = configuredScope(config, seeds)(url);
  return `${decision.inside ? "inside" : "outside"}: ${decision.rule}`;
}

function trapSays(url: ParsedUrl, { config, now }: ExplainContext): string {
  const trap = trapOf(url.parts, now);
  if (trap === null) {
    const { pattern } = urlPattern(url.href);
    const isCounted = config.patternBudget > 0 && url.href !== url.host + pattern;
    return isCounted ? `none by itself; one of ${pattern}` : "none";
  }
  return `${trap.rule}: ${TRAP_RULES.find((rule) => rule.name === trap.rule)!.says} (${trap.saw})`;
}

async function robotsSays(url: ParsedUrl, { config, state, now }: ExplainContext): Promise<string> {
  if (!config.robots) return "not asked for (--no-robots)";
  if (!isWebHost(url.host)) return "none: there is no robots.txt but on the web";
  const latest = (await state?.robots(url.host)) ?? null;
  if (latest === null) return "not fetched yet: the crawl asks for it before the first page of the host";
  const reached = latest.access === "unreachable" ? ((await state?.robotsReached(url.host)) ?? null) : null;
  const { access, copy } = robotsInForce(historyOf(latest, reached), now);
  const source =
    copy === latest ? copySays(copy, now) : `${copySays(copy, now)}; out of reach since: ${copySays(latest, now)}`;
  if (access === "allow-all") return `allowed: the host has no robots.txt (${source})`;
  if (access === "unreachable") return `not now: robots.txt is out of reach (${source})`;
  const rules = parseRobots(copy.body, productToken(config.userAgent) ?? "*");
  const { allowed, rule, line } = decide(rules, url.href);
  const by = rule === null ? "no rule matches" : line === null ? rule : `line ${line}, ${rule}`;
  const delay = rules.crawlDelayMs > 0 ? `; Crawl-delay ${span(rules.crawlDelayMs)}` : "";
  return `${allowed ? "allowed" : "denied"}: ${by} (${source})${delay}`;
}

function copySays({ id, host, href, fetchedAt, status, failure }: RobotsCopy, now: Instant): string {
  const from = (href as string) === `${host}/robots.txt` ? "" : `, from ${href}`;
  return `copy ${id} of ${timeInUtc(fetchedAt)}, ${span(now - fetchedAt)} ago, ${failure ?? `status ${status}`}${from}`;
}

async function addressSays(url: ParsedUrl, { state, refuse }: ExplainContext): Promise<string> {
  const refusal = refuse(url.parts.hostname);
  if (refusal !== null) return `refused: ${refusal}; --allow-net opens it`;
  if (!isWebHost(url.host)) return "none: nobody is asked for it";
  const host = (await state?.host(url.host)) ?? null;
  if (host === null) return "not looked up yet";
  const dead = host.dead === null ? "" : `; given up for this crawl (${host.dead})`;
  return `${host.address ?? "none known"}${dead}`;
}

async function stateRows(
  key: string,
  host: HostKey,
  state: NonNullable<ExplainContext["state"]>,
  { now }: ExplainContext,
): Promise<Row[]> {
  const [fpHi, fpLo] = hashText(key);
  const record = await state.find({ host, fpHi, fpLo });
  if (record === null) return [["state", "unknown to this crawl: never found, or never admitted"]];
  const via = record.via === 0 ? null : await state.byId(record.via);
  const found = record.via === 0 ? "" : ` on ${via?.href ?? `URL ${record.via}`}`;
  const { readyAt = 0 } = (await state.host(host)) ?? {};
  const waits = readyAt > now ? `; its host may be asked again in ${span(readyAt - now)}` : "";
  return [
    ["found", `as ${record.source}${found}, depth ${record.depth}, ${timeInUtc(record.admittedAt)}`],
    ...(record.visit !== null && record.visit.href !== record.href ? [["asked as", record.visit.href] as const] : []),
    ["importance", importanceSays(await state.importance(record.id))],
    ["state", record.state === "ended" ? "ended" : `${record.state}${waits}`],
    ...(record.visit === null ? [] : visitRows(record.visit)),
    ...(record.dueAt === null ? [] : [["next look", dueSays(record.dueAt, record.visit, now)] as const]),
  ];
}

function dueSays(dueAt: Instant, visit: VisitRecord | null, now: Instant): string {
  const when = dueAt <= now ? "due" : `in ${span(dueAt - now)}`;
  return visit?.history == null ? when : `${when}; ${looksSay(visit.history)}`;
}

function importanceSays(cash: number): string {
  if (cash === 0) return "not kept";
  return `${cash < 0.001 ? cash.toExponential(1) : Number(cash.toPrecision(2))} of a seed's, by the links to it met so far`;
}

function visitRows(visit: VisitRecord): Row[] {
  const { end, detail, capture, page } = visit;
  const words = end === "retry" ? "tried again later" : end === "follow" ? "redirected to itself" : END_WORDS[end];
  const rows: (Row | null)[] = [
    [
      end === "retry" || end === "follow" ? "last visit" : "end",
      `${end}: ${words}${detail === null ? "" : ` (${detail})`}`,
    ],
    visit.status === null
      ? null
      : [
          "answer",
          `status ${visit.status}, ${visit.contentType || "no type"}, ${size(visit.bytes)}, attempt ${visit.attempt}, ${timeInUtc(visit.startedAt)}, in ${span(visit.endedAt - visit.startedAt)}`,
        ],
    !visit.address ? null : ["asked", visit.address],
    visit.redirectTo === null ? null : ["leads to", visit.redirectTo],
    visit.robotsId === 0 ? null : ["under", `copy ${visit.robotsId} of robots.txt`],
    page === null
      ? null
      : [
          "page",
          [
            page.title === null ? "no title" : JSON.stringify(page.title),
            `${counted(page.linksFound, "link")} found`,
            ...(page.noindex ? ["noindex"] : []),
            ...(page.nofollow ? ["nofollow"] : []),
            ...(page.readError === null ? [] : [page.readError]),
          ].join(", "),
        ],
    visit.duplicateOf === null ? null : ["same as", `URL ${visit.duplicateOf}, to the byte`],
    visit.nearDuplicateOf === null ? null : ["much like", `URL ${visit.nearDuplicateOf}, by its text`],
    page?.canonical == null ? null : ["canonical", page.canonical],
    capture === null
      ? null
      : [
          "archived",
          `archive/${capture.response.file} at byte ${capture.response.offset}, ${capture.digest}${capture.truncated === null ? "" : `, truncated (${capture.truncated})`}`,
        ],
  ];
  return rows.filter((row) => row !== null);
}
