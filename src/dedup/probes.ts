/**
 * Which places of a filter a fingerprint takes, and how large a filter must be.
 *
 * Places by double hashing (Kirsch and Mitzenmacher 2006): first, first + step, and so on, modulo the places; the step
 * itself grows by one less each time (Dillinger and Manolios 2004), without which small filters are wrong a tenth more
 * often than they should be. Each word of the fingerprint leads one of the two numbers, the other word fills it up to 52
 * bits, and both are scaled by multiplication: a filter of more than 2^32 places has all of them used.
 */

/** Of a filter without deletion: 8 GiB of bits. Word indexes stay within 31 bits. */
export const MAX_BITS = 2 ** 36;

/** The first place, 0 <= x < places. */
export function firstOf(hi: number, lo: number, places: number): number {
  return Math.floor(((hi >>> 0) * 2 ** 20 + (lo >>> 12)) * 2 ** -52 * places);
}

/** From the first place to the second, 1 <= x < places (1 where there is only one place). */
export function stepOf(hi: number, lo: number, places: number): number {
  return 1 + Math.floor(((lo >>> 0) * 2 ** 20 + (hi & 0xfffff)) * 2 ** -52 * (places - 1));
}

export interface FilterSize {
  /** Places: bits, or counters. */
  readonly places: number;
  /** Places that each fingerprint takes. */
  readonly hashes: number;
}

/**
 * The least filter that, with `capacity` fingerprints in it, is wrong of others with probability `rate`:
 * m = -n ln p / (ln 2)^2 and k = (m / n) ln 2 (Bloom 1970; Broder and Mitzenmacher 2004).
 */
export function filterSize(capacity: number, rate: number): FilterSize {
  if (!(capacity >= 1)) throw new RangeError(`a filter for ${capacity} fingerprints`);
  if (!(rate > 0 && rate < 1)) throw new RangeError(`a false-positive rate of ${rate}`);
  const places = Math.ceil((-capacity * Math.log(rate)) / Math.LN2 ** 2);
  return { places, hashes: Math.max(1, Math.round((places / capacity) * Math.LN2)) };
}

/** How often a filter with `count` fingerprints is wrong of others: (1 - e^(-kn/m))^k. */
export function falsePositiveRate({ places, hashes }: FilterSize, count: number): number {
  return (1 - Math.exp((-hashes * count) / places)) ** hashes;
}

const LOSS_STEPS = 256;
/** A filter that refuses nearly everything is not worth more. */
const MOST_ROUNDS = 200;

/**
 * How many new fingerprints were refused while `count` were taken. One that is refused would have set no bit: so the
 * filter is as full as if all that were offered were in it, and how many those are is found by going round.
 */
export const expectedLost = (size: FilterSize, count: number): number =>
  lostBy((some) => falsePositiveRate(size, some), count, LOSS_STEPS);

/** The same for whatever is wrong so often with so many in it. `steps`: even. */
export function lostBy(rateWith: (count: number) => number, count: number, steps: number): number {
  let lost = 0;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = lost;
    lost = refusedOf(rateWith, count + before, steps);
    if (lost - before <= lost * 1e-9) break;
  }
  return lost;
}

/** Of so many that are offered: the rate integrated from an empty filter on (Simpson's rule). */
function refusedOf(rateWith: (count: number) => number, offered: number, steps: number): number {
  let sum = 0;
  for (let i = 0; i <= steps; i++) {
    const weight = i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2;
    sum += weight * rateWith((offered * i) / steps);
  }
  return (sum * offered) / steps / 3;
}
