/**
 * How often each of 64 bits was set, in many 64-bit values: the sums that SimHash decides by (Charikar 2002).
 *
 * In place of 64 counters that each value would change, the counters stand upright: plane j holds bit j of the counters of
 * 32 bits. Eight values at a time are added by carry-save adders, in five operations each (the "positional population
 * count" of Klarqvist, Mula, Lemire 2019).
 */

const AT_ONCE = 8;
const PLANES = 31;

export class BitCounts {
  readonly #hi = new Int32Array(PLANES);
  readonly #lo = new Int32Array(PLANES);
  readonly #waitingHi = new Int32Array(AT_ONCE);
  readonly #waitingLo = new Int32Array(AT_ONCE);
  #waiting = 0;
  #total = 0;

  /** Values added; at most 2^31. */
  get total(): number {
    return this.#total;
  }

  add(hi: number, lo: number): void {
    this.#total++;
    this.#waitingHi[this.#waiting] = hi;
    this.#waitingLo[this.#waiting] = lo;
    if (++this.#waiting === AT_ONCE) this.#fold();
  }

  /** Adds to `sums[i]`, for each bit i from the highest on, `weight` times the number of values that had it set. */
  addTo(sums: Float64Array, weight: number): void {
    this.#fold();
    const used = 32 - Math.clz32(this.#total);
    for (let bit = 0; bit < 32; bit++) {
      sums[31 - bit]! += weight * countOf(this.#hi, used, bit);
      sums[63 - bit]! += weight * countOf(this.#lo, used, bit);
    }
  }

  clear(): void {
    this.#hi.fill(0);
    this.#lo.fill(0);
    this.#waitingHi.fill(0);
    this.#waitingLo.fill(0);
    this.#waiting = 0;
    this.#total = 0;
  }

  #fold(): void {
    addEight(this.#hi, this.#waitingHi);
    addEight(this.#lo, this.#waitingLo);
    this.#waiting = 0;
    this.#waitingHi.fill(0); // what is not filled before the next fold adds nothing
    this.#waitingLo.fill(0);
  }
}

/** Each step adds two words and a sum: the sum of three bits is their parity, and their majority carried on. */
function addEight(planes: Int32Array, words: Int32Array): void {
  let ones = planes[0]!;
  let twos = planes[1]!;
  let fours = planes[2]!;
  let foursBefore = 0;
  let eights = 0;
  for (let i = 0; i < AT_ONCE; i += 4) {
    let odd = ones ^ words[i]!;
    const twosA = (ones & words[i]!) | (odd & words[i + 1]!);
    ones = odd ^ words[i + 1]!;
    odd = ones ^ words[i + 2]!;
    const twosB = (ones & words[i + 2]!) | (odd & words[i + 3]!);
    ones = odd ^ words[i + 3]!;
    odd = twos ^ twosA;
    const carried = (twos & twosA) | (odd & twosB);
    twos = odd ^ twosB;
    if (i === 0) foursBefore = carried;
    else {
      odd = fours ^ foursBefore;
      eights = (fours & foursBefore) | (odd & carried);
      fours = odd ^ carried;
    }
  }
  planes[0] = ones;
  planes[1] = twos;
  planes[2] = fours;
  for (let plane = 3; eights !== 0 && plane < PLANES; plane++) {
    const sum = planes[plane]!;
    planes[plane] = sum ^ eights;
    eights &= sum;
  }
}

function countOf(planes: Int32Array, used: number, bit: number): number {
  let count = 0;
  for (let plane = Math.min(used, PLANES) - 1; plane >= 0; plane--) count = count * 2 + ((planes[plane]! >>> bit) & 1);
  return count;
}
