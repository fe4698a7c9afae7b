/**
 * Hosts that could give a lease, the one due first in front: a heap of four children a place, in which each host's place
 * is known. It holds numbers in typed arrays alone: hosts are all over memory, and one that moves is not touched itself.
 */
import type { ActiveHost } from "./active-host.ts";
import type { ActiveHosts } from "./active-hosts.ts";

const CHILDREN = 4;
const FIRST_PLACES = 1024;
export const NOWHERE = -1;

/** The place of each active host in the heap that it is in, by its number. */
export class HostPlaces {
  readonly #hosts: ActiveHosts;
  #places = new Int32Array(FIRST_PLACES).fill(NOWHERE);

  constructor(hosts: ActiveHosts) {
    this.#hosts = hosts;
  }

  hostOf(number: number): ActiveHost {
    return this.#hosts.hostOf(number);
  }

  /** -1: in none. */
  placeOf(number: number): number {
    return this.#places[number] ?? NOWHERE;
  }

  setPlace(number: number, place: number): void {
    while (number >= this.#places.length) this.#grow();
    this.#places[number] = place;
  }

  #grow(): void {
    const longer = new Int32Array(this.#places.length * 2).fill(NOWHERE, this.#places.length);
    longer.set(this.#places);
    this.#places = longer;
  }
}

export class ReadyHeap {
  readonly #places: HostPlaces;
  #length = 0;
  /** By place: `readyAt` of the host as it was when it was placed, its id and its number. */
  #times = new Float64Array(FIRST_PLACES);
  #ids = new Uint32Array(FIRST_PLACES);
  #numbers = new Uint32Array(FIRST_PLACES);

  constructor(places: HostPlaces) {
    this.#places = places;
  }

  /** The host due first, of equals the one known longest; undefined when there is none. */
  get first(): ActiveHost | undefined {
    return this.#length === 0 ? undefined : this.#places.hostOf(this.#numbers[0]!);
  }

  /** When the first is due; Infinity when there is none. */
  get firstAt(): number {
    return this.#length === 0 ? Number.POSITIVE_INFINITY : this.#times[0]!;
  }

  /** Puts the host where its `readyAt` says, whether or not it was in the heap. */
  place({ number, id, readyAt }: ActiveHost): void {
    let place = this.#places.placeOf(number);
    if (place === NOWHERE) {
      place = this.#length++;
      if (place === this.#times.length) this.#grow();
    } else if (this.#times[place] === readyAt) return;
    this.#settle(place, readyAt, id, number);
  }

  remove({ number }: ActiveHost): void {
    const place = this.#places.placeOf(number);
    if (place === NOWHERE) return;
    this.#places.setPlace(number, NOWHERE);
    const last = --this.#length;
    if (place !== last) this.#settle(place, this.#times[last]!, this.#ids[last]!, this.#numbers[last]!);
  }

  /** Puts a host where it belongs, seen from a place that is free for it. */
  #settle(from: number, time: number, id: number, number: number): void {
    const up = this.#up(from, time, id);
    const at = up === from ? this.#down(from, time, id) : up;
    this.#times[at] = time;
    this.#ids[at] = id;
    this.#numbers[at] = number;
    this.#places.setPlace(number, at);
  }

  #up(from: number, time: number, id: number): number {
    let at = from;
    while (at > 0) {
      const parent = Math.floor((at - 1) / CHILDREN);
      if (!this.#isBefore(time, id, parent)) break;
      this.#move(parent, at);
      at = parent;
    }
    return at;
  }

  #down(from: number, time: number, id: number): number {
    const length = this.#length;
    let at = from;
    for (;;) {
      const child = CHILDREN * at + 1;
      if (child >= length) return at;
      let first = child;
      const end = Math.min(child + CHILDREN, length);
      for (let next = child + 1; next < end; next++)
        if (this.#isBefore(this.#times[next]!, this.#ids[next]!, first)) first = next;
      if (this.#isBefore(time, id, first)) return at;
      this.#move(first, at);
      at = first;
    }
  }

  /** Whether a host goes before the one at this place. Ids grow in the order in which hosts became known. */
  #isBefore(time: number, id: number, place: number): boolean {
    const there = this.#times[place]!;
    return time < there || (time === there && id < this.#ids[place]!);
  }

  #move(from: number, to: number): void {
    const number = this.#numbers[from]!;
    this.#times[to] = this.#times[from]!;
    this.#ids[to] = this.#ids[from]!;
    this.#numbers[to] = number;
    this.#places.setPlace(number, to);
  }

  #grow(): void {
    const length = this.#times.length * 2;
    const { times, ids, numbers } = { times: this.#times, ids: this.#ids, numbers: this.#numbers };
    this.#times = new Float64Array(length);
    this.#ids = new Uint32Array(length);
    this.#numbers = new Uint32Array(length);
    this.#times.set(times);
    this.#ids.set(ids);
    this.#numbers.set(numbers);
  }
}
