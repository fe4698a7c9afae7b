/** A host that cannot be spoken to: it is waited for, and given up in the end. */
import type { Instant } from "../base/clock.ts";
import { type HostDeath, NEVER_AGAIN } from "../model/host.ts";
import type { Verdict } from "../model/lease.ts";
import type { HostEntry } from "./hosts.ts";

/** Give up a host after so many more failures in a row than a URL has tries. */
export const HOST_PATIENCE = 2;

/** One more failure of a host that could not be spoken to at all: wait for it, or give it up. */
export function hostFailed(entry: HostEntry, cause: HostDeath, says: string, tries: number): Verdict {
  entry.backoffSays = says;
  if (++entry.unreachable < tries) return { kind: "again" };
  giveUp(entry, cause);
  return { kind: "end", end: cause, detail: says };
}

export function giveUp(entry: HostEntry, cause: HostDeath): void {
  entry.state = { ...entry.state, dead: cause };
}

/** A host that was given up is asked again after so long, in ms; the time doubles from one vain time to the next. */
const LEFT_ALONE_MS = 3_600_000;
const MOST_LEFT_ALONE_MS = 30 * 86_400_000;

/** A page of the host has come back: if the host was given up, and long enough ago, it has a new chance. */
export function tryAgain(entry: HostEntry, now: Instant): void {
  const { dead, delayUntil, again } = entry.state;
  if (dead === null) return;
  const { revived } = again ?? NEVER_AGAIN;
  if (now < delayUntil + Math.min(LEFT_ALONE_MS * 2 ** revived, MOST_LEFT_ALONE_MS)) return;
  entry.unreachable = 0;
  entry.state = { ...entry.state, dead: null, again: { ...(again ?? NEVER_AGAIN), revived: revived + 1 } };
}

/** It has answered. */
export function reached(entry: HostEntry): void {
  const { again } = entry.state;
  entry.unreachable = 0;
  if (again !== null && again.revived > 0) entry.state = { ...entry.state, again: { ...again, revived: 0 } };
}
