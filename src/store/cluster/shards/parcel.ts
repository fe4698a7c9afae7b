/** What is to be admitted in one shard, packed as admit.lua reads it. */
import type { Instant } from "../../../base/clock.ts";
import type { HostKey } from "../../../model/host.ts";
import type { NewUrl, UrlName } from "../../../model/link.ts";
import type { Word } from "../redis/connection.ts";
import { endLetter, tailOf } from "./rows.ts";

const URL_KIND = 0;
const DROP_KIND = 1;
const CASH_KIND = 2;

/** Bytes before the text of each. */
const HEAD = 27;
const FIRST_BYTES = 4_096;

/** What the script says of each. */
export type Told =
  | { readonly is: "admitted" | "known"; readonly level: number }
  | { readonly is: "dropped" | "unknown" }
  /** Nothing is done: the row of this id, within the shard, must be brought back. */
  | { readonly is: "away"; readonly local: number };

/** From the number that stands for it. */
export function toldBy(number: number): Told {
  if (number <= -10) return { is: "away", local: -10 - number };
  if (number === -2) return { is: "dropped" };
  if (number === -1) return { is: "unknown" };
  return number >= 256 ? { is: "admitted", level: number - 256 } : { is: "known", level: number };
}

export interface Gift {
  readonly amount: number;
  /** The id of the page that gives it, within this shard; 0 when it is in another. */
  readonly page: number;
}

export const NO_GIFT: Gift = { amount: 0, page: 0 };

export class Parcel {
  /** What is in it, in order, and where each begins. */
  readonly names: UrlName[] = [];
  readonly #starts: number[] = [];
  readonly #hosts = new Map<HostKey, number>();
  readonly #words: string[] = [];
  readonly #tierOf: (host: HostKey) => number;
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  constructor(tierOf: (host: HostKey) => number) {
    this.#tierOf = tierOf;
  }

  /** `level`: of its cash, if it is new; `gift`: if it is known. `recorded`: where in the order of records a drop stands. */
  url(url: NewUrl, now: Instant, gift: Gift, level: number, recorded: string): void {
    const { drop } = url;
    let text = tailOf(url, url.at ?? now);
    if (drop !== undefined) {
      const fields = `${endLetter(drop.reason)},${recorded}`;
      const detail = drop.detail === undefined ? "" : `\t${drop.detail}`;
      text = `${String.fromCharCode(fields.length)}${fields}${text}${detail}`;
    }
    this.#add(url, drop === undefined ? URL_KIND : DROP_KIND, url.priority, gift, level, text);
  }

  /** Of one that is known. */
  gift(name: UrlName, gift: Gift): void {
    this.#add(name, CASH_KIND, 0, gift, 0, "");
  }

  words(): Word[] {
    return [wordsOf(this.names), this.#bytes.subarray(0, this.#length), ...this.#words];
  }

  /** Some of it. */
  part(nths: readonly number[]): { names: UrlName[]; words: Word[] } {
    const pieces = nths.map((nth) => this.#bytes.subarray(this.#starts[nth], this.#starts[nth + 1] ?? this.#length));
    const names = nths.map((nth) => this.names[nth]!);
    return { names, words: [wordsOf(names), Buffer.concat(pieces), ...this.#words] };
  }

  #add(name: UrlName, kind: number, priority: number, { amount, page }: Gift, level: number, text: string): void {
    const length = Buffer.byteLength(text);
    const bytes = this.#room(HEAD + length);
    let at = this.#length;
    this.#starts.push(at);
    at = bytes.writeUInt32LE(name.fpLo, at);
    at = bytes.writeUInt32LE(name.fpHi, at);
    at = bytes.writeUInt8(kind, at);
    at = bytes.writeUInt8(priority, at);
    at = bytes.writeUInt16LE(kind === CASH_KIND ? 0 : this.#nth(name.host), at);
    at = bytes.writeUInt8(level, at);
    at = bytes.writeDoubleLE(amount, at);
    at = bytes.writeUInt32LE(page, at);
    at = bytes.writeUInt16LE(length, at);
    this.#length = at + bytes.write(text, at);
    this.names.push(name);
  }

  #nth(host: HostKey): number {
    const known = this.#hosts.get(host);
    if (known !== undefined) return known;
    const nth = this.#hosts.size;
    this.#hosts.set(host, nth);
    this.#words.push(host, String(this.#tierOf(host)));
    return nth;
  }

  #room(more: number): Buffer {
    if (this.#length + more > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    return this.#bytes;
  }
}

/** The first words of fingerprints. */
function wordsOf(names: readonly UrlName[]): Buffer {
  const bytes = Buffer.allocUnsafe(4 * names.length);
  for (const [nth, { fpLo }] of names.entries()) bytes.writeUInt32LE(fpLo, 4 * nth);
  return bytes;
}
