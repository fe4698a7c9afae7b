/** A folder for what is on the way, among the system's temporary ones. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "./beside.ts";
import { hashText } from "./hash.ts";

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/** It goes when it is disposed of; what processes of this machine left that were killed goes now. `what`: a word in its name. */
export async function temporaryFolder(what: string): Promise<TemporaryFolder> {
  // Pids are a machine's own, and a container is one too, with whom the folder may be shared.
  const machine = hashText(hostname())[0].toString(36);
  await removeOthers(new RegExp(`^trawl-[a-z]+-${machine}-([1-9][0-9]*)-\\w{6}$`));
  const path = await mkdtemp(join(tmpdir(), `trawl-${what}-${machine}-${process.pid}-`));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

async function removeOthers(ours: RegExp): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const pid = ours.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {}); // another user's
  }
}
