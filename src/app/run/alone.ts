/** A run of a crawl that lives in its own directory: the state is there, and this run is the only one that writes it. */
import { randomUUID } from "node:crypto";
import { systemClock } from "../../base/clock.ts";
import { addressTurns } from "../../crawl/turns.ts";
import { writeConfig } from "../config/config.ts";
import type { CrawlConfig } from "../config/crawl-config.ts";
import { isFile, openChanges } from "../dir/changes-file.ts";
import { makeDir } from "../dir/crawl-dir.ts";
import { INDEX_FILE, writeIndex } from "../dir/index-file.ts";
import { openPages, PAGES_FILE } from "../dir/pages-file.ts";
import { spoolInbox } from "../dir/spool.ts";
import { claimStore, mustBeSameStore, ownerOf } from "../dir/store.ts";
import { rememberPace } from "../inspect/report/paces.ts";
import { rememberSeen } from "../inspect/report/seen-loss.ts";
import { addedBy } from "./added.ts";
import { openLog } from "./logging.ts";
import { checkSeen, mustHaveNoArchive, openedState, seenChoice } from "./opening.ts";
import { withNotices } from "./sending.ts";
import type { Workplace, WorkplaceParts } from "./workplace.ts";

/** Throws a `UsageError`, or an error with a code, when the directory or the store cannot be used. */
export async function openAlone(
  config: CrawlConfig,
  { blobs, fault, hooks, revisits }: WorkplaceParts,
): Promise<Workplace> {
  const { dir, events } = config;
  checkSeen(seenChoice(config));
  const owner = blobs === null ? null : await ownerOf(blobs);
  await makeDir(dir);
  await using opened = new AsyncDisposableStack();
  const backend = opened.use(await openedState(config, blobs, fault));
  const resumed = (await backend.fact("startedAt")) !== null;
  await mustBeSameStore(backend, blobs);
  if (!resumed) await mustHaveNoArchive(dir);
  if (blobs !== null) await claimStore(backend, blobs, owner, randomUUID());
  if (!resumed) await backend.setFact("startedAt", String(systemClock.now()));
  await writeConfig(config);
  await rememberPace(backend, config, systemClock.now());
  await rememberSeen(backend, seenChoice(config));
  const ownLog = opened.use(await openLog({ dir, clock: systemClock, verbose: config.verbose, mirror: hooks.onLog }));
  const log = withNotices(ownLog, hooks);
  const pages = opened.use(await openPages(dir, backend));
  const owned = opened.move();
  return {
    ...{ backend, resumed, log },
    pages: {
      async write(records) {
        const mark = await pages.write(records);
        fault?.("pages");
        return mark;
      },
    },
    writer: "",
    owns: () => true,
    async replaceFact(name, _before, after) {
      await backend.setFact(name, after);
      return true;
    },
    until: revisits === "pass" ? systemClock.now() : null,
    shared: null,
    changes: async () => (isFile(events) ? openChanges(events, backend) : null),
    inbox: (admission) => spoolInbox({ dir, clock: systemClock, log, admit: addedBy(backend, admission), fault }),
    turns: (rules) => addressTurns(systemClock, rules),
    async finish() {
      await writeIndex(dir, backend);
      return [INDEX_FILE, PAGES_FILE];
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
