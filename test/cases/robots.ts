/** Outside rows for policy/robots: source tests of Google, crawler-commons, Protego, reppy, robots-parser, and RFC 9309. */

import { decide, parseRobots } from "../../src/policy/robots.ts";
import { accessOf } from "../../src/policy/robots-access.ts";
import { PARSED_OCTETS } from "../../src/policy/robots-groups.ts";
import { jsonLines, judgeRows, same } from "./rows.ts";
import type { CaseSet } from "./run.ts";

interface Row {
  readonly id: string;
  readonly robots: string | { readonly b64: string };
  readonly agent: string;
  readonly url: string;
  readonly url_abs?: string;
  readonly allowed: boolean | null;
  readonly rfc9309_allowed: boolean;
  readonly grade: string;
  readonly mode?: unknown;
}

const textOf = (robots: Row["robots"]): string =>
  typeof robots === "string" ? robots : new TextDecoder().decode(Buffer.from(robots.b64, "base64"));

/** "*" in a row means: an agent that no group names. */
const NOBODY = "unnamed-agent";

function verdict(row: Row): boolean {
  const agent = row.agent === "*" ? NOBODY : row.agent;
  const url = URL.parse(row.url_abs ?? row.url, "http://example.com/")!;
  return decide(parseRobots(textOf(row.robots), agent), url.href).allowed;
}

function graded(name: string, binding: boolean, grades: readonly string[]): CaseSet {
  return {
    name,
    async run(casesDir) {
      const rows = (await jsonLines<Row>(casesDir, "robots/robots-rows.jsonl")).filter((row) =>
        grades.includes(row.grade),
      );
      return judgeRows(rows, binding, (row) =>
        same(
          `${row.id} ${row.agent} ${row.url} ${JSON.stringify(row.robots).slice(0, 200)}`,
          verdict(row),
          row.rfc9309_allowed,
        ),
      );
    },
  };
}

interface Extra {
  readonly id: string;
  readonly robots?: Row["robots"];
  readonly agent?: string | null;
  readonly kind: string;
  readonly value: unknown;
}

function extra(row: Extra): string | null {
  const rules = () => parseRobots(textOf(row.robots!), row.agent === "*" || !row.agent ? NOBODY : row.agent);
  const value = row.value as {
    status: number;
    allowed?: boolean;
    result?: string;
    max_age_h?: number;
    min_bytes?: number;
  };
  switch (row.kind) {
    case "crawl_delay_ms":
      return same(row.id, rules().crawlDelayMs || null, row.value);
    case "crawl_delay_s":
      return same(row.id, rules().crawlDelayMs / 1000 || null, row.value);
    case "sitemap_count":
      return same(row.id, rules().sitemaps.length, row.value);
    case "sitemaps":
      return same(row.id, rules().sitemaps, row.value);
    case "fetch_status": {
      const allowed = accessOf({ kind: "answer", status: value.status }) !== "unreachable";
      return same(`${row.id} ${value.status}`, allowed, value.allowed ?? !value.result!.startsWith("disallow"));
    }
    case "size_limit":
      return PARSED_OCTETS >= value.min_bytes! ? null : `${row.id}: parses ${PARSED_OCTETS} octets`;
    default:
      return null; // "cache", "host", "redirects" and others: nothing of ours answers to them in this form
  }
}

export const sets: readonly CaseSet[] = [
  graded("robots/must", true, ["must"]),
  graded("robots/rfc-supported", true, ["rfc-supported"]),
  graded("robots/other (RFC answer)", false, ["extension", "source-conflict"]),
  {
    name: "robots/extra",
    run: async (casesDir) => judgeRows(await jsonLines<Extra>(casesDir, "robots/robots-extra.jsonl"), false, extra),
  },
];
