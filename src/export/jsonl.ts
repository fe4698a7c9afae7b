/** JSON lines: one object a URL, every column in every line, so that a table can be made of it without looking ahead. */
import type { UrlRecord } from "../model/record.ts";
import { columns } from "./columns.ts";

/** One line with its line feed; also what pages.jsonl and `--jsonl` hold. */
export function pageLine(record: UrlRecord): string {
  let line = "";
  for (const { name, of } of columns) line += `${line === "" ? "{" : ","}"${name}":${JSON.stringify(of(record))}`;
  return `${line}}\n`;
}

export function* jsonlTexts(records: Iterable<UrlRecord>): Generator<string> {
  for (const record of records) yield pageLine(record);
}
