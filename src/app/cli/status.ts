/** `trawl status DIR`: how a crawl stands; also while it runs. */
import { resolve } from "node:path";
import { readArguments, type Table } from "../config/arguments.ts";
import { statusOf, statusReport } from "../inspect/status.ts";
import { openCrawl } from "../place/directory.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { oneDirectory } from "./positionals.ts";

const TABLE = {
  json: { group: "Options", kind: "flag", default: false, says: "as one JSON object" },
} as const satisfies Table;

export const statusCommand: Command = {
  name: "status",
  usage: "status DIR",
  says: "how the crawl in a directory stands; also while it runs",
  options: TABLE,
  async run(argv, shell) {
    const { given, positionals } = readArguments("status", argv, TABLE);
    await using crawl = await openCrawl(resolve(shell.cwd, oneDirectory("status", positionals)));
    const status = await statusOf(crawl);
    const lines = given.json ? [JSON.stringify(status)] : statusReport(status, crawl.config);
    shell.stdout.write(`${lines.join("\n")}\n`);
    return EXIT.done;
  },
};
