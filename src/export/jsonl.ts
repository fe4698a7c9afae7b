/** JSON lines: one object a URL, every column in every line, so that a table can be made of it without looking ahead. */
import type { Stream } from "../base/streamed.ts";
import type { UrlRecord } from "../model/record.ts";
import { columns } from "./columns.ts";

/** One line with its line feed; also what pages.jsonl and `--jsonl` hold. */
export function pageLine(record: UrlRecord): string {
  let line = "";
  for (const { name, of } of columns) line += `${line === "" ? "{" : ","}"${name}":${JSON.stringify(of(record))}`;
  return `${line}}\n`;
}

export async function* jsonlTexts(records: Stream<UrlRecord>): AsyncGenerator<string> {
  for await (const record of records) yield pageLine(record);
}
