/**
 * MurmurHash3 x86 128 (Austin Appleby, public domain), in 32-bit integer arithmetic: one hash gives the 64-bit
 * fingerprint of a URL key, the placement of a host on a visit thread, and the bits of a Bloom filter.
 */

/** Four unsigned 32-bit words; `[0]` is the first word that the reference code writes. */
export type Hash128 = readonly [number, number, number, number];

const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;

const rotl = (x: number, r: number): number => (x << r) | (x >>> (32 - r));

/** The finalizer: every bit of a 32-bit word comes to bear on all bits of the result (signed). */
export function fmix(h: number): number {
  let x = h ^ (h >>> 16);
  x = Math.imul(x, 0x85ebca6b);
  x ^= x >>> 13;
  x = Math.imul(x, 0xc2b2ae35);
  return x ^ (x >>> 16);
}

const encoder = new TextEncoder();
let scratch = new Uint8Array(4096);

/** The hash of a text's UTF-8 bytes. */
export function hashText(text: string, seed = 0): Hash128 {
  const most = text.length * 3;
  if (most > scratch.length) scratch = new Uint8Array(most * 2);
  const { written } = encoder.encodeInto(text, scratch);
  return hashBytes(scratch, written, seed);
}

/** The hash of the first `length` bytes. */
export function hashBytes(bytes: Uint8Array, length = bytes.length, seed = 0): Hash128 {
  let h1 = seed | 0;
  let h2 = seed | 0;
  let h3 = seed | 0;
  let h4 = seed | 0;
  const word = (at: number): number =>
    bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  const whole = length - (length % 16);
  for (let i = 0; i < whole; i += 16) {
    h1 ^= Math.imul(rotl(Math.imul(word(i), C1), 15), C2);
    h1 = (Math.imul((rotl(h1, 19) + h2) | 0, 5) + 0x561ccd1b) | 0;
    h2 ^= Math.imul(rotl(Math.imul(word(i + 4), C2), 16), C3);
    h2 = (Math.imul((rotl(h2, 17) + h3) | 0, 5) + 0x0bcaa747) | 0;
    h3 ^= Math.imul(rotl(Math.imul(word(i + 8), C3), 17), C4);
    h3 = (Math.imul((rotl(h3, 15) + h4) | 0, 5) + 0x96cd1c35) | 0;
    h4 ^= Math.imul(rotl(Math.imul(word(i + 12), C4), 18), C1);
    h4 = (Math.imul((rotl(h4, 13) + h1) | 0, 5) + 0x32ac3b17) | 0;
  }
  let k1 = 0;
  let k2 = 0;
  let k3 = 0;
  let k4 = 0;
  for (let i = length - 1; i >= whole; i--) {
    const at = i - whole;
    const byte = bytes[i]! << ((at & 3) * 8);
    if (at >= 12) k4 ^= byte;
    else if (at >= 8) k3 ^= byte;
    else if (at >= 4) k2 ^= byte;
    else k1 ^= byte;
  }
  h4 ^= Math.imul(rotl(Math.imul(k4, C4), 18), C1);
  h3 ^= Math.imul(rotl(Math.imul(k3, C3), 17), C4);
  h2 ^= Math.imul(rotl(Math.imul(k2, C2), 16), C3);
  h1 ^= Math.imul(rotl(Math.imul(k1, C1), 15), C2);
  h1 ^= length;
  h2 ^= length;
  h3 ^= length;
  h4 ^= length;
  h1 = (h1 + h2 + h3 + h4) | 0;
  h2 = (h2 + h1) | 0;
  h3 = (h3 + h1) | 0;
  h4 = (h4 + h1) | 0;
  h1 = fmix(h1);
  h2 = fmix(h2);
  h3 = fmix(h3);
  h4 = fmix(h4);
  h1 = (h1 + h2 + h3 + h4) | 0;
  return [h1 >>> 0, (h2 + h1) >>> 0, (h3 + h1) >>> 0, (h4 + h1) >>> 0];
}
