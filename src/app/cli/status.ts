/** `trawl status DIR`: how a crawl stands, and who is at it; also while it runs. */
import { readArguments, type Table } from "../config/arguments.ts";
import { statusOf, statusReport } from "../inspect/status.ts";
import { openCrawl } from "../place/open.ts";
import { PLACE, placeWords } from "../place/place.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { oneCrawl } from "./positionals.ts";

const TABLE = {
  ...PLACE,
  json: { group: "Options", kind: "flag", default: false, says: "as one JSON object" },
} as const satisfies Table;

export const statusCommand: Command = {
  name: "status",
  usage: "status DIR",
  says: "how a crawl stands, and who is at it; also while it runs",
  options: TABLE,
  async run(argv, shell) {
    const line = readArguments("status", argv, TABLE);
    const { given } = line;
    const place = oneCrawl("status", line, shell.cwd);
    await using crawl = await openCrawl(place);
    const now = shell.clock.now();
    const status = await statusOf(crawl, now);
    const lines = given.json
      ? [JSON.stringify(status)]
      : statusReport(status, crawl.config, now, `trawl resume ${placeWords(place)}`);
    shell.stdout.write(`${lines.join("\n")}\n`);
    return EXIT.done;
  },
};
