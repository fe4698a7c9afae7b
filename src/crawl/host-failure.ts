/** A host that cannot be spoken to: it is waited for, and given up in the end. */
import type { HostDeath } from "../model/host.ts";
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
