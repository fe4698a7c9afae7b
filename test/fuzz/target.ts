/** What is fuzzed: a reader, the words that mean something to it, and what must hold of whatever it is given. */
import fc from "fast-check";

export interface Target {
  readonly name: string;
  /** What inputs are put together from, besides noise. */
  readonly words: readonly string[];
  /** Whole sound inputs, to be damaged. Bytes are Latin-1 texts. */
  readonly samples: readonly string[];
  /** Its time is that of something else too, and may grow as it likes. */
  readonly mayGrow?: true;
  /** Throws when what must hold does not. */
  check(input: string): void | Promise<void>;
}

/** Bytes as the text of their codes, and back. */
export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
export const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");

interface Edit {
  readonly at: number;
  readonly cut: number;
  readonly put: string;
  readonly again: number;
}

/** Words and noise in a row, or a sample with a few edits: cut, put in, said again. */
export function inputs({ words, samples }: Target): fc.Arbitrary<string> {
  const noise = fc.oneof(
    fc.string({ maxLength: 6 }),
    fc.string({ maxLength: 4, unit: "binary" }),
    fc.array(fc.nat(255), { maxLength: 6 }).map((codes) => String.fromCharCode(...codes)),
  );
  const word = words.length === 0 ? noise : fc.constantFrom(...words);
  const part = fc.oneof({ weight: 6, arbitrary: word }, { weight: 1, arbitrary: noise });
  const soup = fc.array(part, { maxLength: 24 }).map((parts) => parts.join(""));
  if (samples.length === 0) return soup;
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    cut: fc.oneof(fc.constant(0), fc.nat(8), fc.nat(400)),
    put: fc.oneof(fc.constant(""), part),
    again: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(60) }),
  });
  const damaged = fc
    .tuple(fc.constantFrom(...samples), fc.array(edit, { minLength: 1, maxLength: 5 }))
    .map(([sample, edits]) => edits.reduce(edited, sample));
  return fc.oneof(soup, damaged);
}

function edited(text: string, { at, cut, put, again }: Edit): string {
  const from = Math.floor(at * text.length);
  const said = text.slice(from, from + again);
  return text.slice(0, from) + put + said + text.slice(from + cut);
}
