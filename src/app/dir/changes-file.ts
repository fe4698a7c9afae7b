/**
 * The file of `--events FILE`: a line for each change of a page. A change is told once: the lines are on disk before the
 * commit that counts them, and what no commit has counted is cut off when the crawl goes on.
 */
import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Sink } from "../../crawl/crawl.ts";
import { changeLine } from "../../export/changes.ts";
import type { ChangeEvent } from "../../model/event.ts";
import type { Frontier, StateQueries } from "../../ports/frontier.ts";
import { UsageError } from "../usage-error.ts";
import { makeDir } from "./crawl-dir.ts";
import { MarkedFile } from "./marked-file.ts";

export interface ChangesFile extends Sink<ChangeEvent>, AsyncDisposable {}

/** `path`: absolute. What another crawl, or a run before, has written into the file stays. */
export async function openChanges(
  path: string,
  state: Pick<StateQueries, "marks"> & Pick<Frontier, "commit">,
): Promise<ChangesFile> {
  const file = await open(path, (await state.marks()).get(path) ?? null);
  // From now on what follows is ours to cut off.
  await state.commit({ settled: [], hosts: [], robots: [], marks: [file.mark] });
  return {
    async write(events) {
      const mark = file.write(events.map(changeLine).join(""));
      file.sync();
      return mark;
    },
    [Symbol.asyncDispose]: async () => file[Symbol.dispose](),
  };
}

async function open(path: string, committed: number | null): Promise<MarkedFile> {
  const found: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile())
    throw new UsageError("events", `--events: ${path} is no file; name one, or write - for standard output`);
  try {
    await makeDir(dirname(path));
    return new MarkedFile(path, path, committed);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new UsageError("events", `--events: ${path} cannot be written (${code}); name another file`);
  }
}
