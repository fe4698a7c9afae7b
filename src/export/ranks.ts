/** Ranked pages as files: JSON lines, CSV, Parquet. */

import type { Chunks } from "../base/replace-file.ts";
import type { Stream } from "../base/streamed.ts";
import { csvCell } from "./csv.ts";

export interface RankedPage {
  readonly id: number;
  readonly url: string;
  /** PageRank; those of all URLs of the crawl add up to 1. */
  readonly rank: number;
  /** Pages that link to it, and that it links to. */
  readonly in_links: number;
  readonly out_links: number;
  readonly status: number | null;
  readonly title: string | null;
}

const NAMES = ["id", "url", "rank", "in_links", "out_links", "status", "title"] as const;

export const rankFormats: Readonly<Record<string, (pages: Stream<RankedPage>) => Chunks>> = {
  async *".jsonl"(pages) {
    for await (const page of pages) yield `${JSON.stringify(page)}\n`;
  },
  async *".csv"(pages) {
    yield `${NAMES.join(",")}\r\n`;
    for await (const page of pages) yield `${NAMES.map((name) => csvCell(page[name])).join(",")}\r\n`;
  },
  async *".parquet"(pages) {
    const { column, tableChunks } = await import("./parquet-table.ts");
    const kinds = {
      id: "long",
      url: "text",
      rank: "real",
      in_links: "int",
      out_links: "int",
      status: "int",
      title: "text",
    } as const;
    yield* tableChunks(
      NAMES.map((name) => column<RankedPage>(name, kinds[name], (page) => page[name])),
      pages,
    );
  },
};
