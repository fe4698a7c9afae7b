/** Waits out a cluster that is away, or full: a call is made again until it goes well, or until patience has an end. */
import type { Clock, Instant } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { ClusterError, isShutOut } from "./errors.ts";

/** A call could not be answered as things are; the same call may go well later. */
export class Unanswered extends Error {}

export interface PatienceParts {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** How long a call is made again, in ms: Infinity for as long as it takes. */
  readonly ms: number;
  readonly random?: () => number;
}

type Trouble = "away" | "full";
type Reject = (cause: Error) => void;

/** Pauses between tries, in ms: doubled each time, with jitter so that many do not come back at once. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;
/** Who has no patience left waits so long for an answer, in ms: of a node that hangs the client may say nothing for ever. */
const HANGS_MS = 1_000;
/** A replica takes its master's place within seconds, and nobody need hear of it. */
const SAID_AFTER_MS = 3_000;

const WORDS: Readonly<Record<Trouble, string>> = {
  away: "the Redis Cluster does not answer",
  full: "the memory of a Redis master is full: give it more (maxmemory), or the cluster more masters",
};

export class Patience {
  readonly #clock: Clock;
  readonly #log: Pick<Log, "warn">;
  readonly #random: () => number;
  #ms: number;
  /** Wakes those who wait. */
  #wake = new AbortController();
  readonly #closing = new AbortController();
  /** Calls that are being made again. */
  #waiting = 0;
  /** Of calls that have no answer yet. */
  readonly #unanswered = new Set<Reject>();
  #isLimited: boolean;
  /** What the log was told, until it is over. */
  readonly #said = new Map<Trouble, Instant>();

  constructor({ clock, log, ms, random = Math.random }: PatienceParts) {
    this.#clock = clock;
    this.#log = log;
    this.#random = random;
    this.#ms = ms;
    this.#isLimited = Number.isFinite(ms);
  }

  /**
   * From now on no call waits for longer than so many ms, those that wait already included; and none for longer than a
   * second for an answer to its last try.
   */
  limit(ms: number): void {
    this.#ms = ms;
    this.#isLimited = true;
    void this.#hurry([...this.#unanswered], this.#closing.signal);
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  /** No call is made again from now on. */
  close(): void {
    this.#closing.abort();
    this.limit(0);
  }

  /**
   * The log has `frontier-away` or `frontier-full` once when calls wait for long, and `frontier-back` when none waits any
   * longer. What is run must come to the same when it is run twice.
   * @throws ClusterError "away" or "full" when patience has an end, "refused" when Redis does not allow it; whatever else the
   * work throws, at once.
   */
  async wait<T>(work: () => Promise<T>): Promise<T> {
    let since: Instant | null = null;
    try {
      for (let pause = FIRST_WAIT_MS; ; pause = Math.min(pause * 2, LONGEST_WAIT_MS)) {
        try {
          const answer = await this.#answerOf(work);
          if (this.#said.size > 0 && this.#waiting === Number(since !== null)) this.#over();
          return answer;
        } catch (cause) {
          const trouble = troubleIn(cause as Error);
          if (trouble === null) throw refusalIn(cause as Error);
          if (this.#closing.signal.aborted)
            throw new ClusterError(trouble, "the connection to the Redis Cluster was closed", cause);
          if (since === null) this.#waiting++;
          since ??= this.#clock.now();
          this.#hold(trouble, cause as Error, this.#clock.now() - since);
          await this.#clock.sleep(pause * (0.5 + this.#random() / 2), this.#wake.signal);
        }
      }
    } finally {
      if (since !== null) this.#waiting--;
    }
  }

  #answerOf<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const over = this.#isLimited ? new AbortController() : null;
    const end = (): void => {
      this.#unanswered.delete(reject);
      over?.abort();
    };
    this.#unanswered.add(reject);
    if (over !== null) void this.#hurry([reject], over.signal);
    promise.then(end, end);
    (async () => work())().then(resolve, reject);
    return promise;
  }

  async #hurry(calls: readonly Reject[], over: AbortSignal): Promise<void> {
    await this.#clock.sleep(this.#ms + HANGS_MS, over);
    for (const reject of calls) reject(new Unanswered("no answer"));
  }

  #hold(trouble: Trouble, cause: Error, waited: number): void {
    const message = cause.message === "" ? cause.constructor.name : cause.message;
    if (waited >= this.#ms)
      throw new ClusterError(trouble, `${WORDS[trouble]} (${message}); the same call may go well later`, cause);
    if (waited < SAID_AFTER_MS || this.#said.has(trouble)) return;
    this.#said.set(trouble, this.#clock.now() - waited);
    this.#log.warn({ error: message }, `frontier-${trouble}`);
  }

  #over(): void {
    const ms = this.#clock.now() - Math.min(...this.#said.values());
    this.#said.clear();
    this.#log.warn({ ms }, "frontier-back");
  }
}

/** What Redis says when the answer may be another in a moment: a fail-over, a restart, a disk that is full, a script that runs. */
const PASSES =
  /^(CLUSTERDOWN|TRYAGAIN|LOADING|MASTERDOWN|MOVED|ASK|READONLY|UNBLOCKED|NOREPLICAS|MISCONF|BUSY|NOTBUSY)\b/;
/** What its client says, or calls its errors, of a connection that is not there, or not yet; the last of a slot that nobody serves. */
const BROKEN =
  /socket|connection|timeout|closed|offline|unavailable|ECONN|EPIPE|redirection|reconnect|disconnect|reading 'master'/i;

function troubleIn(cause: Error): Trouble | null {
  if (cause instanceof Unanswered) return "away";
  if (cause instanceof ClusterError) return null;
  const { message } = cause;
  if (message.startsWith("OOM ")) return "full";
  return PASSES.test(message) || BROKEN.test(`${cause.constructor.name} ${message}`) ? "away" : null;
}

function refusalIn(cause: Error): Error {
  if (!isShutOut(cause.message)) return cause;
  const words = `Redis does not let its user do what a crawl needs (${cause.message}); give that user the rights`;
  return new ClusterError("refused", words, cause);
}
