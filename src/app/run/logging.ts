/** The log of a run: one JSON object a line in DIR/logs (pino), and, if asked, the same for people. */
import { openSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { makeDir } from "../dir/crawl-dir.ts";

export interface RunLog extends Log, AsyncDisposable {
  /** Absolute path of the file. */
  readonly path: string;
}

export interface LogOptions {
  /** The crawl's directory; `logs` is made in it. */
  readonly dir: string;
  readonly clock: Clock;
  /** Also what is said at level "debug". */
  readonly verbose?: boolean;
  /** Gets each event as a line for people. */
  readonly mirror?: ((line: string) => void) | undefined;
}

/** Bytes held back before they are written, and how long at most. */
const BUFFER_BYTES = 8_192;
const FLUSH_MS = 1_000;
/** Closing waits no longer than this for a disk that does not answer. */
const CLOSE_MS = 5_000;

type Level = "debug" | "info" | "warn" | "error";

/**
 * Opens DIR/logs/crawl-<UTC time>.jsonl. Writing never throws and never waits: a log that the disk refuses is given up,
 * since the crawl itself finds out about a full disk. Closing writes out what is held back. Rejects when
 * the file cannot be made.
 */
export async function openLog({ dir, clock, verbose = false, mirror }: LogOptions): Promise<RunLog> {
  const folder = join(dir, "logs");
  await makeDir(folder);
  const time = new Date(clock.now()).toISOString().replace(/[-:]/g, "").replace(/\..*/, "Z");
  const path = join(folder, `crawl-${time}-${process.pid}.jsonl`);
  // Opened here, so that it is ready: pino's own exit hook throws when the process ends before it has opened the file.
  const file = pino.destination({
    dest: openSync(path, "a"),
    sync: false,
    minLength: BUFFER_BYTES,
    periodicFlush: FLUSH_MS,
  });
  let broken = false;
  // Not destroyed, it would be tried again whenever the process is about to end, and so keep it from ending.
  file.on("error", () => {
    broken = true;
    file.destroy();
  });
  const out = pino(
    {
      level: verbose ? "debug" : "info",
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: "event",
    },
    file,
  );
  const write = (level: Level, facts: object, event: string): void => {
    if (!broken) out[level](facts, event);
    if (mirror !== undefined && (verbose || level !== "debug")) mirror(logLine(clock.now(), level, facts, event));
  };
  return {
    path,
    debug: (facts, event) => write("debug", facts, event),
    info: (facts, event) => write("info", facts, event),
    warn: (facts, event) => write("warn", facts, event),
    error: (facts, event) => write("error", facts, event),
    async [Symbol.asyncDispose]() {
      if (broken) return;
      const closed = new Promise<void>((resolve) => {
        file.once("close", resolve);
      });
      file.end();
      const waited = new AbortController();
      await Promise.race([closed, clock.sleep(CLOSE_MS, waited.signal)]);
      waited.abort();
      file.destroy();
    },
  };
}

/** `12:03:10.250 warn  host backs off  host=http://h3.test status=503`, in UTC. */
export function logLine(at: number, level: Level, facts: object, event: string): string {
  const pairs = Object.entries(facts).map(([name, value]) => `${name}=${shown(value)}`);
  return [new Date(at).toISOString().slice(11, 23), level.padEnd(5), event, ...pairs].join(" ");
}

function shown(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.message);
  if (typeof value === "string") return /[\s"=]/.test(value) ? JSON.stringify(value) : value;
  return JSON.stringify(value) ?? String(value);
}
