/** `trawl help [COMMAND]`: the list of commands, or one of them with its options. */
import { didYouMean } from "../config/closest.ts";
import { UsageError } from "../usage-error.ts";
import type { Command } from "./command.ts";
import { EXIT, EXIT_WORDS } from "./exit-codes.ts";
import { entry, filled, optionsHelp } from "./help-text.ts";

export function commandHelp(command: Command): string {
  return [
    usages(command).join("\n"),
    filled(`${command.says[0]!.toUpperCase()}${command.says.slice(1)}.`),
    ...(command.more === undefined ? [] : [command.more]),
    optionsHelp(command.options),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n");
}

/** A command that is about a crawl is told where it is in either of two ways. */
function usages({ usage, options }: Command): string[] {
  if (options.frontier === undefined || !/\bDIR\b/.test(usage)) return [`trawl ${usage}`];
  return [`trawl ${usage}`, `trawl ${usage.replace(/\[?DIR\]?/, "--frontier redis://HOST:PORT,... --name CRAWL")}`];
}

export function overview(commands: readonly Command[]): string {
  const list = commands.map((command) => entry(command.usage, command.says)).join("\n");
  const codes = (Object.keys(EXIT) as (keyof typeof EXIT)[]).map((name) => entry(String(EXIT[name]), EXIT_WORDS[name]));
  return `Trawl crawls the web: politely, losing nothing when it is killed, into archives that standard
tools open.

Commands:
${list}

  Of a crawl that crawlers share (--frontier) write --frontier redis://HOST:PORT,... --name CRAWL in
  the place of DIR; for rank bring it into a directory first (migrate).

  trawl COMMAND --help tells a command's options; trawl --version tells the version.

Examples:
  trawl https://example.com/ --limit 100
  trawl crawl -i seeds.txt --scope domain --dir crawls/mine
  trawl https://example.com/ --jsonl --quiet | jq .title
  trawl export crawls/example.com --to pages.csv

Exit codes:
${codes.join("\n")}
`;
}

export function helpCommand(commands: () => readonly Command[]): Command {
  return {
    name: "help",
    usage: "help [COMMAND]",
    says: "this, or the options of a command",
    options: {},
    async run(argv, shell) {
      const [name] = argv.filter((word) => !word.startsWith("-"));
      if (name === undefined) {
        shell.stdout.write(overview(commands()));
        return EXIT.done;
      }
      const command = commands().find((one) => one.name === name);
      if (command === undefined) {
        const names = commands().map((one) => one.name);
        throw new UsageError("unknown-command", `there is no command "${name}"${didYouMean(name, names)}`);
      }
      shell.stdout.write(commandHelp(command));
      return EXIT.done;
    },
  };
}
