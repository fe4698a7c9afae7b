/**
 * How often each of 64 bits was set, in many 64-bit values: the sums that SimHash decides by (Charikar 2002).
 *
 * In place of 64 counters that each value would change, the counters stand upright: plane j holds bit j of the counters of
 * 32 bits. Values wait until they are many; then eight at a time are added by carry-save adders, in five operations each
 * (the "positional population count" of Klarqvist, Mula, Lemire 2019), into planes of their own that need no memory.
 */

const AT_ONCE = 8;
/** So many values that the counts of a round fit into eight planes. */
const WAITING = 31 * AT_ONCE;
const PLANES = 32;

export class BitCounts {
  readonly #hi = new Int32Array(PLANES);
  readonly #lo = new Int32Array(PLANES);
  readonly #waitingHi = new Int32Array(WAITING);
  readonly #waitingLo = new Int32Array(WAITING);
  #waiting = 0;
  #folded = 0;

  /** Values added; at most 2^31. */
  get total(): number {
    return this.#folded + this.#waiting;
  }

  add(hi: number, lo: number): void {
    const at = this.#waiting;
    this.#waitingHi[at] = hi;
    this.#waitingLo[at] = lo;
    this.#waiting = at + 1;
    if (at + 1 === WAITING) this.#fold();
  }

  /** Adds to `sums[i]`, for each bit i from the highest on, `weight` times the number of values that had it set. */
  addTo(sums: Float64Array, weight: number): void {
    this.#fold();
    const used = 32 - Math.clz32(this.#folded);
    for (let bit = 0; bit < 32; bit++) {
      sums[31 - bit]! += weight * countOf(this.#hi, used, bit);
      sums[63 - bit]! += weight * countOf(this.#lo, used, bit);
    }
  }

  clear(): void {
    this.#hi.fill(0);
    this.#lo.fill(0);
    this.#waiting = 0;
    this.#folded = 0;
  }

  #fold(): void {
    const count = this.#waiting;
    const end = Math.ceil(count / AT_ONCE) * AT_ONCE;
    for (let at = count; at < end; at++) this.#waitingHi[at] = this.#waitingLo[at] = 0; // which adds nothing
    addAll(this.#hi, this.#waitingHi, end);
    addAll(this.#lo, this.#waitingLo, end);
    this.#folded += count;
    this.#waiting = 0;
  }
}

/** Adds the first `end` words. Each step adds two words and a sum: the sum of three bits is their parity, and their majority carried on. */
function addAll(planes: Int32Array, words: Int32Array, end: number): void {
  let ones = 0;
  let twos = 0;
  let fours = 0;
  let plane3 = 0;
  let plane4 = 0;
  let plane5 = 0;
  let plane6 = 0;
  let plane7 = 0;
  for (let i = 0; i < end; i += AT_ONCE) {
    let word = words[i]!;
    let odd = ones ^ word;
    let next = words[i + 1]!;
    let twosA = (ones & word) | (odd & next);
    ones = odd ^ next;
    word = words[i + 2]!;
    odd = ones ^ word;
    next = words[i + 3]!;
    let twosB = (ones & word) | (odd & next);
    ones = odd ^ next;
    odd = twos ^ twosA;
    const foursA = (twos & twosA) | (odd & twosB);
    twos = odd ^ twosB;

    word = words[i + 4]!;
    odd = ones ^ word;
    next = words[i + 5]!;
    twosA = (ones & word) | (odd & next);
    ones = odd ^ next;
    word = words[i + 6]!;
    odd = ones ^ word;
    next = words[i + 7]!;
    twosB = (ones & word) | (odd & next);
    ones = odd ^ next;
    odd = twos ^ twosA;
    const foursB = (twos & twosA) | (odd & twosB);
    twos = odd ^ twosB;

    odd = fours ^ foursA;
    let carried = (fours & foursA) | (odd & foursB);
    fours = odd ^ foursB;
    let sum = plane3 ^ carried;
    carried &= plane3;
    plane3 = sum;
    sum = plane4 ^ carried;
    carried &= plane4;
    plane4 = sum;
    sum = plane5 ^ carried;
    carried &= plane5;
    plane5 = sum;
    sum = plane6 ^ carried;
    carried &= plane6;
    plane6 = sum;
    plane7 ^= carried;
  }
  let carried = 0;
  const add = (plane: number, word: number): void => {
    const before = planes[plane]!;
    const odd = before ^ word;
    planes[plane] = odd ^ carried;
    carried = (before & word) | (odd & carried);
  };
  add(0, ones);
  add(1, twos);
  add(2, fours);
  add(3, plane3);
  add(4, plane4);
  add(5, plane5);
  add(6, plane6);
  add(7, plane7);
  for (let plane = 8; carried !== 0; plane++) add(plane, 0);
}

function countOf(planes: Int32Array, used: number, bit: number): number {
  let count = 0;
  for (let plane = Math.min(used, PLANES) - 1; plane >= 0; plane--) count = count * 2 + ((planes[plane]! >>> bit) & 1);
  return count;
}
