/**
 * Those of a host's waiting URLs that have most cash: a few, in memory alone. Each still stands in the queue of its class.
 *
 * A place is one number, so that they are compared and kept as such: the level of cash, and behind it the id turned
 * round. The larger comes first, which is of one level the URL that was admitted first.
 */
import { SHORT_LIST } from "../../model/link.ts";

const IDS = 2 ** 32;

const placeOf = (id: number, level: number): number => level * IDS + (IDS - 1 - id);
const idOf = (place: number): number => IDS - 1 - (place % IDS);

export class ShortList {
  /** Ascending. */
  readonly #places: number[] = [];

  get isEmpty(): boolean {
    return this.#places.length === 0;
  }

  /** Takes a URL in that is not on it, if there is room or another has less; that one goes. */
  offer(id: number, level: number): void {
    const places = this.#places;
    const place = placeOf(id, level);
    if (places.length === SHORT_LIST) {
      if (place < places[0]!) return;
      places.shift();
    }
    let at = places.push(place) - 1;
    for (; at > 0 && places[at - 1]! > place; at--) places[at] = places[at - 1]!;
    places[at] = place;
  }

  /** The level of a URL has risen. */
  raise(id: number, before: number, level: number): void {
    const at = this.#places.indexOf(placeOf(id, before));
    if (at !== -1) this.#places.splice(at, 1);
    this.offer(id, level);
  }

  /** It is not on it any more, if it was. */
  remove(id: number): void {
    const at = this.#places.findIndex((place) => idOf(place) === id);
    if (at !== -1) this.#places.splice(at, 1);
  }

  /** The first; there is one. */
  peek(): number {
    return idOf(this.#places.at(-1)!);
  }

  /** Takes the first; there is one. */
  shift(): number {
    return idOf(this.#places.pop()!);
  }
}
