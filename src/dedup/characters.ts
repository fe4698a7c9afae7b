/** What a character is to one who looks for words, and what it is in lower case. */

const LETTER = 0;
export const DIGIT = 1;
/** A word by itself: characters of scripts that put no space between words. */
export const WORD = 2;
/** Between words. */
const BETWEEN = 3;

/** Where `characterOf` has the kind: in its lowest bits. */
export const KIND = 3;
export const KIND_BITS = 2;

const LETTERS = /[\p{L}\p{M}]/u;
const DIGITS = /\p{N}/u;
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Bopo}]/u;

/** What `characterOf` says of each UTF-16 unit; 0 where it was not asked yet. */
export const characters = new Uint32Array(65_536);

/** Kind and, above it, the lower case of a UTF-16 unit: one unit, itself where there is none such. Never 0. */
export function characterOf(code: number): number {
  const character = String.fromCharCode(code);
  const lower = character.toLowerCase();
  const found = kindOf(character) | ((lower.length === 1 ? lower.charCodeAt(0) : code) << KIND_BITS);
  characters[code] = found;
  return found;
}

function kindOf(character: string): number {
  const isLetter = LETTERS.test(character);
  if (!isLetter && !DIGITS.test(character)) return BETWEEN;
  if (UNSPACED.test(character)) return WORD;
  return isLetter ? LETTER : DIGIT;
}
