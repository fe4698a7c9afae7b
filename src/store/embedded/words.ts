/** 32-bit words in a blob: little-endian, as every machine that Node runs on has them. */

/** A growing list of words that is filled, written and cleared, over and over, without garbage. */
export class WordBuffer {
  #words = new Uint32Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(a: number): void {
    this.#reserve(1);
    this.#words[this.#length++] = a;
  }

  push2(a: number, b: number): void {
    this.#reserve(2);
    this.#words[this.#length++] = a;
    this.#words[this.#length++] = b;
  }

  push4(a: number, b: number, c: number, d: number): void {
    this.#reserve(4);
    this.#words[this.#length++] = a;
    this.#words[this.#length++] = b;
    this.#words[this.#length++] = c;
    this.#words[this.#length++] = d;
  }

  /** A view, good until the next push or clear. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#words.buffer, 0, this.#length * 4);
  }

  clear(): void {
    this.#length = 0;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#words.length) return;
    const larger = new Uint32Array(this.#words.length * 2);
    larger.set(this.#words);
    this.#words = larger;
  }
}

/** A blob as words: a view of it, or of a copy where it does not start at a multiple of 4. */
export function wordsOf(blob: Uint8Array): Uint32Array {
  const aligned = blob.byteOffset % 4 === 0 ? blob : blob.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, Math.floor(aligned.byteLength / 4));
}

export function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
