/** What a browser without scripts would find in a document, by parse5's tree: the reference for our reader. */
import { defaultTreeAdapter as adapter, parse, type DefaultTreeAdapterTypes as Tree } from "parse5";

export interface Found {
  /** "a x.html", "img y.png": the element and its URL, each once, sorted. */
  readonly links: readonly string[];
  readonly base: string | null;
  readonly title: string | null;
  readonly language: string | null;
}

const URL_ATTRIBUTES: Readonly<Record<string, string>> = {
  a: "href",
  area: "href",
  link: "href",
  iframe: "src",
  img: "src",
  script: "src",
  source: "src",
  embed: "src",
  audio: "src",
  track: "src",
  video: "src",
  object: "data",
};

export const ELEMENTS = Object.keys(URL_ATTRIBUTES);

const HTML = "http://www.w3.org/1999/xhtml";

export function readWithParse5(text: string): Found {
  const links = new Set<string>();
  let base: string | null = null;
  let title: string | null = null;
  let language: string | null = null;
  const value = (element: Tree.Element, name: string): string | null =>
    element.attrs.find((attr) => (attr.prefix ? `${attr.prefix}:${attr.name}` : attr.name) === name)?.value ?? null;

  // A stack, not recursion: the documents are hostile.
  const pending: Tree.Node[] = [parse(text, { scriptingEnabled: false })];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (adapter.isElementNode(node)) {
      const name = node.tagName;
      if (node.namespaceURI === HTML) {
        const attribute = URL_ATTRIBUTES[name];
        const url = attribute === undefined ? null : value(node, attribute);
        if (url !== null) links.add(`${name} ${url}`);
        if (name === "base") base ??= value(node, "href");
        if (name === "title") title ??= node.childNodes.map((child) => ("value" in child ? child.value : "")).join("");
        if (name === "html") language ??= value(node, "lang");
      } else if (name === "a") {
        const url = value(node, "href") ?? value(node, "xlink:href");
        if (url !== null) links.add(`a ${url}`);
      }
    }
    if ("childNodes" in node) for (const child of node.childNodes.toReversed()) pending.push(child);
  }
  return { links: [...links].sort(), base, title: title === null ? null : fold(title), language };
}

/** White space as `document.title` gives it. */
export const fold = (text: string): string => text.replace(/[\t\n\f\r ]+/g, " ").trim();
