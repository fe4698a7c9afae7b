/**
 * The file of `--events FILE` of a crawler that shares its crawl. A commit is one step in each shard, and not one in all: so
 * lines are on disk before it, those whose pages were not taken come out after it, and the next commit says how far the file
 * counts. Of lines behind that, which one who was killed has left, those count whose visits are recorded.
 */
import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { changeLine } from "../../export/changes.ts";
import type { ArchiveMark } from "../../model/capture.ts";
import type { ChangeEvent } from "../../model/event.ts";
import type { Frontier, StateQueries } from "../../ports/frontier.ts";
import { UsageError } from "../usage-error.ts";
import { type ChangesFile, openedFile } from "./changes-file.ts";

export interface CrawlerChangesParts {
  /** This crawler. */
  readonly id: string;
  readonly state: Pick<StateQueries, "marks" | "visitsOf"> & Pick<Frontier, "commit">;
  isLiving(crawler: string): boolean;
}

/** `path`: absolute. Throws a `UsageError` when it cannot be written, or is that of another crawler on this machine. */
export async function openCrawlerChanges(path: string, parts: CrawlerChangesParts): Promise<ChangesFile> {
  const { id, state } = parts;
  const name = markOf(id, path);
  const committed = (await state.marks()).get(name) ?? null;
  const file = await openedFile(path, () => openSync(path, constants.O_RDWR | constants.O_CREAT));
  try {
    const { size } = fstatSync(file);
    const changes = new CrawlerChanges(file, name, Math.min(committed ?? size, size));
    // Of two who come with the same file at the same time, each finds the other's mark.
    await state.commit({ settled: [], hosts: [], robots: [], marks: [changes.mark] });
    mustBeMine(path, await state.marks(), parts);
    await changes.mend(state);
    return changes;
  } catch (cause) {
    closeSync(file);
    throw cause;
  }
}

/** Among the marks of a crawl: crawlers on several machines may have files of the same name. */
const markOf = (id: string, path: string): string => `events ${id} ${hostname()}:${path}`;

function mustBeMine(path: string, marks: ReadonlyMap<string, number>, { id, isLiving }: CrawlerChangesParts): void {
  for (const mark of marks.keys()) {
    const [what, other = ""] = mark.split(" ", 2);
    if (what === "events" && other !== id && mark === markOf(other, path) && isLiving(other))
      throw new UsageError(
        "events",
        `--events: ${path} is written by another crawler of this crawl; name a file of this one's own`,
      );
  }
}

class CrawlerChanges implements ChangesFile {
  readonly #file: number;
  readonly #name: string;
  /** So much of the file tells of what was settled. */
  #counted: number;
  /** Written, and not known to be settled. */
  #lines: readonly string[] = [];

  constructor(file: number, name: string, counted: number) {
    this.#file = file;
    this.#name = name;
    this.#counted = counted;
  }

  get mark(): ArchiveMark {
    return { file: this.#name, bytes: this.#counted };
  }

  async write(events: readonly ChangeEvent[]): Promise<ArchiveMark> {
    this.#lines = events.map(changeLine);
    this.#put(this.#lines);
    return this.mark;
  }

  async settled(taken: readonly boolean[]): Promise<void> {
    const lines = this.#lines.filter((_, nth) => taken[nth]);
    if (lines.length < this.#lines.length) this.#put(lines);
    this.#counted += Buffer.byteLength(lines.join(""));
    this.#lines = [];
  }

  /** Takes out of what is behind the mark whatever was not settled, and what a kill has left of a line. */
  async mend(state: Pick<StateQueries, "visitsOf">): Promise<void> {
    const behind = this.#behind();
    if (behind === "") return;
    const lines = new Set<string>();
    for (const line of behind.split("\n")) if (await isSettled(line, state)) lines.add(`${line}\n`);
    this.#put([...lines]);
    this.#counted += Buffer.byteLength([...lines].join(""));
  }

  /** In the place of all that is behind the mark. */
  #put(lines: readonly string[]): void {
    const bytes = Buffer.from(lines.join(""));
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at, bytes.length - at, this.#counted + at);
    ftruncateSync(this.#file, this.#counted + bytes.length);
    fdatasyncSync(this.#file);
  }

  #behind(): string {
    const bytes = Buffer.alloc(fstatSync(this.#file).size - this.#counted);
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(this.#file, bytes, at, bytes.length - at, this.#counted + at);
      if (read === 0) break;
      at += read;
    }
    return bytes.toString();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    closeSync(this.#file);
  }
}

/** Whether the visit that a line tells of is recorded. */
async function isSettled(line: string, state: Pick<StateQueries, "visitsOf">): Promise<boolean> {
  const { id, at } = parsed(line);
  if (typeof id !== "number" || typeof at !== "string") return false;
  const visits = await state.visitsOf(id);
  return visits.some(({ startedAt }) => new Date(startedAt).toISOString() === at);
}

function parsed(line: string): { readonly id?: unknown; readonly at?: unknown } {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}
