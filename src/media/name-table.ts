/** Finds, without cutting a string, which of a few known names stands in a text. Case of ASCII letters does not count. */

const hashStep = (hash: number, code: number): number => (Math.imul(hash, 31) + (code | 0x20)) | 0;

export class NameTable {
  readonly #names: readonly string[];
  /** Open addressing; 0 is free, else 1 + the name's index. */
  readonly #slots: Uint8Array;

  /** By length of a name: the first letters that names of this length have, a bit each. */
  readonly #firstLetters: Int32Array;

  /** `names`: lower case, fewer than 255, none longer than 31, beginning with a letter. */
  constructor(names: readonly string[]) {
    this.#names = names;
    this.#slots = new Uint8Array(1024);
    this.#firstLetters = new Int32Array(32);
    names.forEach((name, index) => {
      let hash = 0;
      for (let i = 0; i < name.length; i++) hash = hashStep(hash, name.charCodeAt(i));
      let slot = hash & 1023;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & 1023;
      this.#slots[slot] = index + 1;
      this.#firstLetters[name.length]! |= 1 << (name.charCodeAt(0) & 31);
    });
  }

  /** The index of the name in `text` from `start` to `end`, or -1. */
  find(text: string, start: number, end: number): number {
    const length = end - start;
    if (length > 31 || (this.#firstLetters[length]! & (1 << (text.charCodeAt(start) & 31))) === 0) return -1;
    let hash = 0;
    for (let i = start; i < end; i++) hash = hashStep(hash, text.charCodeAt(i));
    let slot = hash & 1023;
    for (let found = this.#slots[slot]!; found !== 0; found = this.#slots[slot]!) {
      if (isName(this.#names[found - 1]!, text, start, end)) return found - 1;
      slot = (slot + 1) & 1023;
    }
    return -1;
  }
}

function isName(name: string, text: string, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  for (let i = 0; i < name.length; i++) {
    const code = text.charCodeAt(start + i);
    const lower = code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
    if (lower !== name.charCodeAt(i)) return false;
  }
  return true;
}
