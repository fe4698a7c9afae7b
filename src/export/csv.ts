/**
 * CSV as RFC 4180 has it: CRLF, a header line, quotes where they are needed and doubled inside; UTF-8.
 *
 * Titles and addresses are strangers' words, and spreadsheets run a cell that begins with `=`, `+`, `-` or `@` (or with a
 * tab or a line end before it) as a formula. Such a text gets an apostrophe in front, which shows it as text. Numbers are
 * left alone. Who needs the exact text takes JSON lines, or `formulas: "keep"`.
 */
import type { Stream } from "../base/streamed.ts";
import type { UrlRecord } from "../model/record.ts";
import { type Cell, columns } from "./columns.ts";

export interface CsvOptions {
  readonly formulas?: "disarm" | "keep";
}

const FORMULA = /^[\s\0]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

export function csvCell(cell: Cell, { formulas = "disarm" }: CsvOptions = {}): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  const text = formulas === "disarm" && FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export async function* csvTexts(records: Stream<UrlRecord>, options: CsvOptions = {}): AsyncGenerator<string> {
  yield `${columns.map(({ name }) => name).join(",")}\r\n`;
  for await (const record of records) yield `${columns.map(({ of }) => csvCell(of(record), options)).join(",")}\r\n`;
}
