/** Address clocks: whose turn it is to speak to an IP address. All hosts on one address share its clock (SPEC 4). */
import type { Instant } from "../base/clock.ts";

export type Turn =
  /** `until`: when it is given to others, whatever has become of it; Infinity where it never is. */
  { readonly granted: true; readonly until: Instant } | { readonly granted: false; readonly tryAt: Instant };

export interface Turns {
  /**
   * Waits a little for the address to be due, but not beyond `until`, then takes it; or says when to try again. What is
   * taken must be given back, whatever happens, and nothing may be asked for by it that would not have ended by the turn's
   * own `until`.
   */
  take(address: string, until: Instant, signal?: AbortSignal): Promise<Turn>;
  /** Gives a turn back: the next one starts at `readyAt` or later. */
  give(address: string, readyAt: Instant): void;
}
