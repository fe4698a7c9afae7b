/** Fingerprints for the tests of seen sets. */
import fc from "fast-check";

const mixed = (x: number): number => {
  let t = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  t = Math.imul(t ^ (t >>> 15), 0x735a2d97);
  return (t ^ (t >>> 15)) >>> 0;
};

/** Calls `each` with `count` fingerprints that look like hashes, the same for the same seed. */
export function eachOf(count: number, seed: number, each: (hi: number, lo: number) => void): void {
  let state = mixed(seed + 1);
  for (let i = 0; i < count; i++) {
    state = (state + 0x9e3779b9) | 0;
    const hi = mixed(state);
    state = (state + 0x9e3779b9) | 0;
    each(hi, mixed(state ^ seed));
  }
}

/** Of `count` fingerprints, how many the set takes for seen, as a share. */
export function shareSeen(set: { has(hi: number, lo: number): boolean }, count: number, seed: number): number {
  let seen = 0;
  eachOf(count, seed, (hi, lo) => {
    if (set.has(hi, lo)) seen++;
  });
  return seen / count;
}

export const word = fc.oneof(fc.integer({ min: 0, max: 0xffffffff }), fc.constantFrom(0, 1, 0x7fffffff, 0xffffffff));
/** Any fingerprint, ends and repetitions included: a filter must not rely on what hashes look like. */
export const fingerprint = fc.tuple(word, word);
export const fingerprints = fc.array(fingerprint, { maxLength: 500, size: "max" });

/** A snapshot as one array. */
export const bytesOf = (set: { snapshot(): Iterable<Uint8Array> }): Uint8Array =>
  new Uint8Array(Buffer.concat([...set.snapshot()]));
