/** Where a page stands in a tree of files, one a page: folders as in its URL, names that every file system takes. */
import { hashText } from "../base/hash.ts";
import { FingerprintTable } from "../dedup/fingerprint-table.ts";

/** Of a name, in bytes: file systems take 255, and an ending and a mark are still to come. */
const LONGEST = 180;

/** Not in names on Windows, nor good in a shell. */
const UNSAFE = /[\0-\x1f\x7f<>:"/\\|?*%#]+/g;
/** Devices on Windows, whatever their ending. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * Names each URL of an export once. Names that differ in case alone count as the same: some file systems think so. Memory
 * holds 16 bytes a name: two of one fingerprint count as the same too.
 */
export class PagePaths {
  readonly #taken = new FingerprintTable();

  /** `example.com/docs/start.md`: relative, with "/" between folders. Query, port and what is cut off become a mark. */
  of(href: string): string {
    const { hostname, port, pathname, search } = new URL(href);
    const host = safe(hostname.replace(/^\[|\]$/g, "").replaceAll(":", "_")) + (port === "" ? "" : `_${port}`);
    const segments = pathname.slice(1).split("/");
    const last = segments.pop()!.replace(/\.(x?html?|md|txt|pdf)$/i, "");
    const folders = segments.filter((segment) => segment !== "").map(folderOf);
    const name = safe(decoded(last)) || "index";
    const stem = [host, ...folders, name].join("/");
    const path = `${stem}${search === "" ? "" : `-${mark(search)}`}.md`;
    if (this.#take(path)) return path;
    const marked = `${stem}-${mark(href)}`;
    for (let nth = 1; ; nth++) {
      const other = `${marked}${nth === 1 ? "" : `-${nth}`}.md`;
      if (this.#take(other)) return other;
    }
  }

  #take(path: string): boolean {
    const [hi, lo] = hashText(path.toLowerCase());
    return this.#taken.insert(hi, lo, 1);
  }
}

/** A folder does not end like a page, so that no page's name is that of a folder. */
const folderOf = (segment: string): string => safe(decoded(segment)).replace(/\.md$/i, "_md") || "_";

const mark = (text: string): string => hashText(text)[0].toString(16).padStart(8, "0");

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function safe(text: string): string {
  const name = text
    .toWellFormed()
    .normalize("NFC")
    .replace(UNSAFE, "_")
    .replace(/^\.+|[. ]+$/g, "_");
  const whole = RESERVED.test(name) ? `_${name}` : name;
  if (Buffer.byteLength(whole) <= LONGEST) return whole;
  let cut = whole.slice(0, LONGEST);
  while (Buffer.byteLength(cut) > LONGEST) cut = cut.slice(0, -8);
  return `${cut.toWellFormed()}-${mark(whole)}`;
}
