/** What it is to pack records: each by itself, so that any one can be read alone. */

/** What was found at the start of some bytes. */
export type Unpacked =
  | { readonly kind: "unit"; readonly length: number; readonly bytes: Buffer }
  | { readonly kind: "short" }
  /** It holds more than was to be unpacked at once. */
  | { readonly kind: "long" }
  | { readonly kind: "bad"; readonly why: string };

/** Bytes that are taken from the front. */
export interface Taking {
  readonly bytes: Buffer;
  /** Takes in until there are `least` bytes; false when there are fewer. */
  fill(least: number): Promise<boolean>;
  skip(count: number): void;
}

export interface Packing {
  /** Of file names, with the dots. */
  readonly suffix: string;
  /** What a packed record is called: "gzip member". */
  readonly unit: string;
  /** A unit begins so. */
  readonly magic: Buffer;
  /** The record as it is, in the form of a unit: for what is compressed already. */
  store(record: Buffer): Buffer;
  /** The record, compressed. */
  pack(record: Buffer, level: number): Buffer;
  /** The unit at the start of `input`, at most `most` bytes when unpacked, its check sum verified where it has one. */
  unpack(input: Buffer, most: number): Unpacked;
  /** The content of the unit that `input` begins with, in pieces, whatever its length; it is taken. Throws a sentence when it is damaged. */
  pieces(input: Taking): AsyncGenerator<Buffer>;
}
