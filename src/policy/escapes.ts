/** Percent-encoding in one form (RFC 3986 section 6.2.2): upper-case hex, unreserved characters as themselves, all that no URI may hold encoded. */

const HEX = "0123456789ABCDEF";

/** The value of a hex digit's char code, or -1. */
function hexValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** ALPHA / DIGIT / "-" / "." / "_" / "~" (RFC 3986 section 2.3). */
function isUnreserved(code: number): boolean {
  const lower = code | 32;
  return (
    (lower >= 97 && lower <= 122) ||
    (code >= 48 && code <= 57) ||
    code === 45 ||
    code === 46 ||
    code === 95 ||
    code === 126
  );
}

/** Characters that may not stand raw in a URI's path or query (RFC 3986 section 3.3), though WHATWG lets some of them. */
const FORBIDDEN = /[^!$&'()*+,\-./0-9:;=?@A-Z_a-z~%]/;
const EACH_FORBIDDEN = /[^!$&'()*+,\-./0-9:;=?@A-Z_a-z~%]+/g;

function encodeRun(run: string): string {
  let out = "";
  for (const byte of new TextEncoder().encode(run)) out += `%${HEX[byte >> 4]}${HEX[byte & 15]}`;
  return out;
}

/**
 * A path or a query in one form. Reserved characters stay as they are, raw or encoded, because the two may mean
 * different things; a "%" that begins no escape becomes "%25". Doing it again changes nothing.
 */
export function oneEscapeForm(text: string): string {
  const clean = FORBIDDEN.test(text) ? text.replace(EACH_FORBIDDEN, encodeRun) : text;
  let at = clean.indexOf("%");
  if (at === -1) return clean;
  let out = "";
  let from = 0;
  for (; at !== -1; at = clean.indexOf("%", at)) {
    const high = hexValue(clean.charCodeAt(at + 1));
    const low = high === -1 ? -1 : hexValue(clean.charCodeAt(at + 2));
    if (low === -1) {
      out += `${clean.slice(from, at)}%25`;
      at += 1;
    } else {
      const byte = high * 16 + low;
      out += clean.slice(from, at) + (isUnreserved(byte) ? String.fromCharCode(byte) : `%${HEX[high]}${HEX[low]}`);
      at += 3;
    }
    from = at;
  }
  return out + clean.slice(from);
}
