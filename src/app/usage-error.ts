/** What the user got wrong, said in one sentence that names the thing and the mend. Exit code 2, nothing written. */

/** Stable: scripts may match on it. Sentences may be reworded. */
export type UsageCode =
  | "unknown-command"
  | "unknown-option"
  | "bad-value"
  | "missing-value"
  | "missing-argument"
  | "unexpected-argument"
  | "no-seeds"
  | "bad-seeds"
  | "input-file"
  | "config-file"
  | "handler"
  | "missing-package"
  | "cookies"
  | "proxy"
  | "directory"
  | "store"
  | "frontier"
  | "events"
  | "metrics"
  | "locked"
  | "state-newer"
  | "url"
  | "export"
  | "import";

export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code: UsageCode;
  readonly exitCode = 2;

  constructor(code: UsageCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.code = code;
  }
}
