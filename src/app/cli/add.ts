/** `trawl add DIR URL...`: hands URLs to a crawl, whether it runs or not. */
import { resolve } from "node:path";
import { PRIORITIES } from "../../model/link.ts";
import { readArguments, type Table } from "../config/arguments.ts";
import { readInput } from "../config/config.ts";
import { readSeeds, seedLines } from "../config/seeds.ts";
import { openSlot } from "../place/open.ts";
import { PLACE, placeName } from "../place/place.ts";
import { UsageError } from "../usage-error.ts";
import { counted } from "../wording.ts";
import type { Command, Shell } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { crawlAnd } from "./positionals.ts";

const TABLE = {
  ...PLACE,
  input: {
    group: "Options",
    kind: "file",
    default: null,
    short: "i",
    says: "URLs from a file, one a line, # for comments; - is standard input",
  },
  priority: {
    group: "Options",
    kind: "int",
    min: 0,
    max: PRIORITIES - 1,
    default: null,
    defaultSays: "0, as seeds",
    says: `0 goes before all others of its host, ${PRIORITIES - 1} after them`,
  },
} as const satisfies Table;

export const addCommand: Command = {
  name: "add",
  usage: "add DIR URL...",
  says: "hand URLs to a crawl: a running one takes them within a second, another when it goes on",
  more: `They are fetched as seeds are, whatever --scope and --depth say; their links are followed as far as
the crawl's scope goes. What the crawl knows already changes nothing.`,
  options: TABLE,
  async run(argv, shell) {
    const line = readArguments("add", argv, TABLE);
    const { given } = line;
    const { place, rest, example } = crawlAnd("add", line, shell.cwd);
    await using slot = await openSlot(place);
    const { seeds: urls, faults } = readSeeds([...rest, ...(await listed(given.input, shell))], "URL");
    const first = faults[0];
    if (urls.length === 0)
      throw first === undefined
        ? new UsageError("missing-argument", `name URLs to add, or -i FILE: ${example} https://example.com/page`)
        : new UsageError("url", `${first}; there is no other URL`);
    for (const fault of faults) shell.stderr.write(`trawl: ${fault}; skipped\n`);
    await slot.add({ urls, priority: (given.priority as number | undefined) ?? null }, shell.clock.now());
    shell.stdout.write(
      `${counted(urls.length, "URL")} for ${placeName(place)}: a running crawl takes them within a second, another when it goes on.\n`,
    );
    return EXIT.done;
  },
};

async function listed(input: unknown, shell: Shell): Promise<string[]> {
  if (typeof input !== "string") return [];
  return seedLines(await readInput(input === "-" ? input : resolve(shell.cwd, input), shell));
}
