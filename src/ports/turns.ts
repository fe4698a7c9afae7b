/** Address clocks: whose turn it is to speak to an IP address. All hosts on one address share its clock (SPEC 4). */
import type { Instant } from "../base/clock.ts";

export type Turn = { readonly granted: true } | { readonly granted: false; readonly tryAt: Instant };

export interface Turns {
  /**
   * Waits a little for the address to be due, then takes it; or says when to try again. What is taken must be given
   * back, whatever happens.
   */
  take(address: string, signal?: AbortSignal): Promise<Turn>;
  /** Gives a turn back: the next one starts at `readyAt` or later. */
  give(address: string, readyAt: Instant): void;
}
