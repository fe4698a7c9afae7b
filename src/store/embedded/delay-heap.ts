/** URLs that wait for a time of their own, the one due first in front (of equals the lower id). */
import type { Instant } from "../../base/clock.ts";
import type { ActiveHost } from "./active-host.ts";

export interface Delayed {
  readonly id: number;
  readonly at: Instant;
  readonly host: ActiveHost;
}

export class DelayHeap {
  readonly #items: Delayed[] = [];

  get size(): number {
    return this.#items.length;
  }

  get first(): Delayed | undefined {
    return this.#items[0];
  }

  push(item: Delayed): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(item, items[parent]!)) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  shift(): Delayed | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && before(items[child + 1]!, items[child]!)) child++;
      if (!before(items[child]!, last)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = last;
    return first;
  }

  /**
   * The smallest `timeOf(item)` of all items, if smaller than `bound`; else `bound`. `timeOf` never answers a time
   * before the item's own, so that what lies below a late item need not be looked at.
   */
  earliest(timeOf: (item: Delayed) => Instant, bound: Instant): Instant {
    let best = bound;
    const look = (at: number): void => {
      const item = this.#items[at];
      if (item === undefined || item.at >= best) return;
      best = Math.min(best, timeOf(item));
      look(2 * at + 1);
      look(2 * at + 2);
    };
    look(0);
    return best;
  }
}

const before = (a: Delayed, b: Delayed): boolean => a.at < b.at || (a.at === b.at && a.id < b.id);
