/** Hosts that could give a lease, the one due first in front: a binary heap in which each host knows its place. */
import type { ActiveHost } from "./active-host.ts";

const FIRST_PLACES = 1024;

export class ReadyHeap {
  readonly #hosts: ActiveHost[] = [];
  /** `readyAt` of each, as it was when the host was placed: beside each other, since the hosts themselves are all over memory. */
  #times = new Float64Array(FIRST_PLACES);

  /** The host due first, of equals the one known longest; undefined when there is none. */
  get first(): ActiveHost | undefined {
    return this.#hosts[0];
  }

  /** Puts the host where its `readyAt` says, whether or not it was in the heap. */
  place(host: ActiveHost): void {
    if (host.heapIndex === -1) {
      host.heapIndex = this.#hosts.length;
      this.#hosts.push(host);
      if (this.#hosts.length > this.#times.length) this.#grow();
    } else if (this.#times[host.heapIndex] === host.readyAt) return;
    this.#settle(host, host.heapIndex);
  }

  remove(host: ActiveHost): void {
    const index = host.heapIndex;
    if (index === -1) return;
    host.heapIndex = -1;
    const last = this.#hosts.pop()!;
    if (last !== host) this.#settle(last, index);
  }

  /** Puts the host where it belongs, seen from a place that is free for it. */
  #settle(host: ActiveHost, from: number): void {
    const at = this.#up(from, host);
    this.#set(at === from ? this.#down(from, host) : at, host);
  }

  #up(index: number, host: ActiveHost): number {
    let at = index;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(host, parent)) break;
      this.#move(parent, at);
      at = parent;
    }
    return at;
  }

  #down(index: number, host: ActiveHost): number {
    const length = this.#hosts.length;
    let at = index;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) break;
      if (child + 1 < length && this.#isBefore(this.#hosts[child + 1]!, child, this.#times[child + 1])) child++;
      if (this.#isBefore(host, child)) break;
      this.#move(child, at);
      at = child;
    }
    return at;
  }

  /** Whether a host, due at `readyAt`, goes before the one at this place. Ids grow in the order in which hosts became known. */
  #isBefore(host: ActiveHost, place: number, readyAt = host.readyAt): boolean {
    const there = this.#times[place]!;
    return readyAt < there || (readyAt === there && host.id < this.#hosts[place]!.id);
  }

  #move(from: number, to: number): void {
    const host = this.#hosts[from]!;
    this.#hosts[to] = host;
    this.#times[to] = this.#times[from]!;
    host.heapIndex = to;
  }

  #set(at: number, host: ActiveHost): void {
    this.#hosts[at] = host;
    this.#times[at] = host.readyAt;
    host.heapIndex = at;
  }

  #grow(): void {
    const longer = new Float64Array(this.#times.length * 2);
    longer.set(this.#times);
    this.#times = longer;
  }
}
