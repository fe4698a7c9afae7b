/** A batch of visits, as who counts them is told of it after its commit. */
import type { Instant } from "../base/clock.ts";
import type { Sealed } from "../model/visited.ts";
import type { CommitReport } from "../ports/frontier.ts";
import type { Outcome } from "./settle.ts";

export interface Committed {
  readonly sealed: readonly Sealed[];
  /** What became of each visit, and of each lease that ended without one; `report.current` says whether it was taken. */
  readonly outcomes: readonly Outcome[];
  readonly report: CommitReport;
  /** When the frontier was given it, and when it had taken it. */
  readonly beganAt: Instant;
  readonly endedAt: Instant;
}
