/** What can be wrong with a cluster. Each error has a stable `code` and says the mend. */

export type ClusterErrorCode =
  /** Nobody answers, or a master has no replica that takes part; the same call may go well later. */
  | "away"
  /** A master has no memory left; the same call may go well when it has. */
  | "full"
  /** It has lost some of what it was given, for ever. */
  | "lost"
  /** It is not set up so that nothing is lost. */
  | "refused"
  /** The crawl was created otherwise, by another Trawl or with other options. */
  | "foreign"
  /** The client is not installed. */
  | "missing";

export class ClusterError extends Error {
  override readonly name = "ClusterError";
  readonly code: `frontier-${ClusterErrorCode}`;

  constructor(code: ClusterErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = `frontier-${code}`;
  }
}

/** What Redis says to those whom it does not let in, or not to what they ask for. */
export const isShutOut = (said: string): boolean => /^(NOAUTH|WRONGPASS|NOPERM|ERR AUTH)\b/.test(said);

/** For what others will see for themselves, in time, if it does not reach Redis. */
export function unlessAway(cause: unknown): void {
  if (!(cause instanceof ClusterError && /^frontier-(away|full)$/.test(cause.code))) throw cause;
}
