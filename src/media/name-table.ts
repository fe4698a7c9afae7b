/** Finds, without cutting a string, which of a few known names stands in a text. Case of ASCII letters does not count. */

/** One step of the hash that `NameTable.find` expects, over the character codes of the name, from 0. */
export const hashStep = (hash: number, code: number): number => (Math.imul(hash, 31) + (code | 0x20)) | 0;

export class NameTable {
  readonly #names: readonly string[];
  /** Open addressing; 0 is free, else 1 + the name's index. */
  readonly #slots: Uint8Array;

  /** `names`: lower case, fewer than 255. */
  constructor(names: readonly string[]) {
    this.#names = names;
    this.#slots = new Uint8Array(1024);
    names.forEach((name, index) => {
      let hash = 0;
      for (let i = 0; i < name.length; i++) hash = hashStep(hash, name.charCodeAt(i));
      let slot = hash & 1023;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & 1023;
      this.#slots[slot] = index + 1;
    });
  }

  /** The index of the name in `text` from `start` to `end`, or -1. */
  find(text: string, start: number, end: number, hash: number): number {
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
