/** What stands in the store of a crawl that crawlers share, and nothing points to any more, or yet: in order, and told how much it is. */
import { segmentedFiles, segmentsOf } from "../../../blobs/segments.ts";
import type { Blob } from "../../../ports/blobs.ts";
import type { Remains } from "../../place/view.ts";
import type { UnderWay } from "./under-way.ts";

export interface LeftOver {
  objects: number;
  bytes: number;
}

/** Rows that have come back to Redis, and archive files of which nothing was committed by who is not there any more. */
export async function leftOverIn(
  crawl: Pick<Remains, "archive" | "unpointed">,
  marks: ReadonlyMap<string, number>,
  { isGrowing }: Pick<UnderWay, "isGrowing">,
): Promise<LeftOver | null> {
  const blobs = await crawl.archive.blobs();
  if (crawl.unpointed === undefined || blobs === null) return null;
  const left: LeftOver = { objects: 0, bytes: 0 };
  const count = async (some: AsyncIterable<Blob>): Promise<void> => {
    for await (const { bytes } of some) {
      left.objects++;
      left.bytes += bytes;
    }
  };
  await count(crawl.unpointed());
  for (const file of await segmentedFiles(blobs))
    if (!marks.has(file) && !isGrowing(file)) await count(segmentsOf(blobs, file));
  return left;
}
