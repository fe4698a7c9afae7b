/** What is made beside its place, and gets its name when it is whole: under which name, and what becomes of it when its maker was killed. */
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Until it is whole. */
export const besidePath = (path: string): string => `${path}.${process.pid}.tmp`;

/** Takes away what was made beside `path` by processes that are no more. */
export async function removeLeftovers(path: string): Promise<void> {
  const [folder, start] = [dirname(path), `${basename(path)}.`];
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(start) ? /^([1-9][0-9]{0,9})\.tmp$/.exec(name.slice(start.length))?.[1] : undefined;
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { recursive: true, force: true });
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
