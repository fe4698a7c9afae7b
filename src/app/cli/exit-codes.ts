/** The exit codes (SPEC 17), and which of them an outcome or an error gets. */
import type { CrawlOutcome } from "../run/outcome.ts";

export const EXIT = {
  done: 0,
  bug: 1,
  usage: 2,
  disk: 3,
  nothingFetched: 4,
  limit: 5,
  interrupted: 130,
  terminated: 143,
} as const;

export const EXIT_WORDS: { readonly [N in keyof typeof EXIT]: string } = {
  done: "done",
  bug: "a bug in Trawl",
  usage: "something is wrong with the command, its configuration or its directory; nothing was written",
  disk: "the disk is full, or the store or the Redis Cluster is away or broken; the same command goes on when that is mended. verify: damage was found",
  nothingFetched: "nothing could be fetched",
  limit: "stopped by --limit, --time-limit or a budget, with --fail-on-limit",
  interrupted: "interrupted (Ctrl-C); the same command goes on",
  terminated: "terminated (SIGTERM); the same command goes on",
};

/** `signal` is what interrupted the crawl, if a signal did. */
export function exitCodeOf(
  reason: CrawlOutcome["reason"],
  { failOnLimit, signal }: { readonly failOnLimit: boolean; readonly signal: NodeJS.Signals | null },
): number {
  switch (reason) {
    case "done":
    case "parked":
      return EXIT.done;
    case "limit":
    case "over-budget":
    case "time-limit":
      return failOnLimit ? EXIT.limit : EXIT.done;
    case "nothing-fetched":
      return EXIT.nothingFetched;
    case "disk":
      return EXIT.disk;
    case "interrupted":
      return signal === "SIGTERM" ? EXIT.terminated : EXIT.interrupted;
    default:
      return reason satisfies never;
  }
}

/** Codes that errors of the store and of the archive carry, where they mean something other than a bug. */
const BY_ERROR_CODE: Readonly<Record<string, number>> = {
  locked: EXIT.usage,
  foreign: EXIT.usage,
  missing: EXIT.usage,
  "state-newer": EXIT.usage,
  "state-older": EXIT.usage,
  disk: EXIT.disk,
  failed: EXIT.disk,
  "disk-full": EXIT.disk,
  damaged: EXIT.disk,
  ENOSPC: EXIT.disk,
  EDQUOT: EXIT.disk,
  EROFS: EXIT.disk,
  EIO: EXIT.disk,
  unwritable: EXIT.usage,
  "store-refused": EXIT.usage,
  "store-away": EXIT.disk,
  "store-corrupt": EXIT.disk,
  "store-missing": EXIT.disk,
  "store-full": EXIT.disk,
  "frontier-away": EXIT.disk,
  "frontier-full": EXIT.disk,
  "frontier-lost": EXIT.disk,
  "frontier-refused": EXIT.usage,
  "frontier-foreign": EXIT.usage,
  "frontier-missing": EXIT.usage,
};

/** Codes by which the file system says that a path is not what a crawl needs there. Node's sentence names the path. */
const BAD_PATH = new Set(["EACCES", "EPERM", "ENOTDIR", "EISDIR", "EEXIST", "ENAMETOOLONG", "ELOOP", "ENOENT"]);

/** Codes by which it says that there is no room. */
const NO_ROOM = new Set(["ENOSPC", "EDQUOT"]);

/** What an error says to the user: the thing and the mend. */
export function sentenceOf(error: Error): string {
  if ("code" in error && NO_ROOM.has(String(error.code))) {
    const where = "path" in error ? ` to write ${error.path}` : " on the disk";
    return `no room left${where} (${error.code}): make room, then run the same command again`;
  }
  const isPath = "code" in error && "path" in error && BAD_PATH.has(String(error.code));
  return isPath ? `${error.message}; mend that path, or name another directory with --dir` : error.message;
}

/** The exit code for an error whose message is meant for the user; null for a bug, whose stack is wanted. */
export function exitCodeOfError(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  if ("exitCode" in error && typeof error.exitCode === "number") return error.exitCode;
  if (!("code" in error)) return null;
  if ("path" in error && BAD_PATH.has(String(error.code))) return EXIT.usage;
  return BY_ERROR_CODE[String(error.code)] ?? null;
}
