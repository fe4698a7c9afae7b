/** Seeded randomness: the same labels give the same numbers on every machine, in any order of asking. */
import { hashText } from "../../src/base/hash.ts";

export interface Random {
  /** An unsigned 32-bit integer. */
  word(): number;
  /** An integer in [from, to], both ends included. */
  int(from: number, to: number): number;
  /** True with probability `p`. */
  chance(p: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** A stream of its own for `label` under `seed`: sfc32 (Chris Doty-Humphrey, PractRand), started from a 128-bit hash. */
export function random(seed: number, label: string): Random {
  let [a, b, c, d] = hashText(label, seed);
  const word = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    return t >>> 0;
  };
  const int = (from: number, to: number): number => from + (word() % (to - from + 1));
  return {
    word,
    int,
    chance: (p) => word() < p * 2 ** 32,
    pick: (list) => list[word() % list.length]!,
  };
}
