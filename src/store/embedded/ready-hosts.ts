/** Hosts that could give a lease, by tier: a heap each. Nearly all crawls have one tier, and a few at most. */
import type { ActiveHost } from "./active-host.ts";
import { ReadyHeap } from "./ready-heap.ts";

export class ReadyHosts {
  /** In order; a tier that was used once stays. */
  readonly #tiers: { readonly tier: number; readonly hosts: ReadyHeap }[] = [];

  /** The hosts of each tier, the lowest first. */
  get tiers(): readonly { readonly hosts: ReadyHeap }[] {
    return this.#tiers;
  }

  /** Puts the host where its tier and its clock say, whether or not it was there. */
  place(host: ActiveHost): void {
    this.#of(host.tier).place(host);
  }

  remove(host: ActiveHost): void {
    if (host.heapIndex !== -1) this.#of(host.tier).remove(host);
  }

  /** The host is of another tier from now on. */
  move(host: ActiveHost, tier: number): void {
    if (tier === host.tier) return;
    const isIn = host.heapIndex !== -1;
    this.remove(host);
    host.tier = tier;
    if (isIn) this.place(host);
  }

  #of(tier: number): ReadyHeap {
    let at = 0;
    while (at < this.#tiers.length && this.#tiers[at]!.tier < tier) at++;
    if (this.#tiers[at]?.tier !== tier) this.#tiers.splice(at, 0, { tier, hosts: new ReadyHeap() });
    return this.#tiers[at]!.hosts;
  }
}
