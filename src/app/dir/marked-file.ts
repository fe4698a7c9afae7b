/** A file of lines that are written before the commit that counts them: after a crash it is cut back to what was committed. */
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import type { ArchiveMark } from "../../model/capture.ts";

export class MarkedFile implements Disposable {
  readonly #file: number;
  /** Its name among the marks. */
  readonly #name: string;
  #bytes: number;

  /** `committed`: how much of it counts; null when it was never written to: then all that is there stays. */
  constructor(path: string, name: string, committed: number | null) {
    this.#file = openSync(path, "a");
    this.#name = name;
    const { size } = fstatSync(this.#file);
    this.#bytes = Math.min(committed ?? size, size);
    if (size > this.#bytes) ftruncateSync(this.#file, this.#bytes);
  }

  get mark(): ArchiveMark {
    return { file: this.#name, bytes: this.#bytes };
  }

  /** On the spot: lines go to the page cache in less time than a trip through the thread pool takes. */
  write(text: string): ArchiveMark {
    const bytes = Buffer.from(text, "utf8");
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.#bytes += bytes.length;
    return this.mark;
  }

  /** What was written survives the loss of power. */
  sync(): void {
    fdatasyncSync(this.#file);
  }

  clear(): void {
    ftruncateSync(this.#file, 0);
    this.#bytes = 0;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
