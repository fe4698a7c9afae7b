/** How progress gets onto standard error: redrawn in place on a terminal, a line every ten seconds elsewhere. */
import type { CrawlStats } from "../../model/stats.ts";
import { plainLine, statusLines } from "../run/progress.ts";

/** What is needed of a stream: `process.stderr` fits. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export interface ProgressDisplay {
  /** Takes a snapshot and shows it when it is time to. Time is the snapshots' own. */
  show(stats: CrawlStats): void;
  /** Writes a line that stays, above the status. */
  say(line: string): void;
  /** Takes the status away; nothing is drawn after. */
  end(): void;
}

export interface DisplayOptions {
  readonly quiet: boolean;
  /** From the environment: any text in `NO_COLOR` turns colour off, `TERM=dumb` turns redrawing off. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const REDRAW_MS = 180;
const PLAIN_MS = 10_000;

export function progressDisplay(screen: Screen, { quiet, env }: DisplayOptions): ProgressDisplay {
  if (quiet) return { show() {}, say() {}, end() {} };
  return screen.isTTY && env.TERM !== "dumb" ? liveStatus(screen, !env.NO_COLOR) : plainLines(screen);
}

function plainLines(screen: Screen): ProgressDisplay {
  let lastAt: number | null = null;
  return {
    show(stats) {
      if (stats.at - (lastAt ?? stats.startedAt) < PLAIN_MS) return;
      lastAt = stats.at;
      screen.write(`${plainLine(stats)}\n`);
    },
    say: (line) => void screen.write(`${line}\n`),
    end() {},
  };
}

const ERASE_LINE = "\x1b[K";
const ERASE_BELOW = "\x1b[J";
const dim = (text: string): string => `\x1b[2m${text}\x1b[22m`;

/**
 * Each drawing is one write: back to the first line of the last drawing, every line written over and its rest erased,
 * so that nothing is blank in between. The cursor rests under the status.
 */
function liveStatus(screen: Screen, colour: boolean): ProgressDisplay {
  let drawn = 0;
  let lines: readonly string[] = [];
  let lastAt = Number.NEGATIVE_INFINITY;
  let ended = false;
  const up = (): string => (drawn > 0 ? `\r\x1b[${drawn}A` : "\r");
  const drawing = (): string => {
    const text = lines.map((line, i) => `${colour && i > 0 ? dim(line) : line}${ERASE_LINE}\n`).join("");
    drawn = lines.length;
    return `${text}${ERASE_BELOW}`;
  };
  return {
    show(stats) {
      if (ended || stats.at - lastAt < REDRAW_MS) return;
      lastAt = stats.at;
      // The last column stays free: a full line would wrap, and the next drawing would start one line too low.
      lines = statusLines(stats, Math.max((screen.columns ?? 80) - 1, 20));
      const start = up();
      screen.write(start + drawing());
    },
    say(line) {
      const start = up();
      screen.write(`${start}${ERASE_BELOW}${line}\n${ended ? "" : drawing()}`);
    },
    end() {
      if (!ended && drawn > 0) screen.write(up() + ERASE_BELOW);
      ended = true;
      drawn = 0;
      lines = [];
    },
  };
}
