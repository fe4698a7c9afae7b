/** Reads PDF: text, links, title, language. By PDF.js, as packed by `unpdf`: an optional package, asked for with the first PDF. */

export interface PdfContent {
  readonly title?: string;
  readonly language?: string;
  /** Of link annotations, as written. */
  readonly links: readonly string[];
  /** Page by page; "" when it was not asked for. */
  readonly text: string;
  /** Why the end of the document was not read. */
  readonly error?: string;
}

/** What is not read of one document any more: pages, links, characters, and after how many ms. The rest is in the archive. */
const MOST = { pages: 5_000, links: 20_000, characters: 8_000_000, ms: 20_000 } as const;

/** What is used of PDF.js; its own types need those of a browser. */
interface Pdf {
  readonly numPages: number;
  readonly loadingTask: { destroy(): Promise<void> };
  getMetadata(): Promise<{ readonly info: Readonly<Record<string, unknown>>; readonly metadata: Metadata | null }>;
  getPage(number: number): Promise<PdfPage>;
}
interface Metadata {
  get(name: string): unknown;
}
interface PdfPage {
  getTextContent(): Promise<{ readonly items: readonly TextItem[] }>;
  getAnnotations(): Promise<readonly Annotation[]>;
  cleanup(): boolean;
}
interface TextItem {
  readonly str?: string;
  readonly hasEOL?: boolean;
}
interface Annotation {
  readonly subtype?: string;
  readonly url?: string;
  /** As written: relative ones have no `url`. */
  readonly unsafeUrl?: string;
}

/** Blocks its thread for seconds, and may for ever: see apart.ts. Throws on what is no PDF. */
export async function readPdf(body: Uint8Array, withText: boolean): Promise<PdfContent> {
  const { getDocumentProxy } = await library();
  const startedAt = performance.now();
  const pdf = (await getDocumentProxy(body, { verbosity: 0, stopAtErrors: false })) as unknown as Pdf;
  try {
    const facts = await factsOf(pdf);
    const links = new Set<string>();
    let text = "";
    let failed: string | null = null;
    for (let number = 1; number <= pdf.numPages; number++) {
      const why = enough(number, links.size, text.length, performance.now() - startedAt);
      if (why !== null)
        return {
          ...facts,
          links: [...links],
          text,
          error: `pages after ${number - 1} of ${pdf.numPages} were not read: ${why}`,
        };
      try {
        const page = await pdf.getPage(number);
        for (const { subtype, url, unsafeUrl } of await page.getAnnotations()) {
          const href = subtype === "Link" ? (unsafeUrl ?? url) : undefined;
          if (typeof href === "string" && href !== "") links.add(href);
        }
        if (withText) text += textOf((await page.getTextContent()).items);
        page.cleanup();
      } catch (cause) {
        failed ??= `page ${number}: ${cause instanceof Error ? cause.message : String(cause)}`; // the others may be whole
      }
    }
    return { ...facts, links: [...links], text: text.trimEnd(), ...(failed !== null && { error: failed }) };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

function enough(page: number, links: number, characters: number, ms: number): string | null {
  if (page > MOST.pages) return "there are too many";
  if (links > MOST.links) return `there are more than ${MOST.links} links before`;
  if (characters > MOST.characters) return `there is too much text before`;
  return ms > MOST.ms ? `they took longer than ${MOST.ms / 1000} s` : null;
}

async function factsOf(pdf: Pdf): Promise<Pick<PdfContent, "title" | "language">> {
  const { info, metadata } = await pdf.getMetadata();
  const title = textIn(metadata?.get("dc:title")) ?? textIn(info.Title);
  const language = textIn(info.Language);
  return { ...(title !== null && { title }), ...(language !== null && { language }) };
}

const textIn = (value: unknown): string | null =>
  typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, 1_000) : null;

/** Lines as they end on the page; pages are set apart by an empty line. */
function textOf(items: readonly TextItem[]): string {
  let text = "";
  for (const { str = "", hasEOL } of items) text += hasEOL === true ? `${str}\n` : str;
  return text.trim() === "" ? "" : `${text.trim()}\n\n`;
}

async function library(): Promise<typeof import("unpdf")> {
  try {
    return await import("unpdf");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new Error("PDF is read by the package unpdf, which is not here; npm install unpdf", { cause });
  }
}
