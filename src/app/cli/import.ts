/** `trawl import FILE... --dir DIR`: a crawl's directory made of archives, without asking anybody for anything. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { readArguments, type Table } from "../config/arguments.ts";
import { OPTIONS } from "../config/options.ts";
import { inspectDir } from "../dir/crawl-dir.ts";
import { type ImportReport, importArchives } from "../import/import.ts";
import { faultOf } from "../run/fault.ts";
import { loadHandlers } from "../run/plugins.ts";
import { UsageError } from "../usage-error.ts";
import { count, counted, size } from "../wording.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { untilStopped } from "./signals.ts";
import { workDisplay } from "./work-display.ts";

const TABLE = {
  dir: {
    group: "Options",
    kind: "file",
    default: null,
    word: "DIR",
    says: "where to: a new directory, or one imported into before",
  },
  link: {
    group: "Options",
    kind: "flag",
    default: false,
    says: "refer to the files where they are, instead of copying them",
  },
  handlers: { ...OPTIONS.handlers, group: "Options" },
  nearDuplicates: { ...OPTIONS.nearDuplicates, group: "Options" },
  assets: { ...OPTIONS.assets, group: "Options", says: "record what is embedded in pages as links too" },
  json: { group: "Options", kind: "flag", default: false, says: "the report as one JSON object" },
} as const satisfies Table;

export const importCommand: Command = {
  name: "import",
  usage: "import FILE.warc.gz... --dir DIR",
  says: "make a crawl's directory of archives, whoever wrote them: read again, nothing fetched",
  more: `Responses, revisits and resources become visits, read by today's handlers; robots.txt and what
metadata records say of them are kept. Files are copied into DIR/archive as they are; damaged and
plain ones, and those with several records to a gzip member, are packed anew: what can be read.
Repeated, or begun again after a kill, it goes on with what is missing. Links are recorded and not
queued: trawl crawl SEED --dir DIR goes on with those in its scope. Exit code 4 when there is no
capture in the files.`,
  options: TABLE,
  async run(argv, shell) {
    const { given, positionals } = readArguments("import", argv, TABLE);
    const example = "trawl import old.warc.gz --dir crawls/old";
    if (positionals.length === 0) throw new UsageError("missing-argument", `name WARC files to import: ${example}`);
    if (given.dir === undefined) throw new UsageError("missing-argument", `name where to with --dir: ${example}`);
    const files = [...new Set(positionals.map((file) => resolve(shell.cwd, file)))];
    let total = 0;
    for (const file of files) total += await sizeOf(file);
    const dir = resolve(shell.cwd, given.dir as string);
    await inspectDir(dir);
    const handlers = ((given.handlers ?? []) as string[]).map((path) => resolve(shell.cwd, path));
    await loadHandlers(handlers);
    const bytes = workDisplay(shell.stderr, shell, (done, all) => `Examined ${size(done)} of ${size(all ?? 0)}`);
    const captures = workDisplay(
      shell.stderr,
      shell,
      (done, all) => `Read ${count(done)} of ${counted(all ?? 0, "capture")}`,
    );
    return await untilStopped(shell, async (signal) => {
      let report: ImportReport;
      try {
        report = await importArchives({
          ...{ files, dir, link: given.link === true, fault: faultOf(shell.env) ?? (() => {}) },
          reading: {
            handlers,
            nearDuplicates: given.nearDuplicates !== false,
            assets: given.assets === true,
            maxBody: OPTIONS.maxBody.default,
            userAgent: OPTIONS.userAgent.default,
          },
          onProgress(step, done, all) {
            signal.throwIfAborted();
            if (step === "examined") bytes.at(done, total);
            else captures.at(done, all);
          },
        });
      } finally {
        bytes.end();
        captures.end();
      }
      shell.stdout.write(given.json ? `${JSON.stringify(report)}\n` : `${linesOf(dir, report).join("\n")}\n`);
      if (report.plan.captures + report.files.known > 0) return EXIT.done;
      shell.stderr.write("trawl: there is no capture in these files; name WARC files, as in archive/*.warc.gz\n");
      return EXIT.nothingFetched;
    });
  },
};

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  if (found === null) throw new UsageError("import", `there is no file ${file}; name WARC files`);
  if (!found.isFile()) throw new UsageError("import", `${file} is no file; name WARC files, as in archive/*.warc.gz`);
  return found.size;
}

function linesOf(dir: string, { files, records, plan, counts, left, faults, told }: ImportReport): string[] {
  const notes: readonly (readonly [number, string])[] = [
    [files.known, `${counted(files.known, "file")} imported before`],
    [files.repacked, `${counted(files.repacked, "file")} packed anew: plain, damaged, or several records to a member`],
    [counts.known, `${counted(counts.known, "capture")} there already`],
    [counts.older, `${counted(counts.older, "capture")} not taken: older than the last of the same URL`],
    [left, `${counted(left, "URL")} to visit: redirected to the same URL, and not archived after that`],
    [counts.lost, `${counted(counts.lost, "revisit")} of bodies that are in none of the files`],
    [
      plan.strange,
      `${counted(plan.strange, "record")} passed over: no answer of the web (dns:, urn:, no HTTP, no date)`,
    ],
  ];
  return [
    dir,
    `  files    ${counted(files.taken + files.repacked + files.known, "file")}, ${counted(records, "record")}`,
    `  state    ${counted(counts.visits, "visit")} of ${counted(counts.urls, "URL")}, ${counted(counts.robots, "copy", "copies")} of robots.txt, ${counted(counts.links, "link")} left out`,
    ...notes.flatMap(([n, words]) => (n > 0 ? [`  note     ${words}`] : [])),
    ...told.map((fault) => `  DAMAGE   ${fault}`),
    ...(faults > told.length ? [`  DAMAGE   and ${count(faults - told.length)} more`] : []),
  ];
}
