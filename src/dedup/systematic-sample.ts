/**
 * A few stand for many: a systematic sample with probabilities proportional to size (Madow 1949). In the mean each gets what
 * it would have had; what is given in all is the same in every draw.
 */

export interface Share<T> {
  readonly to: T;
  readonly amount: number;
}

/** At most `most` of them, with all that the others were to have; `chance`: from 0 up to 1. */
export function systematicSample<T>(shares: readonly Share<T>[], most: number, chance: number): Share<T>[] {
  if (shares.length <= most) return [...shares];
  const step = shares.reduce((sum, { amount }) => sum + amount, 0) / most;
  const drawn: Share<T>[] = [];
  let before = 0;
  let next = chance * step;
  for (const { to, amount } of shares) {
    before += amount;
    let times = 0;
    for (; next < before; next += step) times++;
    if (times > 0) drawn.push({ to, amount: times * step });
  }
  return drawn;
}
