/** What every back end must prove: each promise of ports/frontier.ts and ports/revisits.ts, on a clock that the test owns. */
import { afterEach, describe } from "node:test";
import { admission } from "./frontier/admission.ts";
import { counts } from "./frontier/counts.ts";
import { leases } from "./frontier/leases.ts";
import { links } from "./frontier/links.ts";
import { order } from "./frontier/order.ts";
import { politeness } from "./frontier/politeness.ts";
import { records } from "./frontier/records.ts";
import { restarts } from "./frontier/restarts.ts";
import { revisits } from "./frontier/revisits.ts";
import { tiers } from "./frontier/tiers.ts";
import { type Begin, LEASE_MS, type Store, World } from "./frontier-world.ts";

/** `countsLinks`: whether the back end makes promise 8, which one without ids does not. */
export function frontierConformance(name: string, makeStore: () => Store, { countsLinks = true } = {}): void {
  describe(`frontier: ${name}`, () => {
    let world: World;
    const begin: Begin = async (options) => {
      world = await World.open(makeStore(), { leaseMs: LEASE_MS, ...options });
      return world;
    };
    afterEach(() => world.close());

    admission(begin);
    politeness(begin);
    leases(begin);
    order(begin);
    tiers(begin);
    if (countsLinks) links(begin);
    restarts(begin);
    counts(begin);
    records(begin);
    revisits(begin);
  });
}
