/** `trawl export DIR --to FILE`: the crawl in a format that other tools read; also while it runs. */
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import { removeLeftovers } from "../../base/beside.ts";
import { replaceFile } from "../../base/replace-file.ts";
import { readArguments, type Table } from "../config/arguments.ts";
import { didYouMean } from "../config/closest.ts";
import { EXPORTS } from "../export/exports.ts";
import type { ExportFormat, Unit } from "../export/job.ts";
import { Tally } from "../export/tally.ts";
import { parseWhere } from "../export/where.ts";
import { shownPath } from "../inspect/summary.ts";
import { openCrawl } from "../place/open.ts";
import { PLACE } from "../place/place.ts";
import { until } from "../place/stopping.ts";
import { UsageError } from "../usage-error.ts";
import { count, counted, size } from "../wording.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { oneCrawl } from "./positionals.ts";
import { print } from "./print.ts";
import { untilStopped } from "./signals.ts";
import { workDisplay } from "./work-display.ts";

const TABLE = {
  ...PLACE,
  to: {
    group: "Options",
    kind: "file",
    default: null,
    says: "where to; its ending says the format; - is standard output",
  },
  format: {
    group: "Options",
    kind: "choice",
    choices: EXPORTS.map(({ name }) => name),
    default: null,
    defaultSays: "by the ending of FILE; jsonl for -",
    word: "FORMAT",
    says: "the format, whatever the ending",
  },
  where: {
    group: "Options",
    kind: "text",
    many: true,
    default: [],
    word: "FIELD=VALUE",
    says: "only these URLs; of several of one field any, of different fields all",
  },
  quiet: { group: "Options", kind: "flag", default: false, short: "q", says: "no progress, and no last line" },
} as const satisfies Table;

export const exportCommand: Command = {
  name: "export",
  usage: "export DIR --to FILE",
  says: "the crawl as a table, its text, its links, a sitemap, an index, or one file to replay",
  more: `Formats, by the ending of FILE:
${EXPORTS.map(({ suffix, says }) => `  ${suffix.padEnd(15)}${says}`).join("\n")}

FILE is replaced whole or not at all; of Markdown it names a folder, which is made. Every URL is
exported, whatever became of it, unless --where chooses: status=200, status=4xx, status=400-499;
type=text/html, type=image/*; host=example.com, host=*.example.com; end=fetched, end=robots;
since=2026-11-01, until=2026-12-01T12:00:00Z. .wacz holds the whole archive, so --where does not go
with it. docs/output.md says what each column means.`,
  options: TABLE,
  async run(argv, shell) {
    const line = readArguments("export", argv, TABLE);
    const { given } = line;
    const place = oneCrawl("export", line, shell.cwd);
    const to = given.to as string | undefined;
    if (to === undefined) throw new UsageError("missing-argument", "name where to export to: --to pages.jsonl");
    const path = to === "-" ? null : resolve(shell.cwd, to);
    const format = formatOf(path, given.format as string | undefined);
    const where = parseWhere((given.where ?? []) as string[]);
    if (where !== null && !format.chooses)
      throw new UsageError(
        "export",
        `--where chooses URLs, and ${format.suffix} has the archive as it is; leave it out`,
      );
    if (path !== null) {
      await (format.folder ? mustBeFree(path) : mustTakeFile(path));
      await removeLeftovers(path);
    }
    return await untilStopped(shell, async (signal) => {
      await using crawl = until(signal, await openCrawl(place, { frozen: format.ofOneMoment === true }));
      let unit: Unit = "URLs";
      const tally = new Tally();
      const quiet = given.quiet === true;
      const display = workDisplay(shell.stderr, shell, (done, total) => progressWords(unit, done, total));
      try {
        await format.write({
          ...crawl,
          where,
          path,
          tally,
          emit(chunks, place = path ?? undefined) {
            const weighed = tally.weighed(chunks);
            return place === undefined ? print(weighed, shell.stdout) : replaceFile(place, weighed);
          },
          onProgress(of, done, total) {
            signal.throwIfAborted();
            unit = of;
            if (!quiet) display.at(done, total);
          },
          warn: (sentence) => shell.stderr.write(`trawl: ${sentence}\n`),
          now: shell.clock.now(),
        });
      } finally {
        display.end();
      }
      if (!quiet) shell.stderr.write(`${lastLine(tally, path === null ? null : shownPath(path, shell.cwd))}\n`);
      return EXIT.done;
    });
  },
};

function progressWords(unit: Unit, done: number, total: number | null): string {
  if (unit !== "bytes") return unit === "URLs" ? `Exported ${count(done)} URLs` : `Indexed ${count(done)} captures`;
  return `Exported ${size(done)}${total === null ? "" : ` of ${size(total)}`}`;
}

/** `to`: null for standard output. */
function lastLine({ parts, bytes }: Tally, to: string | null): string {
  const counts = [...parts].map(([part, n]) => counted(n, part));
  return `Exported ${[...(counts.length === 0 ? ["nothing"] : counts), size(bytes)].join(", ")}${to === null ? "" : ` to ${to}`}`;
}

/** Throws a `UsageError` when neither the name nor the ending says a format. */
function formatOf(path: string | null, name: string | undefined): ExportFormat {
  const file = path === null ? ".jsonl" : basename(path).toLowerCase();
  const format = EXPORTS.find((one) => (name === undefined ? file.endsWith(one.suffix) : one.name === name));
  if (format !== undefined) return format;
  const suffixes = EXPORTS.map(({ suffix }) => suffix);
  const hint = didYouMean(extname(file), suffixes);
  const mend = hint === "" ? `; write one of ${suffixes.join(", ")}, or --format` : hint;
  throw new UsageError("export", `--to: "${basename(path!)}" has no ending that is a format${mend}`);
}

async function mustHaveParent(path: string): Promise<void> {
  const folder = await stat(dirname(path)).catch(() => null);
  if (!folder?.isDirectory())
    throw new UsageError("export", `--to: there is no directory ${dirname(path)}; make it, or name another`);
}

/** Throws a `UsageError` unless a folder can be made at `path`: what is there is not mixed with other files, nor removed. */
async function mustBeFree(path: string): Promise<void> {
  await mustHaveParent(path);
  const names = await readdir(path).catch((cause: NodeJS.ErrnoException) => (cause.code === "ENOENT" ? [] : [path]));
  if (names.length > 0) throw new UsageError("export", `--to: ${path} is there already; name another, or remove it`);
}

/** Throws a `UsageError` unless a file can stand at `path`. */
async function mustTakeFile(path: string): Promise<void> {
  await mustHaveParent(path);
  if ((await stat(path).catch(() => null))?.isDirectory())
    throw new UsageError("export", `--to: ${path} is a directory; name a file in it`);
}
