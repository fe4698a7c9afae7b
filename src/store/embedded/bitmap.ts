/** One bit an id: which URLs have ended. */

export class Bitmap {
  #bytes = new Uint8Array(1024);

  has(id: number): boolean {
    return ((this.#bytes[Math.floor(id / 8)] ?? 0) & (1 << (id % 8))) !== 0;
  }

  add(id: number): void {
    const at = Math.floor(id / 8);
    if (at >= this.#bytes.length) {
      const larger = new Uint8Array(Math.max(at + 1, Math.ceil(this.#bytes.length * 1.5)));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[at]! |= 1 << (id % 8);
  }
}
