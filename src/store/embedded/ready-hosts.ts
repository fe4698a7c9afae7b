/** Hosts that could give a lease, by tier: a heap each. Nearly all crawls have one tier, and a few at most. */
import type { ActiveHost } from "./active-host.ts";
import type { ActiveHosts } from "./active-hosts.ts";
import { HostPlaces, NOWHERE, ReadyHeap } from "./ready-heap.ts";

export class ReadyHosts {
  readonly #places: HostPlaces;
  /** In order; a tier that was used once stays. */
  readonly #tiers: { readonly tier: number; readonly hosts: ReadyHeap }[] = [];

  constructor(hosts: ActiveHosts) {
    this.#places = new HostPlaces(hosts);
  }

  /** The hosts of each tier, the lowest first. */
  get tiers(): readonly { readonly hosts: ReadyHeap }[] {
    return this.#tiers;
  }

  has(host: ActiveHost): boolean {
    return this.#places.placeOf(host.number) !== NOWHERE;
  }

  /** Puts the host where its tier and its clock say, whether or not it was there. */
  place(host: ActiveHost): void {
    this.#of(host.tier).place(host);
  }

  remove(host: ActiveHost): void {
    if (this.has(host)) this.#of(host.tier).remove(host);
  }

  /** The host is of another tier from now on. */
  move(host: ActiveHost, tier: number): void {
    if (tier === host.tier) return;
    const isIn = this.has(host);
    this.remove(host);
    host.tier = tier;
    if (isIn) this.place(host);
  }

  #of(tier: number): ReadyHeap {
    let at = 0;
    while (at < this.#tiers.length && this.#tiers[at]!.tier < tier) at++;
    if (this.#tiers[at]?.tier !== tier) this.#tiers.splice(at, 0, { tier, hosts: new ReadyHeap(this.#places) });
    return this.#tiers[at]!.hosts;
  }
}
