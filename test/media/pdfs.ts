/** PDF files for tests, made by hand (ISO 32000-1, 7.5): small, and as odd as they are asked to be. */
import { deflateSync } from "node:zlib";

export interface PdfPage {
  /** Lines of text. */
  readonly lines?: readonly string[];
  /** URIs of its link annotations. */
  readonly links?: readonly string[];
  /** In place of `lines`: the content stream, as it is. */
  readonly content?: Uint8Array;
}

export interface PdfOptions {
  readonly title?: string;
  readonly language?: string;
}

const literal = (text: string): string => `(${text.replace(/[\\()]/g, "\\$&")})`;

/** One file with these pages. */
export function pdf(pages: readonly PdfPage[], { title, language }: PdfOptions = {}): Buffer {
  const objects: Buffer[] = [];
  const put = (text: string): void => void objects.push(Buffer.from(text, "latin1"));
  const first = 5; // catalog, pages, font and info come before
  const lang = language === undefined ? "" : `/Lang ${literal(language)}`;
  put(`<</Type/Catalog/Pages 2 0 R${lang}>>`);
  put(`<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, i) => `${first + 2 * i} 0 R`).join(" ")}]>>`);
  put("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>");
  put(title === undefined ? "<<>>" : `<</Title ${literal(title)}>>`);
  pages.forEach(({ lines = [], links = [], content }, i) => {
    const annotations = links
      .map((href) => `<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI ${literal(href)}>>>>`)
      .join("");
    const shown = lines.map((line, at) => `BT /F1 12 Tf 20 ${700 - 15 * at} Td ${literal(line)} Tj ET\n`).join("");
    const stream = deflateSync(content ?? Buffer.from(shown, "latin1"));
    put(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>/Annots[${annotations}]/Contents ${first + 2 * i + 1} 0 R>>`,
    );
    const head = `<</Length ${stream.length}/Filter/FlateDecode>>stream\n`;
    objects.push(Buffer.concat([Buffer.from(head), stream, Buffer.from("\nendstream")]));
  });
  return file(objects);
}

function file(objects: readonly Buffer[]): Buffer {
  const parts = [Buffer.from("%PDF-1.7\n")];
  let length = parts[0]!.length;
  const offsets = objects.map((object, i) => {
    const offset = length;
    const part = Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
    parts.push(part);
    length += part.length;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<</Size ${size}/Root 1 0 R/Info 4 0 R>>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
