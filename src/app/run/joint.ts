/**
 * What crawlers that share a crawl are at: visiting each page once, or again for ever, or a pass over what is due. All who
 * are at it are at the same. A pass is over what is due when it begins; who joins joins that, until when is a fact of the crawl.
 */
import type { Clock, Instant } from "../../base/clock.ts";
import type { Facts } from "../../store/cluster/crawl/facts.ts";
import type { Members } from "../../store/cluster/crew/members.ts";
import { UsageError } from "../usage-error.ts";
import type { Revisits } from "./outcome.ts";

export interface JointParts {
  /** Of the crawl. */
  readonly name: string;
  readonly facts: Pick<Facts, "fact" | "replaceFact" | "add">;
  readonly members: Pick<Members, "others" | "say">;
  readonly clock: Clock;
  /** How many there are. */
  pages(): Promise<number>;
}

/** What crawlers that visit pages again are at. */
export interface Joint {
  /** Of a due pass: what is due by then comes back. */
  readonly until: Instant;
  /** What `--limit` does not count of all visits that were ever counted (`addVisits`). */
  readonly before: number;
}

/** Facts of the crawl: what its crawlers are at, or were at last, as JSON; and the visits of all, first ones too. */
const JOINT = "joint";
const VISITS = "visits";

/** Counts visits to pages; those of all crawlers. */
export const addVisits = (facts: Pick<Facts, "add">, more: number): Promise<number> => facts.add(VISITS, more);

/** What they are at by now: who begins a pass while another comes to its end moves it on. */
export async function jointOf(facts: Pick<Facts, "fact">): Promise<Joint> {
  return JSON.parse((await facts.fact(JOINT)) ?? "null") ?? { until: Number.NEGATIVE_INFINITY, before: 0 };
}

/**
 * Says to the others what this crawler is at, and hears it of them. What they are at together; null when each page is
 * visited once. Throws a `UsageError` when others are at something else.
 */
export async function joinOthers(revisits: Revisits, parts: JointParts): Promise<Joint | null> {
  const { name, members } = parts;
  const joint = revisits === "none" ? null : await settled(revisits, parts);
  // Of two who come at the same moment each hears the other now, at the latest.
  await members.say({ does: revisits });
  mustBeAlike(revisits, members, name);
  return joint;
}

/** Who has made up his mind after this one has looked first is at the same. */
async function settled(revisits: Revisits, { facts, members, clock, pages }: JointParts): Promise<Joint> {
  const first = await facts.fact(JOINT);
  const isUnderWay = members.others.some(({ does }) => does === revisits);
  if (!isUnderWay) {
    const visits = await addVisits(facts, 0);
    // A pass has a limit of its own; of a crawl that goes on for ever the pages that are there count as well.
    const before = revisits === "pass" ? visits : visits - (await pages());
    await facts.replaceFact(JOINT, first, JSON.stringify({ until: clock.now(), before } satisfies Joint));
  }
  return jointOf(facts);
}

/** Throws a `UsageError` when others are at something else. */
export function mustBeAlike(revisits: Revisits, { others }: Pick<Members, "others">, name: string): void {
  const other = others.find(({ does }) => does !== null && does !== revisits);
  if (other === undefined) return;
  const theirs = IS_AT[other.does as Revisits] ?? other.does;
  throw new UsageError(
    "frontier",
    `the crawlers at ${name} ${theirs}, and this one would ${IS_AT[revisits]}; stop them first, or wait until they have ended`,
  );
}

const IS_AT: { readonly [R in Revisits]: string } = {
  none: "visit each page once",
  continuous: "visit pages again for ever (--continuous)",
  pass: "visit once more what is due (trawl recrawl)",
};
