/** A decompressor of the system's, given its input a piece at a time, and asked for what has come of each. */
import type { Transform } from "node:stream";

export class Unpacking implements Disposable {
  readonly #stream: Transform;
  #unpacked: Buffer[] = [];
  #error: Error | null = null;
  /** Who waits for a piece to be worked through. */
  #done: () => void = () => {};
  #hasEnded = false;

  constructor(stream: Transform) {
    this.#stream = stream
      .on("data", (piece: Buffer) => this.#unpacked.push(piece))
      .on("end", () => {
        this.#hasEnded = true;
      })
      .on("error", (error) => {
        this.#error = error;
        this.#done();
      });
  }

  /** Whether the compressed data has come to its own end: what is given behind that is left. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** What comes of the next piece of input. Throws the decompressor's words when it is damaged. */
  async take(piece: Buffer): Promise<readonly Buffer[]> {
    await new Promise<void>((resolve) => {
      this.#done = resolve;
      this.#stream.write(piece, () => setImmediate(resolve)); // its end is told within this turn
    });
    if (this.#error !== null) throw this.#error;
    const unpacked = this.#unpacked;
    this.#unpacked = [];
    return unpacked;
  }

  [Symbol.dispose](): void {
    this.#stream.destroy();
  }
}
