/** A visit thread's archive when the crawl has a store: what is archived counts when the store has it, if so is asked. */
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { patience } from "../../blobs/patience.ts";
import { segmentedArchive } from "../../blobs/segments.ts";
import type { Archive } from "../../ports/archive.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { Fault } from "./fault.ts";

export interface StoredArchiveParts {
  /** Closed with the archive. */
  readonly blobs: Blobs;
  /** The folder of the archive's files. */
  readonly dir: string;
  /** A sync comes back when its bytes are in the store; else when they are on the disk. */
  readonly segments: boolean;
  /** See `Uploads.waitingMib`. */
  readonly waitingMib: Int32Array;
  /** No sync comes back while more than so many bytes of finished files wait for the store. */
  readonly spoolBytes: number;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  readonly fault?: Fault | undefined;
}

/** How often it looks whether there is room again, in ms. */
const LOOK_EVERY_MS = 250;

export function storedArchive(local: Archive, parts: StoredArchiveParts): Archive {
  const { blobs, dir, waitingMib, spoolBytes, clock, log, fault } = parts;
  const patient = patience({ clock, log, store: blobs.name });
  const archive = parts.segments ? segmentedArchive({ archive: local, blobs, dir, patience: patient, fault }) : local;
  const isFull = () => Atomics.load(waitingMib, 0) * 2 ** 20 > spoolBytes;
  return {
    digest: (body) => archive.digest(body),
    append: (response, note) => archive.append(response, note),
    async sync(signal) {
      if (isFull()) log.warn({ store: blobs.name, most: spoolBytes }, "spool-full");
      while (isFull() && !signal?.aborted) await clock.sleep(LOOK_EVERY_MS, signal);
      return archive.sync(signal);
    },
    async [Symbol.asyncDispose]() {
      await archive[Symbol.asyncDispose]();
      await blobs[Symbol.asyncDispose]();
    },
  };
}
