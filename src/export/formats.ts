/** The formats that are a row a URL, each as a stream of pieces. */

import type { Chunks } from "../base/replace-file.ts";
import type { Stream } from "../base/streamed.ts";
import type { UrlRecord } from "../model/record.ts";
import { csvTexts } from "./csv.ts";
import { jsonlTexts } from "./jsonl.ts";
import type { HostNames } from "./parquet.ts";

export interface RowFormat {
  readonly name: string;
  /** With the dot, lower case. */
  readonly suffix: string;
  /** One line for the help. */
  readonly says: string;
  /** The file in pieces; rows are asked for as pieces are taken. */
  chunks(records: Stream<UrlRecord>, names: HostNames): Chunks;
}

export const rowFormats: readonly RowFormat[] = [
  {
    name: "jsonl",
    suffix: ".jsonl",
    says: "one JSON object a URL",
    chunks: jsonlTexts,
  },
  {
    name: "csv",
    suffix: ".csv",
    says: "a table for spreadsheets (RFC 4180; texts that would run as formulas are disarmed)",
    chunks: (records) => csvTexts(records),
  },
  {
    name: "parquet",
    suffix: ".parquet",
    says: "a table for DuckDB, Spark, pandas; columns are named as in Common Crawl's index",
    async *chunks(records, names) {
      // Its library is large, and every other command starts without it.
      const { parquetChunks } = await import("./parquet.ts");
      yield* parquetChunks(records, names);
    },
  },
];
