/** The formats that a crawl's URLs can be exported to, by the ending of the file's name. */
import { replaceFile } from "../base/replace-file.ts";
import type { UrlRecord } from "../model/record.ts";
import { csvTexts } from "./csv.ts";
import { jsonlTexts } from "./jsonl.ts";

export interface ExportFormat {
  /** With the dot, lower case. */
  readonly suffix: string;
  /** One line for the help. */
  readonly says: string;
  /** Writes the rows to `path`, streaming; an older file is replaced whole or not at all. */
  write(records: Iterable<UrlRecord>, path: string): Promise<void>;
}

export const formats: readonly ExportFormat[] = [
  {
    suffix: ".jsonl",
    says: "one JSON object a URL",
    write: (records, path) => replaceFile(path, jsonlTexts(records)),
  },
  {
    suffix: ".csv",
    says: "a table for spreadsheets (RFC 4180; texts that would run as formulas are disarmed)",
    write: (records, path) => replaceFile(path, csvTexts(records)),
  },
];

/** The format for a file's name, or null when none is known for its ending. */
export function formatFor(path: string): ExportFormat | null {
  const name = path.toLowerCase();
  return formats.find(({ suffix }) => name.endsWith(suffix)) ?? null;
}
