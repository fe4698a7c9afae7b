/** How far a piece of work is, on standard error: nothing in the first second, then redrawn in place on a terminal, a line every ten seconds elsewhere. */
import type { Clock } from "../../base/clock.ts";
import type { Screen } from "./progress-display.ts";

export interface WorkDisplay {
  /** Takes in how far it is; shows it when it is time to. */
  at(done: number, total: number | null): void;
  /** Takes the line away. */
  end(): void;
}

const SILENT_MS = 1_000;
const REDRAW_MS = 180;
const PLAIN_MS = 10_000;

/** `words` says how far it is: "12.3 MB of 1.2 GB read". */
export function workDisplay(
  screen: Screen,
  { clock, env }: { readonly clock: Clock; readonly env: Readonly<Record<string, string | undefined>> },
  words: (done: number, total: number | null) => string,
): WorkDisplay {
  const live = screen.isTTY === true && env.TERM !== "dumb";
  const every = live ? REDRAW_MS : PLAIN_MS;
  let due = clock.now() + Math.max(SILENT_MS, live ? 0 : every);
  let drawn = false;
  return {
    at(done, total) {
      const now = clock.now();
      if (now < due) return;
      due = now + every;
      const share = total === null || total === 0 ? "" : ` (${Math.floor((100 * Math.min(done, total)) / total)} %)`;
      const line = `${words(done, total)}${share}`;
      screen.write(live ? `\r${line.slice(0, (screen.columns ?? 80) - 1)}\x1b[K` : `${line}\n`);
      drawn = live;
    },
    end() {
      if (drawn) screen.write("\r\x1b[K");
      drawn = false;
    },
  };
}
