/** A host's URLs that wait, in their classes, and whose turn it is among these (promise 4 of the port). */
import type { Instant } from "../../base/clock.ts";
import type { HostKey } from "../../model/host.ts";
import { PRIORITIES, SHORT_LIST, SHORT_LIST_TURNS, strideOf } from "../../model/link.ts";

/** What is known of a host while its URLs are pending. */
export interface Queue {
  readonly host: HostKey;
  readyAt: Instant;
  tier: number;
  leased: number;
  /** Given back: they go before all others. */
  readonly returned: number[];
  /** Ids in order of admission, by class. */
  readonly classes: readonly number[][];
  /** When each class is served next, in the host's time. */
  readonly turns: number[];
  /** The turn of a class that was served last. */
  time: number;
  /** Of those in the classes, the ones of most cash, the first in front. */
  short: Listed[];
  /** Turns that the short list has had since a class had one. */
  shortTurns: number;
}

interface Listed {
  readonly id: number;
  readonly level: number;
}

/** Of a host of which nothing is pending yet. */
export function newQueue(host: HostKey, readyAt: Instant, tier: number): Queue {
  const classes = Array.from({ length: PRIORITIES }, (): number[] => []);
  const turns = classes.map(() => 0);
  return { host, readyAt, tier, leased: 0, returned: [], classes, turns, time: 0, short: [], shortTurns: 0 };
}

export const queued = ({ classes, returned }: Queue): number =>
  classes.reduce((sum, ids) => sum + ids.length, returned.length);

export function push(queue: Queue, id: number, priority: number): void {
  const to = queue.classes[priority]!;
  if (queue.classes.every((ids) => ids.length === 0)) queue.time = 0;
  if (to.length === 0) queue.turns[priority] = queue.time + strideOf(priority);
  to.push(id);
}

/** Takes in what waits in a class, or what it has risen to; the list keeps those of most cash, of equals the earlier ones. */
export function offer(queue: Queue, id: number, level: number): void {
  if (!queue.classes.some((ids) => ids.includes(id))) return;
  const listed = [...queue.short.filter((other) => other.id !== id), { id, level }];
  queue.short = listed.sort((a, b) => b.level - a.level || a.id - b.id).slice(0, SHORT_LIST);
}

/** The next id: the first of the short list when it has the turn; else of the class whose turn comes first, of equals the lower class. */
export function shift(queue: Queue): number {
  const isListed = queue.short.length > 0 && queue.shortTurns < SHORT_LIST_TURNS;
  queue.shortTurns = isListed ? queue.shortTurns + 1 : 0;
  const id = isListed ? queue.short[0]!.id : nextOfClasses(queue);
  for (const ids of queue.classes) if (ids.includes(id)) ids.splice(ids.indexOf(id), 1);
  queue.short = queue.short.filter((other) => other.id !== id);
  return id;
}

function nextOfClasses(queue: Queue): number {
  const waiting = queue.classes.flatMap((ids, priority) => (ids.length > 0 ? [priority] : []));
  const next = waiting.reduce((best, priority) => (queue.turns[priority]! < queue.turns[best]! ? priority : best));
  queue.time = queue.turns[next]!;
  queue.turns[next]! += strideOf(next);
  return queue.classes[next]![0]!;
}
