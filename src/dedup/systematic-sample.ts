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
  let done = 0;
  for (const [nth, { to, amount }] of shares.entries()) {
    before += amount;
    // The last has what is left, so that rounding loses nothing.
    const until = nth === shares.length - 1 ? most : Math.min(most, Math.ceil(before / step - chance));
    if (until > done) drawn.push({ to, amount: (until - done) * step });
    done = Math.max(done, until);
  }
  return drawn;
}
