/** What a verification has found so far: counts, the first faults in words, and remarks that are no faults. */

/** So many faults are told in words; the others are counted. */
const TOLD = 20;

export class Findings {
  faults = 0;
  readonly told: string[] = [];
  readonly notes: string[] = [];

  fault(words: string): void {
    this.faults++;
    if (this.told.length < TOLD) this.told.push(words);
  }

  note(words: string): void {
    this.notes.push(words);
  }
}
