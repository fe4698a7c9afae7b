/**
 * The text of an HTML document that a reader sees: what stands between tags, outside of scripts, styles, titles,
 * templates, drawings and the like. What a style or an attribute hides counts as seen: who computes styles is a browser.
 *
 * White space is folded to one space. Between blocks and cells, and where a line breaks, there is always one; between
 * inline elements there is not, as a browser shows it. Asked for `lines`, blocks and cells stand on lines of their own.
 */
import { asBuffer, decode } from "./charset.ts";
import { SeenText, type TextSink } from "./seen-text.ts";
import { TagReader } from "./tags.ts";

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const AMPERSAND = 0x26;
const LESS = 0x3c;

/** `html`: in UTF-8. */
export function visibleText(
  html: Uint8Array,
  { lines = false, ...options }: { readonly xml?: boolean; readonly lines?: boolean } = {},
): string {
  const gatherer = new Gatherer(html.length, lines ? LINE_FEED : SPACE);
  const text = asBuffer(html).toString("latin1");
  const tags = new TagReader(text, { ...options, seen: new SeenText(html, text, gatherer) });
  while (tags.next() !== "");
  return gatherer.text();
}

/** Where the text of all but great documents is gathered. */
const scratch = new Uint8Array(1 << 18);

/** Keeps what is seen, white space folded. */
class Gatherer implements TextSink {
  readonly #seen: Uint8Array;
  /** What sets blocks off from each other. */
  readonly #between: number;
  #length = 0;
  /** A space stands at the end of what was gathered, or nothing was. */
  #spaced = true;

  /** `bytes`: the length of the document. A character reference may be a little shorter than what it stands for. */
  constructor(bytes: number, between: number) {
    this.#between = between;
    const most = Math.ceil(bytes * 1.5);
    this.#seen = most <= scratch.length ? scratch : new Uint8Array(most);
  }

  text(): string {
    const end = this.#spaced && this.#length > 0 ? this.#length - 1 : this.#length;
    return decode(this.#seen.subarray(0, end), "utf-8");
  }

  take(bytes: Uint8Array, from: number, end: number): number {
    const seen = this.#seen;
    let length = this.#length;
    let spaced = this.#spaced;
    let at = from;
    while (at < end) {
      let code = bytes[at]!;
      if (code === LESS || code === AMPERSAND) break;
      if (code <= SPACE && isSpace(code)) {
        if (!spaced) seen[length++] = SPACE;
        spaced = true;
        at++;
        continue;
      }
      spaced = false;
      do {
        seen[length++] = code;
        if (++at >= end) break;
        code = bytes[at]!;
      } while (code > SPACE && code !== LESS && code !== AMPERSAND);
    }
    this.#length = length;
    this.#spaced = spaced;
    return at;
  }

  put(code: number): void {
    if (code !== SPACE) {
      this.#seen[this.#length++] = code;
      this.#spaced = false;
    } else if (!this.#spaced) {
      this.#seen[this.#length++] = this.#between;
      this.#spaced = true;
    } else if (this.#length > 0) this.#seen[this.#length - 1] = this.#between;
  }
}

const isSpace = (code: number): boolean => code === 0x20 || (code <= 0x0d && code >= 0x09 && code !== 0x0b);
