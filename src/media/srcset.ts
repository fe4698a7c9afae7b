/** The candidates of a `srcset`, by the HTML standard's "parse a srcset attribute" (section 4.8.4.2.2). */

const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);
const COMMA = 0x2c;
const OPEN = 0x28;
const CLOSE = 0x29;

/** The URLs as written, of the candidates whose descriptors are well formed. */
export function srcsetUrls(input: string): string[] {
  const urls: string[] = [];
  const { length } = input;
  let at = 0;
  for (;;) {
    while (at < length && (isSpace(input.charCodeAt(at)) || input.charCodeAt(at) === COMMA)) at++;
    if (at >= length) return urls;
    const start = at;
    while (at < length && !isSpace(input.charCodeAt(at))) at++;
    let end = at;
    if (input.charCodeAt(end - 1) === COMMA) {
      while (end > start && input.charCodeAt(end - 1) === COMMA) end--;
      urls.push(input.slice(start, end));
      continue;
    }
    const descriptors: string[] = [];
    at = readDescriptors(input, at, descriptors);
    if (areValid(descriptors)) urls.push(input.slice(start, end));
  }
}

/** Reads to behind the comma that ends the candidate. */
function readDescriptors(input: string, from: number, descriptors: string[]): number {
  const { length } = input;
  let at = from;
  let start = -1; // of the current descriptor
  let depth = false;
  const flush = (end: number) => {
    if (start >= 0) descriptors.push(input.slice(start, end));
    start = -1;
  };
  for (; at < length; at++) {
    const code = input.charCodeAt(at);
    if (depth) {
      if (code === CLOSE) depth = false;
    } else if (isSpace(code)) flush(at);
    else if (code === COMMA) {
      flush(at);
      return at + 1;
    } else {
      if (start < 0) start = at;
      if (code === OPEN) depth = true;
    }
  }
  flush(at);
  return at;
}

const WHOLE = /^[0-9]+$/;
const FLOAT = /^-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

function areValid(descriptors: readonly string[]): boolean {
  let width = false;
  let density = false;
  let height = false;
  for (const descriptor of descriptors) {
    const value = descriptor.slice(0, -1);
    switch (descriptor.at(-1)) {
      case "w":
        if (width || density || !WHOLE.test(value) || Number(value) === 0) return false;
        width = true;
        break;
      case "x":
        if (width || density || height || !FLOAT.test(value) || Number(value) < 0) return false;
        density = true;
        break;
      case "h":
        if (height || density || !WHOLE.test(value) || Number(value) === 0) return false;
        height = true;
        break;
      default:
        return false;
    }
  }
  return !height || width;
}
