/**
 * Active hosts, by number and by name. A name is found by open addressing (linear probing) over a typed array of hashes:
 * nearly every link of some crawls leads to a host that nobody has looked at for long, and a map of the language waits for
 * memory twice as often.
 */
import { fmix } from "../../base/hash.ts";
import type { HostKey } from "../../model/host.ts";
import type { ActiveHost } from "./active-host.ts";

const FIRST_SLOTS = 1024;
const MAX_LOAD = 0.7;
/** Of this process: nobody can choose names that fall into one place. */
const SEED = Math.floor(Math.random() * 2 ** 32);

export class ActiveHosts implements Iterable<ActiveHost> {
  readonly #hosts: (ActiveHost | undefined)[] = [];
  readonly #free: number[] = [];
  /** By slot: the hash of the name, and the host itself, so that both are on their way from memory at one time. */
  #hashes = new Uint32Array(FIRST_SLOTS);
  #inSlots = noHosts(FIRST_SLOTS);
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
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const host = this.#inSlots[slot]!;
      if (host === null) return undefined;
      if (this.#hashes[slot] === hash && host.name === name) return host;
    }
  }

  /** Takes in a host whose name is not there, and gives it a number. */
  add(host: ActiveHost): void {
    host.number = this.#free.pop() ?? this.#hosts.length;
    this.#hosts[host.number] = host;
    if (this.size > (this.#mask + 1) * MAX_LOAD) this.#grow();
    this.#put(hashOf(host.name), host);
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

  #put(hash: number, host: ActiveHost): void {
    let slot = hash & this.#mask;
    while (this.#inSlots[slot] !== null) slot = (slot + 1) & this.#mask;
    this.#hashes[slot] = hash;
    this.#inSlots[slot] = host;
  }

  /** Empties the host's slot; those behind it that would not be found any more move up (Knuth, algorithm 6.4R). */
  #cut(host: ActiveHost): void {
    const mask = this.#mask;
    let hole = hashOf(host.name) & mask;
    while (this.#inSlots[hole] !== host) hole = (hole + 1) & mask;
    for (let slot = (hole + 1) & mask; this.#inSlots[slot] !== null; slot = (slot + 1) & mask) {
      const home = this.#hashes[slot]! & mask;
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      this.#hashes[hole] = this.#hashes[slot]!;
      this.#inSlots[hole] = this.#inSlots[slot]!;
      hole = slot;
    }
    this.#inSlots[hole] = null;
  }

  #grow(): void {
    const hashes = this.#hashes;
    const hosts = this.#inSlots;
    const slots = hosts.length * 2;
    this.#hashes = new Uint32Array(slots);
    this.#inSlots = noHosts(slots);
    this.#mask = slots - 1;
    for (let slot = 0; slot < hosts.length; slot++) if (hosts[slot] !== null) this.#put(hashes[slot]!, hosts[slot]!);
  }
}

const noHosts = (slots: number): (ActiveHost | null)[] => new Array<ActiveHost | null>(slots).fill(null);

/** Two characters a step (FNV-1a), mixed at the end. */
function hashOf(name: string): number {
  let hash = SEED;
  const even = name.length & ~1;
  for (let i = 0; i < even; i += 2)
    hash = Math.imul(hash ^ (name.charCodeAt(i) | (name.charCodeAt(i + 1) << 16)), 0x01000193);
  if (even < name.length) hash = Math.imul(hash ^ name.charCodeAt(even), 0x01000193);
  return fmix(hash) >>> 0;
}
