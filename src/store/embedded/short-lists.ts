/**
 * Short lists, by number: each holds those of a host's waiting URLs that have most cash, a few, in memory alone. Each of them
 * still stands in the queue of its class.
 *
 * A list is a row of ids and a row of levels in two typed arrays, best first: the larger level of cash, of one level the
 * smaller id, which was admitted first. Behind the last stand levels of 0, which no URL on a list has; so whether a URL
 * comes onto a list that is full is read from its last place alone.
 */
import { SHORT_LIST } from "../../model/link.ts";

/** No list has this number. */
export const NO_LIST = 0;
const FIRST_LISTS = 64;
const GROWTH = 1.25;

export class ShortLists {
  #ids = new Uint32Array(FIRST_LISTS * SHORT_LIST);
  #levels = new Uint8Array(FIRST_LISTS * SHORT_LIST);
  /** Numbers of lists that are no more. */
  readonly #free: number[] = [];
  /** Lists from here on were never used. */
  #unused = NO_LIST + 1;

  /** A list with nothing on it. */
  make(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if ((this.#unused + 1) * SHORT_LIST > this.#ids.length) this.#grow();
    return this.#unused++;
  }

  /** Of a list with nothing on it: gives up its number. */
  remove(list: number): void {
    this.#free.push(list);
  }

  isEmpty(list: number): boolean {
    return this.#levels[list * SHORT_LIST] === 0;
  }

  /** Takes a URL in that is not on it, if there is room or another has less; that one goes. `level`: not 0. */
  offer(list: number, id: number, level: number): void {
    const last = (list + 1) * SHORT_LIST - 1;
    if (this.#isBefore(id, level, last)) this.#settle(list, last, id, level);
  }

  /** The level of a URL has risen, be it on the list or not. */
  raise(list: number, id: number, level: number): void {
    const last = (list + 1) * SHORT_LIST - 1;
    if (!this.#isBefore(id, level, last)) return;
    const at = this.#placeOf(list, id);
    this.#settle(list, at === -1 ? last : at, id, level);
  }

  /** It is not on it any more, if it was. */
  leave(list: number, id: number): void {
    const at = this.#placeOf(list, id);
    if (at !== -1) this.#cut(list, at);
  }

  /** The first; there is one. */
  peek(list: number): number {
    return this.#ids[list * SHORT_LIST]!;
  }

  /** Takes the first; there is one. */
  shift(list: number): number {
    const id = this.peek(list);
    this.#cut(list, list * SHORT_LIST);
    return id;
  }

  /** -1: it is not on the list. */
  #placeOf(list: number, id: number): number {
    const end = (list + 1) * SHORT_LIST;
    for (let at = list * SHORT_LIST; at < end && this.#levels[at] !== 0; at++) if (this.#ids[at] === id) return at;
    return -1;
  }

  #isBefore(id: number, level: number, at: number): boolean {
    const there = this.#levels[at]!;
    return level > there || (level === there && id < this.#ids[at]!);
  }

  /** Puts a URL where it belongs, at a place that is free for it or before. */
  #settle(list: number, from: number, id: number, level: number): void {
    const first = list * SHORT_LIST;
    let at = from;
    for (; at > first && this.#isBefore(id, level, at - 1); at--) {
      this.#ids[at] = this.#ids[at - 1]!;
      this.#levels[at] = this.#levels[at - 1]!;
    }
    this.#ids[at] = id;
    this.#levels[at] = level;
  }

  #cut(list: number, at: number): void {
    const end = (list + 1) * SHORT_LIST;
    this.#ids.copyWithin(at, at + 1, end);
    this.#levels.copyWithin(at, at + 1, end);
    this.#levels[end - 1] = 0;
  }

  #grow(): void {
    const length = Math.ceil((this.#ids.length / SHORT_LIST) * GROWTH) * SHORT_LIST;
    const ids = new Uint32Array(length);
    ids.set(this.#ids);
    this.#ids = ids;
    const levels = new Uint8Array(length);
    levels.set(this.#levels);
    this.#levels = levels;
  }
}
