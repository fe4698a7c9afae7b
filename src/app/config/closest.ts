/** "Did you mean": the known word nearest to a mistyped one. */

/** Edits between two words: insert, delete, replace, swap neighbours (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, before[j - 2]! + 1);
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}

/** The nearest of `words` when it is near enough to be meant, else null. A word cut short counts as near. */
export function closest(word: string, words: Iterable<string>): string | null {
  const given = word.slice(0, 64).toLowerCase();
  let found: string | null = null;
  let least = Math.floor(Math.min(given.length, 12) / 3) + 1;
  for (const known of words) {
    const lower = known.toLowerCase();
    const edits = given.length >= 3 && lower.startsWith(given) ? 0.5 : distance(given, lower);
    if (edits < least) {
      least = edits;
      found = known;
    }
  }
  return found;
}

/** `; did you mean status?`, or nothing. */
export function didYouMean(word: string, words: Iterable<string>): string {
  const found = closest(word, words);
  return found === null ? "" : `; did you mean ${found}?`;
}
