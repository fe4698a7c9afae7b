/** `trawl export DIR --to FILE`: the crawl's URLs as a table, or its captures as an index; also while it runs. */
import { stat } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import { formatFor, formats } from "../../export/formats.ts";
import { jsonlTexts } from "../../export/jsonl.ts";
import { DROP_REASONS, VISIT_REASONS } from "../../model/end.ts";
import type { UrlRecord } from "../../model/record.ts";
import { readArguments, type Table } from "../arguments.ts";
import { didYouMean } from "../closest.ts";
import { openCrawl } from "../crawl-state.ts";
import { writeIndex } from "../index-file.ts";
import { UsageError } from "../usage-error.ts";
import type { Command, Shell } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { oneDirectory } from "./positionals.ts";

const INDEX_SUFFIX = ".cdxj";
const SUFFIXES = [...formats.map(({ suffix }) => suffix), INDEX_SUFFIX];

const TABLE = {
  to: {
    group: "Options",
    kind: "file",
    default: null,
    says: "where to; its ending says the format; - is JSON lines on standard output",
  },
  end: {
    group: "Options",
    kind: "choice",
    choices: [...VISIT_REASONS, ...DROP_REASONS],
    many: true,
    default: [],
    word: "REASON",
    says: "only URLs that ended so: fetched, http-4xx, robots...",
  },
} as const satisfies Table;

export const exportCommand: Command = {
  name: "export",
  usage: "export DIR --to FILE",
  says: "the crawl's URLs as a table, or its captures as an index",
  more: `Formats, by the ending of FILE:
${[...formats, { suffix: INDEX_SUFFIX, says: "an index of the captures, for replay tools" }]
  .map(({ suffix, says }) => `  ${suffix.padEnd(8)}${says}`)
  .join("\n")}

FILE is replaced whole or not at all. Every URL is exported, whatever became of it, unless --end chooses.`,
  options: TABLE,
  async run(argv, shell) {
    const { given, positionals } = readArguments("export", argv, TABLE);
    const dir = resolve(shell.cwd, oneDirectory("export", positionals));
    const to = given.to as string | undefined;
    if (to === undefined) throw new UsageError("missing-argument", "name where to export to: --to pages.jsonl");
    const ends = new Set((given.end ?? []) as string[]);
    const path = to === "-" ? null : await targetOf(resolve(shell.cwd, to), ends);
    using state = await openCrawl(dir);
    if (path?.toLowerCase().endsWith(INDEX_SUFFIX)) {
      await writeIndex(dir, state, path);
      return EXIT.done;
    }
    const records = chosen(state.urls(ends.size > 0 ? { endedOnly: true } : {}), ends);
    if (path === null) print(records, shell);
    else await formatFor(path)!.write(records, path);
    return EXIT.done;
  },
};

/** Throws a `UsageError` unless `path` has a known ending and stands in an existing directory. */
async function targetOf(path: string, ends: ReadonlySet<string>): Promise<string> {
  const name = basename(path).toLowerCase();
  if (!SUFFIXES.some((suffix) => name.endsWith(suffix))) {
    const hint = didYouMean(extname(name), SUFFIXES);
    throw new UsageError(
      "export",
      `--to: "${basename(path)}" has no ending that is a format${hint === "" ? `; write one of ${SUFFIXES.join(", ")}` : hint}`,
    );
  }
  if (name.endsWith(INDEX_SUFFIX) && ends.size > 0)
    throw new UsageError("export", "--end chooses URLs, and an index has captures; leave it out");
  const folder = await stat(dirname(path)).catch(() => null);
  if (!folder?.isDirectory())
    throw new UsageError("export", `--to: there is no directory ${dirname(path)}; make it, or name another`);
  if ((await stat(path).catch(() => null))?.isDirectory())
    throw new UsageError("export", `--to: ${path} is a directory; name a file in it`);
  return path;
}

function* chosen(records: Iterable<UrlRecord>, ends: ReadonlySet<string>): Generator<UrlRecord> {
  for (const record of records)
    if (ends.size === 0 || (record.visit !== null && ends.has(record.visit.end))) yield record;
}

/** Texts are gathered, because each write to a pipe is a system call. */
const GATHERED_CHARS = 65_536;

function print(records: Iterable<UrlRecord>, shell: Shell): void {
  let text = "";
  for (const line of jsonlTexts(records)) {
    text += line;
    if (text.length < GATHERED_CHARS) continue;
    shell.stdout.write(text);
    text = "";
  }
  if (text !== "") shell.stdout.write(text);
}
