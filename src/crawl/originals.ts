/**
 * Whether the archive holds a body already, so that it need not be written again. Visit threads ask, the control thread
 * knows: it names committed captures alone, so that no crash leaves a reference to a capture that was cut back.
 */
import type { Original } from "../model/capture.ts";
import type { KnownContent, VisitRecord } from "../model/record.ts";
import { historyOf } from "../policy/history.ts";
import type { Bodies } from "../ports/bodies.ts";
import type { StateQueries } from "../ports/frontier.ts";
import type { Duplicates } from "./duplicates.ts";

/** As a visit asks. */
export interface Originals {
  /** The capture that holds the body with this digest whole, or null. */
  of(digest: string): Promise<Original | null>;
}

export type FindOriginal = (digest: KnownContent["digest"]) => Promise<Original | null>;

/** On the control thread. `bodies`: what other crawlers have found; null: there are none. */
export function originalsIn(
  state: Pick<StateQueries, "visitsOf">,
  duplicates: Pick<Duplicates, "first" | "learn">,
  bodies: Pick<Bodies, "first"> | null = null,
): FindOriginal {
  return async (digest) => {
    const own = duplicates.first(digest);
    const urlId = own ?? (await bodies?.first(digest)) ?? null;
    if (urlId === null) return null;
    // Remembered are 64 bits of the digest, and perhaps of a page that is not committed yet: the state decides.
    const original = originalAmong(await state.visitsOf(urlId), digest);
    if (own === null && original !== null) duplicates.learn(digest, urlId);
    return original;
  };
}

/** The visit whose capture holds the body with this digest whole, or null. */
function originalAmong(visits: readonly VisitRecord[], digest: string): Original | null {
  for (const { urlId, href, capture } of visits)
    if (capture !== null && capture.digest === digest && capture.truncated === null && capture.revisitOf === undefined)
      return { urlId, href, at: capture.at, digest };
  return null;
}

/** The body that a URL had when it ended last, where the archive holds it whole. */
export async function originalOf(
  previous: VisitRecord,
  state: Pick<StateQueries, "visitsOf">,
): Promise<Original | null> {
  const { digest, body } = historyOf(previous);
  if (digest === null) return null;
  if (body !== null) return { ...body, digest };
  const { capture } = previous;
  if (capture === null || capture.revisitOf === undefined || capture.digest !== digest) return null;
  return originalAmong(await state.visitsOf(capture.revisitOf), digest);
}

/** Questions and answers that travel together; answers in the order of the questions. */
export interface AskedTogether {
  readonly id: number;
  readonly digests: readonly string[];
}
export interface AnsweredTogether {
  readonly id: number;
  readonly originals: readonly (Original | null)[];
}

type Answer = (original: Original | null) => void;

/** In a visit thread: what is asked within one turn of the event loop goes to the control thread as one message. */
export class AskedOriginals implements Originals {
  readonly #send: (asked: AskedTogether) => void;
  #digests: string[] = [];
  #answers: Answer[] = [];
  readonly #sent = new Map<number, readonly Answer[]>();
  #nextId = 1;

  constructor(send: (asked: AskedTogether) => void) {
    this.#send = send;
  }

  of(digest: string): Promise<Original | null> {
    if (this.#digests.length === 0) setImmediate(() => this.#flush());
    this.#digests.push(digest);
    return new Promise((resolve) => this.#answers.push(resolve));
  }

  answered({ id, originals }: AnsweredTogether): void {
    const answers = this.#sent.get(id);
    this.#sent.delete(id);
    answers?.forEach((answer, nth) => {
      answer(originals[nth] ?? null);
    });
  }

  #flush(): void {
    const id = this.#nextId++;
    this.#sent.set(id, this.#answers);
    this.#send({ id, digests: this.#digests });
    this.#digests = [];
    this.#answers = [];
  }
}
