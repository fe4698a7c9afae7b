/**
 * What crawlers that share a crawl are at: visiting each page once, or again for ever, or a pass over what is due. All who
 * are at it are at the same. A pass is over what is due when it begins; who joins joins that, until when is a fact of the crawl.
 */
import type { Clock, Instant } from "../../base/clock.ts";
import type { Facts } from "../../store/cluster/facts.ts";
import type { Members } from "../../store/cluster/members.ts";
import { UsageError } from "../usage-error.ts";
import type { Revisits } from "./outcome.ts";

export interface JointParts {
  /** Of the crawl. */
  readonly name: string;
  readonly facts: Pick<Facts, "fact" | "replaceFact">;
  readonly members: Pick<Members, "others" | "say">;
  readonly clock: Clock;
}

/** A fact of the crawl: until when the last pass goes. */
const PASS = "duePass";

/** Until when the pass goes by now. */
export const passUntil = async (facts: Pick<Facts, "fact">): Promise<Instant> => Number(await facts.fact(PASS));

/**
 * Says to the others what this crawler is at, and hears it of them. Until when the pass goes that it begins, or joins; null:
 * it is none. Throws a `UsageError` when others are at something else.
 */
export async function joinOthers(
  revisits: Revisits,
  { name, facts, members, clock }: JointParts,
): Promise<Instant | null> {
  mustBeAlike(revisits, members, name);
  const until = revisits === "pass" ? await settlePass(facts, members, clock) : null;
  // Of two who come at the same moment each hears the other now, at the latest.
  await members.say({ does: revisits });
  mustBeAlike(revisits, members, name);
  return until;
}

/** Who has made up his mind after this one has looked first is at the same pass. */
async function settlePass(facts: JointParts["facts"], members: JointParts["members"], clock: Clock): Promise<Instant> {
  const first = await facts.fact(PASS);
  const isUnderWay = members.others.some(({ does }) => does === "pass");
  if (!isUnderWay) await facts.replaceFact(PASS, first, String(clock.now()));
  return passUntil(facts);
}

function mustBeAlike(revisits: Revisits, { others }: Pick<Members, "others">, name: string): void {
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
