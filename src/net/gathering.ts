/** A body as it comes in, in memory that is bounded by its length, into whatever pieces its server cuts it. */

/** A piece is kept as it is when it is so long, and makes up at least this share of the read buffer that it keeps alive. */
const LONG = 4_096;
const SHARE = 1 / 4;
/** Other pieces are copied together in blocks of so many bytes. */
const BLOCK = 16_384;

const NOTHING = new Uint8Array(0);

/**
 * Chunks of one byte would cost two hundred each, and with extensions behind their lengths each would hold a whole read
 * buffer of 64 KiB that says nothing else.
 */
export class Gathering {
  #pieces: Uint8Array[] = [];
  /** The last piece, when it is a block with room: so much of it is filled. */
  #block: Uint8Array | null = null;
  #filled = 0;
  #size = 0;

  /** Bytes so far. */
  get size(): number {
    return this.#size;
  }

  /** `piece` is not to be changed afterwards. */
  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#size += piece.length;
    // The first is most often the only one.
    const isWorthItsBuffer = piece.length >= LONG && piece.length >= piece.buffer.byteLength * SHARE;
    if (this.#pieces.length === 0 || isWorthItsBuffer) {
      this.#close();
      this.#pieces.push(piece);
      return;
    }
    for (let at = 0; at < piece.length; ) {
      if (this.#block === null) {
        this.#block = new Uint8Array(BLOCK);
        this.#filled = 0;
        this.#pieces.push(this.#block);
      }
      const part = piece.subarray(at, at + BLOCK - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === BLOCK) this.#block = null;
    }
  }

  /** All of it; nothing is held any more. */
  take(): Uint8Array {
    this.#close();
    const [only = NOTHING] = this.#pieces;
    const body = this.#pieces.length <= 1 ? only : Buffer.concat(this.#pieces, this.#size);
    this.#pieces = [];
    this.#size = 0;
    return body;
  }

  /** What comes next goes into a piece of its own. */
  #close(): void {
    if (this.#block !== null) this.#pieces[this.#pieces.length - 1] = this.#block.subarray(0, this.#filled);
    this.#block = null;
  }
}
