/**
 * What the pages of a host have brought: as it is remembered, and, in less than 5 KB, as it goes with the host's state to
 * another crawler or another run.
 */
import type { HostKey, HostLessons } from "../model/host.ts";
import { Accounts } from "./accounts.ts";

export const MOST_PATTERNS_A_HOST = 256;

export interface HostMemory {
  readonly patterns: Accounts;
  /** That it was told of. */
  pages: number;
  /** The earliest of its URLs that was met here: of two hosts with the same pages the later one is the copy. */
  first: number;
  /** Pages that were worth something, and pages that another host had before. */
  useful: number;
  copied: number;
  /** By directory: what its last copy to the byte was of. */
  readonly originals: Map<string, number>;
  /** Of which host it was found to be a copy last. */
  mirrors: HostKey | null;
  /** As it is told to others; null while that is to be made. */
  told: HostLessons | null;
}

export function newMemory(budget: number, urlId: number): HostMemory {
  const patterns = new Accounts(budget, MOST_PATTERNS_A_HOST);
  return { patterns, pages: 0, first: urlId, useful: 0, copied: 0, originals: new Map(), mirrors: null, told: null };
}

/** A page more is told of. */
export function learns(memory: HostMemory): void {
  memory.pages++;
  memory.told = null;
}

/** Of these go with it those with least credit; and none with a longer name, which has folded little. */
const MOST_PATTERNS = 24;
const LONGEST_NAME = 160;

export function lessonsOf(memory: HostMemory, budget: number): HostLessons {
  const { patterns, pages, first, useful, copied, mirrors } = memory;
  const told = patterns
    .least(MOST_PATTERNS)
    .filter(([name]) => name.length <= LONGEST_NAME)
    .map(([name, { credit, useful, gap, refused, probe }]) => [name, credit, useful, gap, refused, probe] as const);
  return { budget, pages, first, useful, copied, mirrors, patterns: told };
}

export function memoryOf(lessons: HostLessons): HostMemory {
  const { budget, pages, first, useful, copied, mirrors, patterns: told } = lessons;
  const patterns = new Accounts(budget, MOST_PATTERNS_A_HOST);
  // The one with least credit is forgotten last.
  for (const [name, credit, good, gap, refused, probe] of told.toReversed())
    patterns.restore(name, { credit, useful: good, gap, refused, probe });
  return { patterns, pages, first, useful, copied, mirrors, originals: new Map(), told: lessons };
}
