/** `trawl status DIR`: how a crawl stands; also while it runs. */
import { resolve } from "node:path";
import { isHeld } from "../../store/embedded/database.ts";
import { readArguments, type Table } from "../config/arguments.ts";
import { readConfig } from "../config/config.ts";
import { openCrawl } from "../dir/crawl-state.ts";
import { isPaused } from "../dir/spool.ts";
import { statusOf, statusReport } from "../inspect/status.ts";
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
    const dir = resolve(shell.cwd, oneDirectory("status", positionals));
    using state = await openCrawl(dir);
    const config = await readConfig(dir);
    const status = await statusOf(state, config, dir, { running: isHeld(dir), paused: await isPaused(dir) });
    shell.stdout.write(given.json ? `${JSON.stringify(status)}\n` : `${statusReport(status, config).join("\n")}\n`);
    return EXIT.done;
  },
};
