/**
 * The file of `--events FILE`: a line for each change of a page. A change is told once: the lines are on disk before the
 * commit that counts them, and what no commit has counted is cut off when the crawl goes on.
 */
import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Changes } from "../../crawl/crawl.ts";
import { changeLine } from "../../export/changes.ts";
import type { Frontier, StateQueries } from "../../ports/frontier.ts";
import { UsageError } from "../usage-error.ts";
import { makeDir } from "./crawl-dir.ts";
import { MarkedFile } from "./marked-file.ts";

export interface ChangesFile extends Changes, AsyncDisposable {}

/** Whether `--events` names one. */
export const isFile = (events: string | null): events is string => events !== null && events !== "-";

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

const open = (path: string, committed: number | null): Promise<MarkedFile> =>
  openedFile(path, () => new MarkedFile(path, path, committed));

/** What `open` gives. Throws a `UsageError` when it is no file, or cannot be written. */
export async function openedFile<T>(path: string, open: () => T): Promise<T> {
  const found: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile())
    throw new UsageError("events", `--events: ${path} is no file; name one, or write - for standard output`);
  try {
    await makeDir(dirname(path));
    return open();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new UsageError("events", `--events: ${path} cannot be written (${code}); name another file`);
  }
}
