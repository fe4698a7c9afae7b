/** What an export is told, and what a format is. */
import type { Instant } from "../../base/clock.ts";
import type { Chunks } from "../../base/replace-file.ts";
import type { CrawlView } from "../place/view.ts";
import type { Tally } from "./tally.ts";
import type { Where } from "./where.ts";

export type Unit = "URLs" | "captures" | "bytes";

export interface ExportJob extends Pick<CrawlView, "name" | "config" | "archive" | "state"> {
  /** Null: everything is meant. */
  readonly where: Where | null;
  /** Absolute; null for standard output. */
  readonly path: string | null;
  /** Writes the pieces: to `path`, or what is named in its place, whole or not at all, or to standard output. */
  emit(chunks: Chunks, path?: string): Promise<void>;
  /** Counts what is written. */
  readonly tally: Tally;
  /** How far it is: URLs gone through, captures indexed, bytes of the archive. `total`: null when it is not known. Throws when the user has stopped it. */
  onProgress(unit: Unit, done: number, total: number | null): void;
  /** Says on standard error what the user should know of the result. */
  warn(sentence: string): void;
  readonly now: Instant;
}

export interface ExportFormat {
  readonly name: string;
  /** With the dot, lower case. */
  readonly suffix: string;
  /** One line for the help. */
  readonly says: string;
  /** Archive, links and pages must be of one moment, whatever a crawl that runs commits meanwhile. */
  readonly ofOneMoment?: true;
  /** Many files, in a folder that is made. */
  readonly folder?: true;
  /** Whether `--where` may choose. */
  readonly chooses: boolean;
  write(job: ExportJob): Promise<void>;
}
