/** What crawlers that are at it have written, and no commit has settled yet: it is in order, and the state cannot know of it. */
import type { Instant } from "../../../base/clock.ts";
import type { WarcRecord } from "../../../warc/reader.ts";
import { instantOf } from "../../../warc/record-facts.ts";
import { leaseMsOf } from "../../config/rules.ts";
import type { Remains } from "../../place/view.ts";
import { writerOf } from "../../run/take-over.ts";

export interface UnderWay {
  /** Somebody who is there writes this file. */
  isGrowing(file: string): boolean;
  /** A record of such a file whose page may still be settled: its lease cannot have expired. */
  mayBeSettled(file: string, record: WarcRecord): boolean;
}

/** To be asked before the state is. `now`: by the clock of this machine. */
export async function underWayIn(crawl: Pick<Remains, "config" | "standing">, now: Instant): Promise<UnderWay> {
  const { running, crawlers } = await crawl.standing();
  const living = new Set(crawlers?.map(({ id }) => id));
  const isGrowing = (file: string): boolean => running && (crawlers === undefined || living.has(writerOf(file) ?? ""));
  const since = crawl.config === null ? now : now - leaseMsOf(crawl.config);
  return {
    isGrowing,
    mayBeSettled: (file, { fields }) => isGrowing(file) && (instantOf(fields) ?? 0) > since,
  };
}
