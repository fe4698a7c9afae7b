/** A host with URLs pending, as memory holds it: its queues, its clock and its counts. */
import type { Instant } from "../../base/clock.ts";
import type { HostKey, HostState } from "../../model/host.ts";
import { SHORT_LIST_TURNS, strideOf } from "../../model/link.ts";
import { type ChunkStore, NO_QUEUE, Queues } from "./queues.ts";
import type { Return } from "./returns.ts";
import { NO_LIST, ShortLists } from "./short-lists.ts";
import type { UrlStates } from "./url-states.ts";

/** What hosts have waiting, of all of them. */
export class Waiting {
  readonly queues = new Queues();
  readonly shortLists = new ShortLists();
}

export class ActiveHost {
  readonly id: number;
  readonly name: HostKey;
  /** No lease before. */
  readyAt: Instant;
  tier: number;
  /** URLs admitted and not ended: queued + leased + delayed. */
  pending = 0;
  queued = 0;
  leased = 0;
  /** Among active hosts: given by `ActiveHosts`. */
  number = -1;
  /** What politeness remembers; undefined until it was read from disk. */
  state: HostState | null | undefined = undefined;
  /** Ids given back, which go before all others; null when there are none, as is nearly always so. */
  #returned: number[] | null = null;
  readonly #waiting: Waiting;
  /** The queue of the first class that it has; the others hang below, in order of class. */
  #first = NO_QUEUE;
  /** The turn of a class that was served last (promise 4 of the port). */
  #time = 0;
  /** None while nothing is on it. */
  #short = NO_LIST;
  /** Turns that it has had since a class had one. */
  #shortTurns = 0;

  constructor(id: number, name: HostKey, readyAt: Instant, tier: number, waiting: Waiting) {
    this.#waiting = waiting;
    this.id = id;
    this.name = name;
    this.readyAt = readyAt;
    this.tier = tier;
  }

  /** The queue of a class; made when it is missing. */
  #queue(priority: number): number {
    const { queues } = this.#waiting;
    let above = NO_QUEUE;
    let queue = this.#first;
    while (queue !== NO_QUEUE && queues.priorityOf(queue) < priority) {
      above = queue;
      queue = queues.below(queue);
    }
    if (queue !== NO_QUEUE && queues.priorityOf(queue) === priority) return queue;
    const made = queues.make(this.id, priority, queue);
    if (above === NO_QUEUE) this.#first = made;
    else queues.setBelow(above, made);
    return made;
  }

  /** True when its queue has become long enough for `spill` to do something. */
  push(id: number, priority: number): boolean {
    this.queued++;
    return this.#waiting.queues.push(this.#open(priority), id);
  }

  /** The queue of a class that is about to get a URL. */
  #open(priority: number): number {
    const { queues } = this.#waiting;
    const queue = this.#queue(priority);
    if (!queues.isEmpty(queue)) return queue;
    if (this.#nextQueue() === NO_QUEUE) this.#time = 0;
    queues.setTurn(queue, this.#time + strideOf(priority));
    return queue;
  }

  /** Writes what its queues hold too much of to disk. */
  spill(chunks: ChunkStore): void {
    const { queues } = this.#waiting;
    for (let queue = this.#first; queue !== NO_QUEUE; queue = queues.below(queue)) queues.spill(queue, chunks);
  }

  /** Queues one that comes back; it has been put on disk. */
  comeBack(one: Return, priority: number): void {
    this.#waiting.queues.comeBack(this.#open(priority), one);
    this.queued++;
  }

  /** Only when the host is found again: its chunks of a class on disk, from `first`, before `next`. */
  restoreChunks(priority: number, first: number, next: number): void {
    this.#waiting.queues.restore(this.#queue(priority), first, next);
  }

  /** Only when the host is found again: so many wait in its chunks of a class. */
  countInChunks(priority: number, ids: number): void {
    this.#waiting.queues.countInChunks(this.#queue(priority), ids);
    this.queued += ids;
  }

  /** Only when the host is found again: an id before the first chunk of its class, behind those given before. */
  restoreHead(id: number, priority: number): void {
    this.#waiting.queues.restoreHead(this.#queue(priority), id);
    this.queued++;
  }

  /** Only when the host is found again: so many of a class that come back are on disk. */
  restoreReturns(priority: number, count: number): void {
    this.#waiting.queues.restoreReturns(this.#queue(priority), count);
    this.queued += count;
  }

  /** For the short list, behind `push`. */
  offer(id: number, level: number): void {
    this.#waiting.shortLists.offer(this.#shortList(), id, level);
  }

  /** Something that waits in a class has risen in cash. */
  raise(id: number, level: number): void {
    this.#waiting.shortLists.raise(this.#shortList(), id, level);
  }

  #shortList(): number {
    if (this.#short === NO_LIST) this.#short = this.#waiting.shortLists.make();
    return this.#short;
  }

  /** Back before all others. */
  unshift(id: number): void {
    if (this.#returned === null) this.#returned = [id];
    else this.#returned.unshift(id);
    this.queued++;
  }

  /** Behind those given back, before the classes. */
  pushReturned(id: number): void {
    if (this.#returned === null) this.#returned = [id];
    else this.#returned.push(id);
    this.queued++;
  }

  /** The next id; the caller has seen that `queued` is not 0. */
  shift(chunks: ChunkStore, states: UrlStates): number {
    this.queued--;
    if (this.#returned !== null) {
      const id = this.#returned.shift()!;
      if (this.#returned.length === 0) this.#returned = null;
      return id;
    }
    if (this.#isShortNext()) {
      this.#shortTurns++;
      return this.#shiftShort(states);
    }
    this.#shortTurns = 0;
    const { queues, shortLists } = this.#waiting;
    const next = this.#nextQueue();
    if (next === NO_QUEUE) throw new Error(`host ${this.name} should have ${this.queued + 1} URLs queued and has none`);
    const id = queues.shift(next, chunks, states);
    if (id === 0) throw new Error(`a queue of host ${this.name} counts more than it holds`);
    this.#time = queues.turnOf(next);
    queues.setTurn(next, this.#time + strideOf(queues.priorityOf(next)));
    if (this.#short !== NO_LIST) shortLists.leave(this.#short, id);
    this.#letGo();
    return id;
  }

  /** Of a host that has nothing pending: lets go of its queues, and of what they still hold, the places of what has left them. */
  clear(chunks: ChunkStore): void {
    const { queues } = this.#waiting;
    for (let queue = this.#first; queue !== NO_QUEUE; ) {
      const below = queues.below(queue);
      queues.remove(queue, chunks);
      queue = below;
    }
    this.#first = NO_QUEUE;
  }

  /** The id that `shift` most likely gives next; 0 when memory does not know. */
  peek(states: UrlStates): number {
    if (this.#returned !== null) return this.#returned[0]!;
    if (this.#isShortNext()) return this.#waiting.shortLists.peek(this.#short);
    const next = this.#nextQueue();
    return next === NO_QUEUE ? 0 : this.#waiting.queues.peek(next, states);
  }

  /** Whether the short list has the turn, and something on it. */
  #isShortNext(): boolean {
    return this.#short !== NO_LIST && this.#shortTurns < SHORT_LIST_TURNS;
  }

  #shiftShort(states: UrlStates): number {
    const id = this.#waiting.shortLists.shift(this.#short);
    if (!states.leave(id)) throw new Error(`the short list of host ${this.name} has ${id}, which does not wait`);
    this.#waiting.queues.lose(this.#queue(states.classOf(id)));
    this.#letGo();
    return id;
  }

  #letGo(): void {
    const { shortLists } = this.#waiting;
    if (this.#short === NO_LIST || !shortLists.isEmpty(this.#short)) return;
    shortLists.remove(this.#short);
    this.#short = NO_LIST;
  }

  /** The queue whose turn it is; none when all are empty. */
  #nextQueue(): number {
    const { queues } = this.#waiting;
    let next = NO_QUEUE;
    for (let queue = this.#first; queue !== NO_QUEUE; queue = queues.below(queue))
      if (!queues.isEmpty(queue) && (next === NO_QUEUE || queues.turnOf(queue) < queues.turnOf(next))) next = queue;
    return next;
  }
}
