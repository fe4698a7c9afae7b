/**
 * How large a Bloom filter is that keeps all bits of a fingerprint in one block of 512 (Putze, Sanders, Singler 2007), so that one
 * read and one write of 64 bytes do for it; what that costs in room; and how many URLs such filters lose. The filters
 * themselves are where they are asked: store/cluster/lua/filter.lua.
 */
import { filterSize, lostBy } from "./probes.ts";
import { layerRate } from "./scalable-bloom.ts";

const BLOCK_BITS = 512;

export interface BlockedSize {
  readonly blocks: number;
  /** Bits that each fingerprint sets. */
  readonly hashes: number;
}

/** Fingerprints that a layer is made for, and its size. */
export interface Layer extends BlockedSize {
  readonly capacity: number;
}

/** Halvings of an interval: to a part in a million. */
const HALVINGS = 20;

/** The least filter that, with `capacity` fingerprints in it, is wrong of others with probability `rate`. */
function blockedSize(capacity: number, rate: number): BlockedSize {
  // Of a block that has more than the mean more bits are set than of all together: fewer a fingerprint are best.
  let { hashes } = filterSize(capacity, rate);
  let load = fullLoad(hashes, rate);
  for (; hashes > 1; hashes--) {
    const less = fullLoad(hashes - 1, rate);
    if (less <= load) break;
    load = less;
  }
  return { blocks: Math.ceil(capacity / load), hashes };
}

/** How often such a filter with `count` fingerprints in it is wrong of others. */
const blockedRate = ({ blocks, hashes }: BlockedSize, count: number): number => rateAt(count / blocks, hashes);

/**
 * Layers of a filter that grows, each wrong half as often as the one before it, so that all of them, however many come, are wrong
 * with twice the probability of the first at most. What comes after the first is a quarter of it, and then twice as large each
 * time: a filter that has a little more than was expected takes a quarter more room, not three times as much.
 */
export function layersOf(capacity: number, firstRate: number, most: number): Layer[] {
  const layers: Layer[] = [];
  for (let room = capacity, all = 0; all < most; all += room) {
    if (layers.length > 0) room = layers.length === 1 ? Math.ceil(capacity / 4) : 2 * room;
    layers.push({ capacity: room, ...blockedSize(room, layerRate(2 * firstRate, layers.length)) });
  }
  return layers;
}

/** How many new fingerprints layers, filled one after the other, have probably refused while they took `count`. */
export function refusedBy(layers: readonly Layer[], count: number): number {
  let refused = 0;
  let below = 0; // the rate of the layers that were full while this one was filled
  let left = count;
  for (const [nth, layer] of layers.entries()) {
    const here = nth === layers.length - 1 ? left : Math.min(left, layer.capacity);
    if (here === 0) break;
    const full = here === layer.capacity;
    refused += (full ? whenFull(layer) : lossOf(layer, here)) + here * below;
    below += blockedRate(layer, here);
    left -= here;
  }
  return refused;
}

const known = new WeakMap<Layer, number>();

function whenFull(layer: Layer): number {
  const kept = known.get(layer);
  if (kept !== undefined) return kept;
  const loss = lossOf(layer, layer.capacity);
  known.set(layer, loss);
  return loss;
}

const lossOf = (layer: BlockedSize, count: number): number => lostBy((some) => blockedRate(layer, some), count, 32);

/** The most fingerprints in a block, in the mean, with which it is wrong so often. */
function fullLoad(hashes: number, rate: number): number {
  let [low, high] = [0, BLOCK_BITS];
  for (let nth = 0; nth < HALVINGS; nth++) {
    const middle = (low + high) / 2;
    if (rateAt(middle, hashes) <= rate) low = middle;
    else high = middle;
  }
  return low;
}

/** Blocks have a number of fingerprints that is Poisson's: the mean over all that there may be. */
function rateAt(load: number, hashes: number): number {
  const most = Math.ceil(load + 12 * Math.sqrt(load) + 20);
  let chance = Math.exp(-load);
  let rate = 0;
  for (let inIt = 1; inIt <= most; inIt++) {
    chance *= load / inIt;
    rate += chance * (1 - (1 - 1 / BLOCK_BITS) ** (hashes * inIt)) ** hashes;
  }
  return rate;
}
