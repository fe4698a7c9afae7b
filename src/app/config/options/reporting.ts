/** Where a crawl lives, and what it tells while it runs. Rows of the table of options. */
import type { Option } from "../option.ts";

export const REPORTING = {
  dir: {
    group: "Where and how to report",
    kind: "file",
    default: null,
    defaultSays: "crawls/HOST of the first seed; of a shared crawl crawls/NAME",
    runOnly: true,
    word: "DIR",
    says: "where everything is written; the same directory goes on with the same crawl",
  },
  overwrite: {
    group: "Where and how to report",
    kind: "flag",
    default: false,
    runOnly: true,
    says: "begin again: remove the crawl that is in the directory",
  },
  config: {
    group: "Where and how to report",
    kind: "file",
    default: null,
    defaultSays: "trawl.config.ts, .js or .json of the working directory, if there",
    runOnly: true,
    says: "options from a file; flags win over it",
  },
  jsonl: {
    group: "Where and how to report",
    kind: "flag",
    default: false,
    runOnly: true,
    says: "one JSON line on standard output for each URL that was asked for, or that robots.txt denied",
  },
  events: {
    group: "Where and how to report",
    kind: "file",
    default: null,
    runOnly: true,
    says: "a JSON line for each page that is new, has changed, is gone, moved, denied or back; - is standard output",
  },
  quiet: {
    group: "Where and how to report",
    kind: "flag",
    default: false,
    short: "q",
    runOnly: true,
    says: "say nothing but errors",
  },
  verbose: {
    group: "Where and how to report",
    kind: "flag",
    default: false,
    short: "v",
    runOnly: true,
    says: "show the log while it is written",
  },
  metrics: {
    group: "Where and how to report",
    kind: "listen",
    default: null,
    defaultSays: "off; HOST is 127.0.0.1 unless told",
    runOnly: true,
    says: "serve /metrics for Prometheus, and /healthz, while it runs (port 0: any that is free); needs the package prom-client",
  },
  failOnLimit: {
    group: "Where and how to report",
    kind: "flag",
    default: false,
    runOnly: true,
    says: "exit with code 5 when --limit, --time-limit or a budget stopped the crawl",
  },
} as const satisfies Record<string, Option>;
