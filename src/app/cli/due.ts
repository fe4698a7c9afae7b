/** `trawl due DIR`: what is visited again when, and why. */
import { byImportance, DueTimes } from "../../crawl/due-times.ts";
import { weighed } from "../../crawl/schedule.ts";
import { readArguments, type Table } from "../config/arguments.ts";
import { recrawlRulesOf } from "../config/rules.ts";
import { type DueRow, dueLines, dueRow } from "../inspect/due.ts";
import { openCrawl } from "../place/open.ts";
import { PLACE } from "../place/place.ts";
import { UsageError } from "../usage-error.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { oneCrawl } from "./positionals.ts";

const TABLE = {
  ...PLACE,
  limit: {
    group: "Options",
    kind: "int",
    min: 1,
    default: 20,
    word: "URLS",
    says: "show so many, those that are due first",
  },
  json: { group: "Options", kind: "flag", default: false, says: "one JSON object a line" },
} as const satisfies Table;

export const dueCommand: Command = {
  name: "due",
  usage: "due DIR",
  says: "which pages of a crawl are visited again when, and why; also while it runs",
  options: TABLE,
  async run(argv, shell) {
    const line = readArguments("due", argv, TABLE);
    const { given } = line;
    await using crawl = await openCrawl(oneCrawl("due", line, shell.cwd));
    const { name, config, state } = crawl;
    if (config === null) throw new UsageError("directory", `${name} has no crawl.json; trawl crawl --dir writes one`);
    const due = await state.due(Number.MAX_SAFE_INTEGER, (given.limit as number | undefined) ?? TABLE.limit.default);
    const dueTimes = new DueTimes(recrawlRulesOf(config), byImportance);
    dueTimes.load(await crawl.panel());
    const rows: DueRow[] = [];
    for (const { id } of due) {
      const record = await weighed(id, state);
      const row = record === null ? null : dueRow(record, dueTimes);
      if (row !== null) rows.push(row);
    }
    const lines = given.json ? rows.map((row) => JSON.stringify(row)) : dueLines(rows, dueTimes, shell.clock.now());
    shell.stdout.write(lines.map((line) => `${line}\n`).join(""));
    return EXIT.done;
  },
};
