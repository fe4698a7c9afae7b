/** What settle.lua is told of a verdict. */
import { never } from "../../../base/result.ts";
import type { Lease } from "../../../model/lease.ts";
import type { Settled } from "../../../ports/frontier.ts";
import { endLetter, tailOf } from "./rows.ts";

/** Of each lease. */
export const WORDS_A_LEASE = 7;

/** The verdict, and its argument. */
export function verdictWords({ url }: Lease, verdict: Settled["verdict"]): [string, string] {
  switch (verdict.kind) {
    case "end":
      return [verdict.dropped === true ? "drop" : "end", endLetter(verdict.end)];
    case "retry":
      return ["retry", String(verdict.at)];
    case "follow":
      return ["follow", tailOf({ ...url, href: verdict.href, hops: verdict.hops }, url.admittedAt)];
    case "again":
      return ["again", ""];
    default:
      return never(verdict);
  }
}
