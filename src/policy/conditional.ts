/**
 * When a page that comes back is asked for only if it has changed, with the validators that came with it (RFC 9110,
 * section 13), and which hosts are not to be believed when they say that it has not. Pure.
 */
import type { History, Validators } from "../model/history.ts";
import type { HostAgain } from "../model/host.ts";

export interface ConditionalRules {
  /** One look of so many asks for the whole page, whatever the server has said; 1: all do. */
  readonly wholeEvery: number;
}

/** Those that tell one content of a page from another: an empty field does not, nor does "*", which stands for any. */
export function tellingApart({ etag, lastModified }: Validators): Validators {
  return { etag: etag === "" || etag === "*" ? null : etag, lastModified: lastModified === "" ? null : lastModified };
}

/** How a page was asked for again: with its validators, without them although it has some, or it has none. */
export type Asked = "conditional" | "whole" | "plain";

/** The attempt that is to be made, of this turn of the URL. */
export interface Asking {
  readonly urlId: number;
  readonly attempt: number;
}

/**
 * How a page is to be asked for whose content, with this history, is in the archive. Weak validators will do: what they
 * call equal is what a reader would. A second attempt is for the whole: the first may have failed by its validators.
 */
export function askedHow(
  { etag, lastModified, unread, checks }: Validators & Pick<History, "unread" | "checks">,
  { urlId, attempt }: Asking,
  host: HostAgain | null,
  { wholeEvery }: ConditionalRules,
): Asked {
  if (etag === null && lastModified === null) return "plain";
  if (attempt > 1) return "whole";
  const from = checks === unread ? firstWhole(urlId, wholeEvery) : wholeFrom(urlId, wholeEvery);
  return host?.liar === true || unread + 1 >= from ? "whole" : "conditional";
}

/** What a server answers to a request whose fields it will not take: too long, not as it likes them, or not fulfilled. */
const REFUSALS: ReadonlySet<number> = new Set([400, 412, 431]);

/** Whether a conditional request was refused for what made it one. It says nothing of the page. */
export const refusesCondition = (status: number): boolean => REFUSALS.has(status);

/** Pages that were met together are not all asked for whole together: a quarter sooner or later, by the URL. */
const wholeFrom = (urlId: number, wholeEvery: number): number =>
  Math.max(1, Math.round(wholeEvery * (0.75 + spread(urlId) / 2)));

/**
 * While a page was never asked for whole again, at any look of so many: a host that lies is seen to by the first looks at
 * its pages together. What it hides is held to change rarely, and ten looks at one page would take years.
 */
const firstWhole = (urlId: number, wholeEvery: number): number => 1 + Math.floor(spread(urlId) * wholeEvery);

/** By the URL: 0 <= x < 1. */
const spread = (urlId: number): number => (Math.imul(urlId, 0x9e3779b1) >>> 0) / 2 ** 32;

/** A look at a page of the host that had validators. */
export interface Looked {
  readonly asked: Exclude<Asked, "plain">;
  readonly changed: boolean;
  /** What came with the content seen before, and what comes now; of an answer without a body (304) the same again. */
  readonly before: Validators;
  readonly now: Validators;
}

/**
 * What a look tells of its host. It lies when a page has changed and its validator has not: asked "only if", it would have
 * said no. It lies too when changes are found by looks for the whole and not by others: then it says no to whoever asks
 * so. Each change that a look finds is evidence, by how much likelier it is of a liar than of an honest host, whose
 * changes fall to both kinds of looks as often as there are such looks (a cumulative sum test: Page 1954).
 */
export function hostAfter(again: HostAgain, { asked, changed, before, now }: Looked): HostAgain {
  const conditional = again.conditional + (asked === "conditional" ? 1 : 0);
  const whole = again.whole + (asked === "whole" ? 1 : 0);
  const share = whole / (conditional + whole);
  const evidence = asked === "whole" ? Math.log((1 - SLIPS) / share) : Math.log(SLIPS / (1 - share));
  const doubt = changed && !again.liar ? Math.max(again.doubt + evidence, 0) : again.doubt;
  const liar = again.liar || doubt >= CONVINCED || (changed && sameValidator(before, now));
  return { ...again, conditional, whole, doubt, liar };
}

/** The share of changes that even a liar lets be seen by looks of the other kind. */
const SLIPS = 0.02;
/** An honest host comes to be so doubted once in 100,000 changes or more. */
const CONVINCED = Math.log(100_000);

/** The one that a server would go by: the entity tag, where there is one (RFC 9110, section 13.2.2). */
function sameValidator(before: Validators, now: Validators): boolean {
  return before.etag === null ? before.lastModified === now.lastModified : before.etag === now.etag;
}
