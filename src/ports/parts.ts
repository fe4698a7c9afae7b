/**
 * The URLs of a crawl in parts, of which each of its crawlers looks after some: what they know together of when pages are
 * visited again. Two crawlers may both believe for a while that a part is theirs: what either keeps of it is as good.
 */
import type { UrlRecord } from "../model/record.ts";

/** How a part is scheduled. */
export interface Scheduled {
  /** By these rules. */
  readonly rules: string;
  /** Each of its URLs that has ended, and not only those that crawlers with schedules have visited. */
  readonly isWhole: boolean;
}

/** The pages of a part that stand for all of it (policy/panel). */
export interface Sample {
  /** How thin it is: each page stands for 2 ** zeros. */
  readonly zeros: number;
  readonly ids: readonly number[];
}

export interface Parts {
  readonly count: number;
  /** Of a URL, by its id. */
  of(id: number): number;
  isMine(part: number): boolean;
  /** Tells the others how many pages this crawler looks after. */
  tell(pages: number): void;
  /** How many the others said that they look after, all who live together. */
  readonly others: number;
  /** Those URLs of a part that have ended, each with its cash (ports/frontier, promise 8), streaming. */
  ended(part: number): AsyncIterable<UrlRecord & { readonly importance: number }>;
  /** By part; those of which nothing was ever said are not in it. */
  scheduled(): Promise<ReadonlyMap<number, Scheduled>>;
  setScheduled(parts: ReadonlyMap<number, Scheduled>): Promise<void>;
  /** As they were kept last, by part. */
  samples(parts: readonly number[]): Promise<ReadonlyMap<number, Sample>>;
  keepSamples(samples: ReadonlyMap<number, Sample>): Promise<void>;
}
