/** A crawl is created in Redis as a whole; from then on what is not there is lost, and what the store alone knows is taken up. */
import type { ArchiveMark } from "../../model/capture.ts";
import type { RecordsParts } from "./records.ts";
import type { Connection } from "./redis/connection.ts";

type Parts = Pick<RecordsParts, "crawl" | "shards" | "segments" | "manifest">;

/** @throws ClusterError "lost" when it was whole, and is so no more; or shards are there of one that nothing else is left of. */
export async function createOrFindWhole(connection: Connection, parts: Parts, joins: boolean): Promise<void> {
  const { crawl, shards, segments, manifest } = parts;
  if (!(await crawl.isWhole())) {
    await Promise.all([manifest.create(), shards.each((shard) => shards.run("create", shard))]);
    await connection.replicated();
    // URLs come when it is whole; somebody else may have come as far meanwhile.
    if (!shards.areBlank && !(await crawl.isWhole())) throw shards.beheaded();
    await crawl.setWhole();
    return connection.replicated();
  }
  await shards.mustBeWhole();
  // Power that fails takes the last second along, an old copy more; what is in the store is not to be written over.
  const behind = await segments.behind((await manifest.state()).last);
  if (behind.length === 0) return;
  await manifest.recall(behind);
  if (!joins) await crawl.setMarks(await marksIn(behind, parts));
}

/** How far archive files go by these segments, where nobody knows it any more. */
async function marksIn(ordinals: readonly number[], { crawl, segments }: Parts): Promise<ArchiveMark[]> {
  const known = await crawl.marks();
  const marks = new Map<string, number>();
  for await (const { entries } of segments.all(ordinals[0]!, ordinals.at(-1)!))
    for (const { kind, value } of entries) {
      if (kind === "request" || value.capture === null) continue;
      const { file, offset, length } = value.capture.response;
      const before = marks.get(file) ?? known.get(file) ?? 0;
      if (offset + length > before) marks.set(file, offset + length);
    }
  return Array.from(marks, ([file, bytes]) => ({ file, bytes }));
}
