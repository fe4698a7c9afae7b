/** Hosts that could give a lease, the one due first in front: a binary heap in which each host knows its place. */
import type { ActiveHost } from "./active-host.ts";

export class ReadyHeap {
  readonly #hosts: ActiveHost[] = [];

  /** The host due first, of equals the one known longest; undefined when there is none. */
  get first(): ActiveHost | undefined {
    return this.#hosts[0];
  }

  /** Puts the host where its `readyAt` says, whether or not it was in the heap. */
  place(host: ActiveHost): void {
    if (host.heapIndex === -1) {
      host.heapIndex = this.#hosts.length;
      this.#hosts.push(host);
    }
    this.#down(this.#up(host.heapIndex));
  }

  remove(host: ActiveHost): void {
    const index = host.heapIndex;
    if (index === -1) return;
    host.heapIndex = -1;
    const last = this.#hosts.pop()!;
    if (last === host) return;
    this.#set(index, last);
    this.#down(this.#up(index));
  }

  #up(index: number): number {
    const host = this.#hosts[index]!;
    let at = index;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(host, this.#hosts[parent]!)) break;
      this.#set(at, this.#hosts[parent]!);
      at = parent;
    }
    this.#set(at, host);
    return at;
  }

  #down(index: number): void {
    const host = this.#hosts[index]!;
    const length = this.#hosts.length;
    let at = index;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) break;
      if (child + 1 < length && before(this.#hosts[child + 1]!, this.#hosts[child]!)) child++;
      if (!before(this.#hosts[child]!, host)) break;
      this.#set(at, this.#hosts[child]!);
      at = child;
    }
    this.#set(at, host);
  }

  #set(index: number, host: ActiveHost): void {
    this.#hosts[index] = host;
    host.heapIndex = index;
  }
}

/** Ids of hosts grow in the order in which the hosts became known. */
const before = (a: ActiveHost, b: ActiveHost): boolean =>
  a.readyAt < b.readyAt || (a.readyAt === b.readyAt && a.id < b.id);
