/**
 * The main content of an HTML page, without what stands around it on every page of its site: by Mozilla's Readability, on
 * linkedom's tree, to Markdown by Turndown. Optional packages, asked for with the first page.
 *
 * It takes as long as the page likes: see apart.ts.
 */
import { toMarkdown } from "./markdown.ts";
import { plainText } from "./plain-text.ts";
import type { TreeDocument, TreeElement } from "./tree.ts";

export interface MainContent {
  readonly title: string;
  /** Paragraphs set apart by empty lines, tables by tabs. */
  readonly text: string;
  /** CommonMark with GitHub's tables; begins with the title; links are absolute. */
  readonly markdown: string;
}

/** What `npm install` must have brought. */
const PACKAGES = ["@mozilla/readability", "linkedom", "turndown"] as const;

/** Which of the packages are not here. */
export function missingForContent(packages: readonly string[] = PACKAGES): string[] {
  return packages.filter((name) => {
    try {
      import.meta.resolve(name);
      return false;
    } catch {
      return true;
    }
  });
}

/** A page that is longer, in characters, is a dump and no text. */
const LONGEST = 8_000_000;

/**
 * `source`: decoded. `href`: what links are relative to, where the document has no base. A page in which Readability finds
 * no article is taken whole. Throws a sentence when a package is missing or the page is too long.
 */
export async function mainContent(source: string, href: string): Promise<MainContent> {
  const html = source.replaceAll("\0", ""); // no text holds one (HTML, 13.2.6.4.7)
  if (html.length > LONGEST) throw new Error("it is too long for its main content to be looked for");
  const { parse, Readability, Turndown } = await libraries();
  const document = parse(html);
  const base = URL.parse(document.querySelector("base[href]")?.getAttribute("href") ?? "", href)?.href ?? href;
  // Lists of links are content in a contents page: by Readability's own measure they would go.
  const article = new Readability(document, {
    serializer: (element) => element,
    linkDensityModifier: 1,
    keepClasses: true,
  });
  // Of a document without a head Readability knows no title; and it takes the tree apart.
  const written = document.querySelector("title")?.textContent ?? "";
  const found = article.parse();
  const content = found?.content ?? wholeBody(parse(html));
  const title = (found?.title || written).trim();
  tidy(content, base);
  const body = toMarkdown(content, Turndown);
  return { title, text: plainText(content), markdown: `${title === "" ? "" : `# ${title}\n\n`}${body}\n` };
}

const AROUND = "script, style, noscript, template, nav, footer, iframe, form";

function wholeBody(document: TreeDocument): TreeElement {
  for (const element of document.querySelectorAll(AROUND)) element.remove();
  return document.body;
}

/** Links that mean the same wherever the text goes, and headings without the marks that lead to themselves. */
function tidy(content: TreeElement, base: string): void {
  // Of a document without a head.
  for (const element of content.querySelectorAll("title, script, style")) element.remove();
  for (const link of content.querySelectorAll("a[href], img[src]")) {
    const name = link.localName === "a" ? "href" : "src";
    const target = URL.parse(link.getAttribute(name) ?? "", base)?.href;
    if (target !== undefined) link.setAttribute(name, target);
  }
  for (const mark of content.querySelectorAll("h1 a, h2 a, h3 a, h4 a, h5 a, h6 a, dt a"))
    if (/^[\s¶#§🔗]*$/u.test(mark.textContent) && mark.querySelector("img") === null) mark.remove();
}

interface Libraries {
  readonly parse: (html: string) => TreeDocument;
  readonly Readability: new (
    document: TreeDocument,
    options: { serializer: (element: TreeElement) => TreeElement; linkDensityModifier: number; keepClasses: boolean },
  ) => { parse(): { readonly title?: string; readonly content?: TreeElement } | null };
  readonly Turndown: typeof import("turndown");
}

async function libraries(): Promise<Libraries> {
  const missing = missingForContent();
  if (missing.length > 0)
    throw new Error(`main content is found by packages that are not here; npm install ${missing.join(" ")}`);
  const [{ Readability }, { parseHTML }, { default: Turndown }] = await Promise.all([
    import("@mozilla/readability"),
    import("linkedom"),
    import("turndown"),
  ]);
  const parse = (html: string) =>
    withBody(
      parseHTML(html) as unknown as Parsed,
      () => parseHTML(`<html><body>${html}</body></html>`) as unknown as Parsed,
    );
  return { parse, Readability, Turndown } as unknown as Libraries;
}

interface Parsed {
  readonly document: TreeDocument;
}

/** What belongs to the head, wherever it stands outside of the body. */
const OF_HEAD = new Set(["TITLE", "META", "LINK", "BASE", "SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE"]);

/** Tags of head and body may be left out (HTML, 13.1.2.4); linkedom makes elements of tags alone. */
function withBody({ document }: Parsed, wrapped: () => Parsed): TreeDocument {
  const root = document.documentElement;
  if (root?.localName !== "html") return wrapped().document;
  const children = Array.from(root.childNodes);
  const part = (name: "head" | "body") =>
    children.find(({ nodeName }) => nodeName === name.toUpperCase()) ?? document.createElement(name);
  const head = part("head") as TreeElement;
  const body = part("body") as TreeElement;
  for (const child of children)
    if (child !== head && child !== body) (OF_HEAD.has(child.nodeName) ? head : body).appendChild(child);
  root.appendChild(head);
  root.appendChild(body);
  return document;
}
