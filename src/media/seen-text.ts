/** The text of an HTML document that a reader sees, on its way from the bytes of the document to whoever wants it. */
import { decodeText } from "./character-references.ts";

const SPACE = 0x20;
const HASH = 0x23;
const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;

/** Where what is seen goes, in order. */
export interface TextSink {
  /** UTF-8, from `from` on; answers where the first "<" or "&" stands, which is not taken, or `end`. */
  take(bytes: Uint8Array, from: number, end: number): number;
  /** One byte of ASCII that is text, though it may look like markup. */
  put(code: number): void;
}

export class SeenText {
  readonly #bytes: Uint8Array;
  readonly #text: string;
  readonly #sink: TextSink;

  /** `bytes`: the document in UTF-8; `text`: the same, one character a byte. */
  constructor(bytes: Uint8Array, text: string, sink: TextSink) {
    this.#bytes = bytes;
    this.#text = text;
    this.#sink = sink;
  }

  /** Text, without a "<" that means anything. */
  show(from: number, end: number): void {
    for (let at = from; at < end; ) {
      at = this.#sink.take(this.#bytes, at, end);
      if (at >= end) return;
      if (this.#bytes[at] === AMPERSAND) at = this.#reference(at, end);
      else this.#sink.put(this.#bytes[at++]!);
    }
  }

  /** Text in which no character stands for another. */
  showRaw(from: number, end: number): void {
    for (let at = from; at < end; ) {
      at = this.#sink.take(this.#bytes, at, end);
      if (at < end) this.#sink.put(this.#bytes[at++]!);
    }
  }

  /** What follows is set off from what was before. */
  space(): void {
    this.#sink.put(SPACE);
  }

  /** Shows what the "&" at `at` begins, with all letters and digits behind it; where they end. */
  #reference(at: number, end: number): number {
    const bytes = this.#bytes;
    let behind = at + 1;
    if (bytes[behind] === HASH) behind++;
    while (behind < end && isAlphanumeric(bytes[behind]!)) behind++;
    if (behind < end && bytes[behind] === SEMICOLON) behind++;
    const shown = bytesOfReference(this.#text.slice(at, behind));
    for (let next = 0; next < shown.length; ) {
      next = this.#sink.take(shown, next, shown.length);
      if (next < shown.length) this.#sink.put(shown[next++]!);
    }
    return behind;
  }
}

const isAlphanumeric = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);

/** Pages use a few dozen of them, again and again. */
const MOST_REMEMBERED = 1000;
const LONGEST_REMEMBERED = 40;
const remembered = new Map<string, Uint8Array>();
const encoder = new TextEncoder();

function bytesOfReference(written: string): Uint8Array {
  let bytes = remembered.get(written);
  if (bytes !== undefined) return bytes;
  bytes = encoder.encode(decodeText(written));
  if (written.length > LONGEST_REMEMBERED) return bytes;
  if (remembered.size === MOST_REMEMBERED) remembered.clear();
  remembered.set(written, bytes);
  return bytes;
}
