/** Sorts more lines than fit into memory: sorted runs in temporary files, merged (external merge sort). */
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { naming, replaceFile, writeTexts } from "./replace-file.ts";
import { temporaryFolder } from "./temporary.ts";

export interface SortLimits {
  /** Characters of lines held at once. */
  readonly memory: number;
  /** Runs merged at once: open files. */
  readonly fanIn: number;
}

export const SORT_LIMITS: SortLimits = { memory: 64 << 20, fanIn: 64 };

/**
 * Writes the lines (each with its line feed) to `path`, sorted by code unit, which for ASCII is the order of bytes; equal
 * lines once. The file is replaced whole or not at all. Runs stand beside it as `PATH.run-N` and are always removed.
 * Gives the number of lines written.
 */
export async function writeSorted(
  lines: Iterable<string> | AsyncIterable<string>,
  path: string,
  limits: SortLimits = SORT_LIMITS,
): Promise<number> {
  const runs = new Runs(path);
  try {
    let held: string[] = [];
    let size = 0;
    for await (const line of lines) {
      held.push(line);
      size += line.length;
      if (size < limits.memory) continue;
      await runs.add(held.sort());
      held = [];
      size = 0;
    }
    const written = { lines: 0 };
    if (runs.paths.length === 0) {
      await replaceFile(path, distinct(held.sort(), written));
      return written.lines;
    }
    if (held.length > 0) await runs.add(held.sort());
    await runs.reduceTo(limits.fanIn);
    await replaceFile(path, merge(runs.paths, written));
    return written.lines;
  } finally {
    await runs.remove();
  }
}

/** The same lines (without their line feeds), by way of a temporary file. */
export async function* sorted(lines: AsyncIterable<string>, limits: SortLimits = SORT_LIMITS): AsyncGenerator<string> {
  await using folder = await temporaryFolder("sort");
  const path = join(folder.path, "lines");
  await writeSorted(lines, path, limits);
  const file = await open(path);
  yield* file.readLines({ encoding: "latin1" }); // closes the file, however the reading ends
}

/** Characters outside printable ASCII as JSON escapes them: lines that are sorted have none. */
export function ascii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

class Runs {
  paths: string[] = [];
  readonly #target: string;
  #made: string[] = [];

  constructor(target: string) {
    this.#target = target;
  }

  async add(lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
    const path = `${this.#target}.run-${this.#made.length}`;
    this.#made.push(path);
    await naming(path, async () => {
      await using file = await open(path, "w");
      await writeTexts(file, lines);
    });
    this.paths.push(path);
  }

  /** Merges the first runs into new ones until `most` are left. */
  async reduceTo(most: number): Promise<void> {
    while (this.paths.length > most) {
      const group = this.paths.splice(0, most);
      await this.add(merge(group, { lines: 0 }));
      for (const path of group) await rm(path, { force: true });
    }
  }

  async remove(): Promise<void> {
    for (const path of this.#made) await rm(path, { force: true });
  }
}

/** What has gone through, so far. */
interface Tally {
  lines: number;
}

function* distinct(sorted: readonly string[], tally: Tally): Generator<string> {
  let last: string | null = null;
  for (const line of sorted) {
    if (line === last) continue;
    last = line;
    tally.lines++;
    yield line;
  }
}

/** The lines of sorted files in order, equal ones once, many lines a text. */
async function* merge(paths: readonly string[], tally: Tally): AsyncGenerator<string> {
  const cursors: Cursor[] = [];
  try {
    for (const path of paths) {
      const cursor = new Cursor(path);
      cursors.push(cursor);
      await cursor.open();
    }
    const heap = new CursorHeap(cursors.filter((cursor) => cursor.line !== null));
    let last: string | null = null;
    let text = "";
    for (let least = heap.least; least !== null; least = heap.least) {
      if (least.line !== last) {
        last = least.line;
        text += last;
        tally.lines++;
      }
      if (!least.step()) await least.refill();
      heap.settle();
      if (text.length < READ_BYTES) continue;
      yield text;
      text = "";
    }
    yield text;
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

const READ_BYTES = 1 << 16;

/** Goes through the lines of a file; waits for the disk only once a block. */
class Cursor {
  line: string | null = null;
  readonly #path: string;
  #file: Awaited<ReturnType<typeof open>> | null = null;
  #lines: string[] = [];
  #next = 0;
  #rest = "";
  readonly #block = Buffer.allocUnsafe(READ_BYTES);

  constructor(path: string) {
    this.#path = path;
  }

  async open(): Promise<void> {
    this.#file = await open(this.#path, "r");
    await this.refill();
  }

  /** To the next line of the block; false when the block is used up. */
  step(): boolean {
    if (this.#next >= this.#lines.length) return false;
    this.line = `${this.#lines[this.#next++]}\n`;
    return true;
  }

  /** To the next line of the file; `line` is null behind the last. */
  async refill(): Promise<void> {
    do {
      const { bytesRead } = await this.#file!.read(this.#block, 0, READ_BYTES, null);
      if (bytesRead === 0) {
        this.line = null;
        return;
      }
      this.#lines = (this.#rest + this.#block.toString("latin1", 0, bytesRead)).split("\n");
      this.#rest = this.#lines.pop()!;
      this.#next = 0;
    } while (!this.step());
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

/** A binary heap of cursors by their lines. */
class CursorHeap {
  readonly #heap: Cursor[];

  constructor(cursors: readonly Cursor[]) {
    this.#heap = [...cursors].sort((a, b) => (a.line! < b.line! ? -1 : 1));
  }

  get least(): Cursor | null {
    return this.#heap[0] ?? null;
  }

  /** To be called when the least cursor has moved: puts it in its place, or takes it out behind its last line. */
  settle(): void {
    const heap = this.#heap;
    if (heap[0]!.line === null) {
      const last = heap.pop()!;
      if (heap.length === 0) return;
      heap[0] = last;
    }
    const moved = heap[0]!;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.line! < heap[child]!.line!) child++;
      if (moved.line! <= heap[child]!.line!) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = moved;
  }
}
