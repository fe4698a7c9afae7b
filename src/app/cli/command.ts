/** What a command is, and what it may touch of the process it runs in. */
import type { Clock } from "../../base/clock.ts";
import type { Table } from "../config/arguments.ts";
import type { Screen } from "./progress-display.ts";
import type { SignalSource } from "./signals.ts";

/** Where results go: texts, and bytes as they are. */
export interface Output {
  readonly isTTY?: boolean | undefined;
  write(text: string | Uint8Array): unknown;
}

/** The process as commands see it; a test brings its own. */
export interface Shell {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Results only. */
  readonly stdout: Output;
  /** All else. */
  readonly stderr: Screen;
  readonly signals: SignalSource;
  /** All of standard input as text. */
  readonly readStdin: () => Promise<string>;
}

export interface Command {
  readonly name: string;
  /** What follows `trawl `: `status DIR`. */
  readonly usage: string;
  /** One line. */
  readonly says: string;
  /** More for its own help page; paragraphs. */
  readonly more?: string;
  readonly options: Table;
  /** The exit code. Throws `UsageError` for what the user got wrong. */
  run(argv: readonly string[], shell: Shell): Promise<number>;
}
