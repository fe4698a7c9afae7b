/**
 * A Bloom filter that grows (Almeida, Baquero, Preguica, Hutchison 2007): when it is full another one is laid beside it,
 * twice as large and wrong half as often, so that all of them together keep within the rate asked for, however many come.
 */
import { Bloom } from "./bloom.ts";
import { expectedLost, falsePositiveRate, filterSize } from "./probes.ts";
import type { SeenSet } from "./seen-set.ts";
import { type Fill, type Pieces, readSnapshot, restored, writeSnapshot } from "./snapshot.ts";

const KIND = 2;
const GROWTH = 2;
const TIGHTENING = 0.5;
/** Numbers of the set, and of each layer, in a snapshot. */
const SET_FIELDS = 3;
const LAYER_FIELDS = 4;

export class ScalableBloom implements SeenSet {
  readonly #capacity: number;
  readonly #rate: number;
  /** The last is the one that is filled. */
  readonly #layers: Bloom[] = [];
  /** Layers made by growing, those of other sets not counted: the next one's size and rate follow from it. */
  #grown = 0;

  /** `capacity` of the first layer; `rate`: the bound of the whole set's false answers, at any size. */
  constructor(capacity: number, rate: number) {
    this.#capacity = capacity;
    this.#rate = rate;
    this.#grow();
  }

  get size(): number {
    return this.#layers.reduce((sum, layer) => sum + layer.size, 0);
  }

  get bytes(): number {
    return this.#layers.reduce((sum, layer) => sum + layer.bytes, 0);
  }

  get layers(): number {
    return this.#layers.length;
  }

  get falsePositiveRate(): number {
    return 1 - this.#layers.reduce((right, layer) => right * (1 - layer.falsePositiveRate), 1);
  }

  get expectedLost(): number {
    let lost = 0;
    let below = 0; // the rate of the layers that were full while this one was filled
    for (const layer of this.#layers) {
      lost += layer.expectedLost + layer.size * below;
      below += layer.falsePositiveRate;
    }
    return lost;
  }

  /** What `expectedLost` is of a set of so many fingerprints, by the formulas alone. */
  static expectedLost(capacity: number, rate: number, count: number): number {
    let lost = 0;
    let below = 0;
    for (let grown = 0, left = count; left > 0; grown++) {
      const room = capacity * GROWTH ** grown;
      const size = filterSize(room, layerRate(rate, grown));
      const here = Math.min(left, room);
      lost += expectedLost(size, here) + here * below;
      below += falsePositiveRate(size, here);
      left -= here;
    }
    return lost;
  }

  has(hi: number, lo: number): boolean {
    for (let i = this.#layers.length - 1; i >= 0; i--) if (this.#layers[i]!.has(hi, lo)) return true;
    return false;
  }

  add(hi: number, lo: number): boolean {
    const last = this.#layers.length - 1;
    for (let i = 0; i < last; i++) if (this.#layers[i]!.has(hi, lo)) return false;
    const layer = this.#layers[last]!;
    if (!layer.add(hi, lo)) return false;
    if (layer.size >= this.#capacity * GROWTH ** (this.#grown - 1)) this.#grow();
    return true;
  }

  /** Takes in all that `other` holds, layer by layer: of any size. The bounds of both add up. */
  union(other: ScalableBloom): void {
    this.#layers.unshift(...other.#layers.map((layer) => layer.copy()));
  }

  snapshot(): IterableIterator<Uint8Array> {
    const fields = [this.#capacity, this.#rate, this.#grown, ...this.#layers.flatMap((layer) => layer.fields)];
    return writeSnapshot(
      KIND,
      fields,
      this.#layers.map((layer) => layer.words),
    );
  }

  /** The set of a snapshot; null when the bytes are damaged, or of something else. */
  static restore(pieces: Pieces): ScalableBloom | null {
    return restored(pieces, ScalableBloom.read);
  }

  /** The same, of the bytes that come next. */
  static read(fill: Fill): ScalableBloom | null {
    const set = readSnapshot(fill, KIND, (fields) => {
      const [capacity, rate, grown] = fields;
      const set = new ScalableBloom(capacity!, rate!);
      set.#layers.length = 0;
      set.#grown = grown!;
      for (let at = SET_FIELDS; at < fields.length; at += LAYER_FIELDS)
        set.#layers.push(Bloom.ofFields(fields.slice(at, at + LAYER_FIELDS)));
      return { value: set, arrays: set.#layers.map((layer) => layer.words) };
    });
    if (set !== null) for (const layer of set.#layers) layer.recount();
    return set;
  }

  #grow(): void {
    this.#layers.push(Bloom.for(this.#capacity * GROWTH ** this.#grown, layerRate(this.#rate, this.#grown)));
    this.#grown++;
  }
}

/** The rates of all layers to come sum up to the bound: p (1 - r) (1 + r + r^2 ...) = p. */
export const layerRate = (rate: number, grown: number): number => rate * (1 - TIGHTENING) * TIGHTENING ** grown;
