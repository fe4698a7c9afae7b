/** How fast a crawl may be, to one host and in all. Rows of the table of options. */
import { availableParallelism } from "node:os";
import type { Option } from "../option.ts";

const SECOND = 1_000;

export const HOW_FAST = {
  delay: {
    group: "How fast",
    kind: "duration",
    min: 0,
    default: SECOND,
    says: "shortest pause between two requests to one host, and to one address; with --host-concurrency N, N requests share it",
  },
  maxDelay: {
    group: "How fast",
    kind: "duration",
    min: 0,
    default: 30 * SECOND,
    says: "longest pause that slowness alone can cause",
  },
  slowdown: {
    group: "How fast",
    kind: "number",
    min: 0,
    max: 100,
    default: 2,
    word: "FACTOR",
    says: "pause at least so many times as long as the host takes to answer",
  },
  concurrency: {
    group: "How fast",
    kind: "int",
    min: 1,
    max: 10_000,
    default: 64,
    ownToCrawler: true,
    says: "most requests open at a time, in all",
  },
  hostConcurrency: {
    group: "How fast",
    kind: "int",
    min: 1,
    max: 1_000,
    default: 1,
    says: "most requests open at a time to one host; raise it only for a site of your own (one at a time all the same where robots.txt has a Crawl-delay)",
  },
  threads: {
    group: "How fast",
    kind: "int",
    min: 1,
    max: 256,
    // The control thread has a core too; each further thread compiles all code anew.
    default: Math.min(Math.max(availableParallelism() - 1, 1), 4),
    defaultSays: "one a core but one, at most 4",
    ownToCrawler: true,
    says: "threads that fetch and read",
  },
  tries: {
    group: "How fast",
    kind: "int",
    min: 1,
    max: 100,
    default: 4,
    says: "most attempts at a URL whose failure may pass, the first one included",
  },
} as const satisfies Record<string, Option>;
