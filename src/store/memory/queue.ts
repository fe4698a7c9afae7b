/** A host's URLs that wait, in their classes, and whose turn it is among these (promise 4 of the port). */
import type { Instant } from "../../base/clock.ts";
import type { HostKey } from "../../model/host.ts";
import { PRIORITIES, RAISED_AT_ONCE, strideOf } from "../../model/link.ts";

/** What is known of a host while its URLs are pending. */
export interface Queue {
  readonly host: HostKey;
  readyAt: Instant;
  tier: number;
  leased: number;
  /** Given back: they go before all others. */
  readonly returned: number[];
  readonly classes: readonly Class[];
  /** When each class is served next, in the host's time. */
  readonly turns: number[];
  /** The turn that was served last; 0 while no class has a URL. */
  time: number;
}

interface Class {
  /** Admitted to it. */
  readonly own: number[];
  /** Raised to it by links. */
  readonly raised: number[];
  /** One of its own is next, where there are both. */
  ownNext: boolean;
}

/** Of a host of which nothing is pending yet. */
export function newQueue(host: HostKey, readyAt: Instant, tier: number): Queue {
  const classes = Array.from({ length: PRIORITIES }, (): Class => ({ own: [], raised: [], ownNext: false }));
  return { host, readyAt, tier, leased: 0, returned: [], classes, turns: classes.map(() => 0), time: 0 };
}

const sizeOf = ({ own, raised }: Class): number => own.length + raised.length;
export const queued = (queue: Queue): number =>
  queue.classes.reduce((sum, one) => sum + sizeOf(one), queue.returned.length);

export function push(queue: Queue, id: number, priority: number, lane: "own" | "raised" = "own"): void {
  const to = queue.classes[priority]!;
  if (sizeOf(to) === 0) queue.turns[priority] = queue.time + strideOf(priority);
  to[lane].push(id);
}

/** The next id of the class whose turn comes first, of equals the lower class. */
export function shift(queue: Queue): number {
  const waiting = queue.classes.flatMap((one, priority) => (sizeOf(one) > 0 ? [priority] : []));
  const next = waiting.reduce((best, priority) => (queue.turns[priority]! < queue.turns[best]! ? priority : best));
  const from = queue.classes[next]!;
  const own = from.raised.length === 0 || (from.ownNext && from.own.length > 0);
  const id = (own ? from.own : from.raised).shift()!;
  from.ownNext = !own && from.raised.length > 0;
  queue.time = queue.classes.some((one) => sizeOf(one) > 0) ? queue.turns[next]! : 0;
  queue.turns[next]! += strideOf(next);
  return id;
}

/** The class that a URL waits in; -1 when it waits in none. */
export function classOf({ classes }: Queue, id: number): number {
  return classes.findIndex(({ own, raised }) => own.includes(id) || raised.includes(id));
}

/** Moves a URL from one class to another before it, unless so many were raised to that one already. */
export function raise(queue: Queue, id: number, from: number, to: number): void {
  if (queue.classes[to]!.raised.length >= RAISED_AT_ONCE) return;
  const left = queue.classes[from]!;
  for (const ids of [left.own, left.raised]) if (ids.includes(id)) ids.splice(ids.indexOf(id), 1);
  left.ownNext &&= left.raised.length > 0;
  push(queue, id, to, "raised");
}
