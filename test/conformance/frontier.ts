/** What every back end must prove: each promise of ports/frontier.ts and ports/revisits.ts, on a clock that the test owns. */
import { afterEach, describe } from "node:test";
import type { FrontierState } from "../../src/ports/frontier.ts";
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

/** Promises 1 to 7, and what is asked of the state: of a back end that keeps no cash, and where nothing comes back. */
export function plainConformance(name: string, makeStore: () => Store<FrontierState>): void {
  suite(name, makeStore, plain);
}

/** `countsLinks`: whether the back end makes promise 8, which one without ids does not. */
export function frontierConformance(name: string, makeStore: () => Store, { countsLinks = true } = {}): void {
  suite(name, makeStore, (begin) => {
    plain(begin);
    if (countsLinks) links(begin);
    revisits(begin);
  });
}

function plain(begin: Begin): void {
  admission(begin);
  politeness(begin);
  leases(begin);
  order(begin);
  tiers(begin);
  restarts(begin);
  counts(begin);
  records(begin);
}

function suite<B extends FrontierState>(
  name: string,
  makeStore: () => Store<B>,
  parts: (begin: Begin<B>) => void,
): void {
  describe(`frontier: ${name}`, () => {
    let world: World<B>;
    afterEach(() => world.close());
    parts(async (options) => {
      world = await World.open(makeStore(), { leaseMs: LEASE_MS, ...options });
      return world;
    });
  });
}
