/** A tree as plain text: paragraphs set apart by empty lines, items of lists marked, rows of tables a line with tabs. */
import { isData, tableOf } from "./data-table.ts";
import { ELEMENT, TEXT, type TreeElement, type TreeNode } from "./tree.ts";

const PARAGRAPHS = new Set(
  (
    "address article aside blockquote details dialog dl div fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hr main nav ol p pre section table ul"
  ).split(" "),
);
const LINES = new Set(["dd", "dt", "li", "tr", "caption", "summary"]);
const NOT_SEEN = new Set(["script", "style", "template", "noscript", "head", "title"]);

export function plainText(root: TreeElement): string {
  const writer = new Writer();
  write(root, writer, "flow");
  return writer.text();
}

/** Where a node stands: what is in a cell of data is one line, whatever it is made of. */
type Place = "flow" | "verbatim" | "cell";

function write(node: TreeNode, writer: Writer, place: Place): void {
  if (node.nodeType === TEXT) writer.put(node.nodeValue ?? "", place === "verbatim");
  if (node.nodeType !== ELEMENT) return;
  const name = (node as TreeElement).localName;
  if (NOT_SEEN.has(name)) return;
  const isCell = name === "td" || name === "th";
  const isDatum = isCell && isData(tableOf(node as TreeElement));
  const gap = place === "cell" || isDatum ? 0 : gapAround(name);
  writer.break(gap);
  if (name === "li") writer.mark("- ");
  if (isDatum) writer.tab();
  if (place === "cell" && gapAround(name) > 0) writer.space();
  const inside = isDatum ? "cell" : name === "pre" ? "verbatim" : place;
  // Asked for once: linkedom makes the list anew each time.
  for (const child of Array.from(node.childNodes)) write(child, writer, inside);
  if (place === "cell" && gapAround(name) > 0) writer.space();
  writer.break(gap);
}

function gapAround(name: string): number {
  if (PARAGRAPHS.has(name) || name === "td" || name === "th") return 2;
  return LINES.has(name) || name === "br" ? 1 : 0;
}

class Writer {
  readonly #parts: string[] = [];
  /** Line breaks that stand before what comes next; white space that does. */
  #breaks = 0;
  #space = "";
  /** The mark of an item was written last: what comes next stands right behind it. */
  #marked = false;

  put(text: string, verbatim: boolean): void {
    if (verbatim) {
      this.#write(text.replace(/\r\n?/g, "\n"));
      return;
    }
    const words = text.replace(/[\t\n\f\r ]+/g, " ");
    if (words.startsWith(" ") && this.#space === "") this.#space = " ";
    if (words.trim() === "") return;
    this.#write(words.trim());
    if (words.endsWith(" ")) this.#space = " ";
  }

  /** At least so many line breaks come before what is written next. */
  break(lines: number): void {
    if (!this.#marked && lines > this.#breaks) this.#breaks = lines;
  }

  space(): void {
    if (this.#space === "") this.#space = " ";
  }

  tab(): void {
    if (this.#breaks === 0) this.#space = "\t";
  }

  mark(text: string): void {
    this.#write(text);
    this.#marked = true;
  }

  #write(text: string): void {
    if (text === "") return;
    const last = this.#parts.at(-1);
    if (last !== undefined && !this.#marked) {
      const breaks = Math.max(this.#breaks - (last.endsWith("\n") ? 1 : 0), 0);
      this.#parts.push(this.#breaks > 0 ? "\n".repeat(breaks) : this.#space);
    }
    this.#marked = false;
    this.#breaks = 0;
    this.#space = "";
    this.#parts.push(text);
  }

  text(): string {
    return this.#parts.join("").trim();
  }
}
