/**
 * Whether a place in an HTML document is inside SVG or MathML, where titles and styles are ordinary elements, CDATA
 * exists and `/>` closes (HTML, 13.2.6.5). Only the elements that can change the answer are remembered.
 */

/** Start tags that end foreign content. */
const BREAKOUT = new Set(
  (
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta " +
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
  ).split(" "),
);

const SVG_HTML_POINTS = new Set(["foreignobject", "desc", "title"]);
const MATH_TEXT_POINTS = new Set(["mi", "mo", "mn", "ms", "mtext"]);

/** As deep as browsers nest; deeper elements are not remembered. */
const MAX_DEPTH = 512;

interface Open {
  readonly name: string;
  readonly root: "svg" | "math";
  /** An integration point: what is inside it is HTML again. */
  readonly html: boolean;
  /** The place of the innermost integration point that it is in, or is; -1: of none. */
  readonly point: number;
}

export class ForeignContent {
  readonly #open: Open[] = [];
  /** Where elements of a name stand among those, the outermost first; names that no longer do have an empty list. */
  readonly #places = new Map<string, number[]>();
  #drawings = 0;

  /** Inside an `<svg>` or `<math>`, at whatever depth. */
  get inside(): boolean {
    return this.#open.length > 0;
  }

  /** Inside an `<svg>`, at whatever depth. */
  get inDrawing(): boolean {
    return this.#drawings > 0;
  }

  /** The rules of foreign content hold here. */
  get strict(): boolean {
    const top = this.#open.at(-1);
    return top !== undefined && !top.html;
  }

  /**
   * Takes a start tag (name in lower case) into account; true when its element is foreign. `fontAttribute`: the tag has
   * color, face or size, which make a `<font>` break out. `encoding`: the value of that attribute.
   */
  start(name: string, selfClosing: boolean, fontAttribute: boolean, encoding: string | null): boolean {
    const top = this.#open.at(-1);
    if (top === undefined || (top.html && !(top.name === "annotation-xml" && name === "svg"))) {
      if (name !== "svg" && name !== "math") return false;
      if (!selfClosing) this.#push({ name, root: name, html: false });
      return true;
    }
    if (BREAKOUT.has(name) || (name === "font" && fontAttribute)) {
      while (this.strict) this.#pop();
      return false;
    }
    if (selfClosing) return true;
    if (name === "svg" && top.root === "math") this.#push({ name, root: "svg", html: false });
    else if (name === top.root) this.#push({ name, root: top.root, html: false });
    else if (top.root === "svg" && SVG_HTML_POINTS.has(name)) this.#push({ name, root: "svg", html: true });
    else if (top.root === "math" && MATH_TEXT_POINTS.has(name)) this.#push({ name, root: "math", html: true });
    else if (top.root === "math" && name === "annotation-xml") {
      const isHtml = /^(?:text\/html|application\/xhtml\+xml)$/i.test(encoding ?? "");
      if (isHtml) this.#push({ name, root: "math", html: true });
    }
    return true;
  }

  /**
   * Takes an end tag (name in lower case) into account. One that can only be HTML's ends foreign content: most likely
   * its element was opened outside, and the `<svg>` never closed. (A tree builder knows; without one this is a guess,
   * but for `</p>` and `</br>`, which the standard treats so.)
   */
  end(name: string): void {
    if (this.strict && BREAKOUT.has(name)) {
      while (this.strict) this.#pop();
      return;
    }
    const place = this.#places.get(name)?.at(-1);
    // What is outside an integration point is out of reach.
    if (place === undefined || place < this.#open.at(-1)!.point) return;
    while (this.#open.length > place) this.#pop();
  }

  #push(element: Omit<Open, "point">): void {
    const place = this.#open.length;
    if (place >= MAX_DEPTH) return;
    this.#open.push({ ...element, point: element.html ? place : (this.#open.at(-1)?.point ?? -1) });
    if (element.root === "svg") this.#drawings++;
    const places = this.#places.get(element.name);
    if (places === undefined) this.#places.set(element.name, [place]);
    else places.push(place);
  }

  #pop(): void {
    const { name, root } = this.#open.pop()!;
    if (root === "svg") this.#drawings--;
    this.#places.get(name)!.pop();
  }
}
