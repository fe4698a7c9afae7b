/** One bit an id: which URLs have ended, or are meant. */

export class Bitmap {
  #bytes: Uint8Array;

  /** `bytes`: of an earlier one; they are not copied. */
  constructor(bytes: Uint8Array = new Uint8Array(1024)) {
    this.#bytes = bytes;
  }

  /** A view of the live bits. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  has(id: number): boolean {
    return ((this.#bytes[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }

  add(id: number): void {
    const at = id >>> 3;
    if (at >= this.#bytes.length) {
      const larger = new Uint8Array(Math.max(at + 1, Math.ceil(this.#bytes.length * 1.5)));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[at]! |= 1 << (id & 7);
  }

  /** One that was added. */
  delete(id: number): void {
    this.#bytes[id >>> 3]! &= ~(1 << (id & 7));
  }
}
