/**
 * Active hosts, by number and by name. The names are found by open addressing (linear probing) in one typed array: nearly
 * every link of some crawls leads to a host that nobody has looked at for long, and a map of the language waits for memory
 * twice as often.
 */
import { fmix } from "../../base/hash.ts";
import type { HostKey } from "../../model/host.ts";
import type { ActiveHost } from "./active-host.ts";

const FIRST_SLOTS = 1024;
const MAX_LOAD = 0.7;
/** Words of a slot: the hash of the name, and the host's number plus 1; 0 where no host is. */
const SLOT = 2;
/** Of this process: nobody can choose names that fall into one place. */
const SEED = Math.floor(Math.random() * 2 ** 32);

export class ActiveHosts implements Iterable<ActiveHost> {
  readonly #hosts: (ActiveHost | undefined)[] = [];
  readonly #free: number[] = [];
  #slots = new Uint32Array(FIRST_SLOTS * SLOT);
  #mask = FIRST_SLOTS - 1;

  get size(): number {
    return this.#hosts.length - this.#free.length;
  }

  /** One that is there. */
  hostOf(number: number): ActiveHost {
    return this.#hosts[number]!;
  }

  find(name: HostKey): ActiveHost | undefined {
    const hash = hashOf(name);
    const slots = this.#slots;
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const number = slots[slot * SLOT + 1]!;
      if (number === 0) return undefined;
      if (slots[slot * SLOT] !== hash) continue;
      const host = this.#hosts[number - 1]!;
      if (host.name === name) return host;
    }
  }

  /** Takes in a host whose name is not there, and gives it a number. */
  add(host: ActiveHost): void {
    host.number = this.#free.pop() ?? this.#hosts.length;
    this.#hosts[host.number] = host;
    if (this.size > (this.#mask + 1) * MAX_LOAD) this.#grow();
    this.#put(hashOf(host.name), host.number + 1);
  }

  /** The host is there; its number may be another's from now on. */
  delete(host: ActiveHost): void {
    this.#cut(host);
    this.#hosts[host.number] = undefined;
    this.#free.push(host.number);
  }

  *[Symbol.iterator](): IterableIterator<ActiveHost> {
    for (const host of this.#hosts) if (host !== undefined) yield host;
  }

  #put(hash: number, entry: number): void {
    let slot = hash & this.#mask;
    while (this.#slots[slot * SLOT + 1] !== 0) slot = (slot + 1) & this.#mask;
    this.#slots[slot * SLOT] = hash;
    this.#slots[slot * SLOT + 1] = entry;
  }

  /** Empties the host's slot; those behind it that would not be found any more move up (Knuth, algorithm 6.4R). */
  #cut({ name, number }: ActiveHost): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let hole = hashOf(name) & mask;
    while (slots[hole * SLOT + 1] !== number + 1) hole = (hole + 1) & mask;
    for (let slot = (hole + 1) & mask; slots[slot * SLOT + 1] !== 0; slot = (slot + 1) & mask) {
      const home = slots[slot * SLOT]! & mask;
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      slots[hole * SLOT] = slots[slot * SLOT]!;
      slots[hole * SLOT + 1] = slots[slot * SLOT + 1]!;
      hole = slot;
    }
    slots[hole * SLOT + 1] = 0;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    this.#mask = before.length - 1;
    for (let at = 0; at < before.length; at += SLOT) if (before[at + 1] !== 0) this.#put(before[at]!, before[at + 1]!);
  }
}

/** Two characters a step (FNV-1a), mixed at the end. */
function hashOf(name: string): number {
  let hash = SEED;
  const even = name.length & ~1;
  for (let i = 0; i < even; i += 2)
    hash = Math.imul(hash ^ (name.charCodeAt(i) | (name.charCodeAt(i + 1) << 16)), 0x01000193);
  if (even < name.length) hash = Math.imul(hash ^ name.charCodeAt(even), 0x01000193);
  return fmix(hash) >>> 0;
}
