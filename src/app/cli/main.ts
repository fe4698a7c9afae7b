/** The command line: finds the command, runs it, turns what it throws into a sentence and an exit code. */
import { text } from "node:stream/consumers";
import { systemClock } from "../../base/clock.ts";
import { closest } from "../config/closest.ts";
import { UsageError } from "../usage-error.ts";
import { VERSION } from "../version.ts";
import { addCommand } from "./add.ts";
import type { Command, Shell } from "./command.ts";
import { crawlCommand } from "./crawl.ts";
import { diffCommand } from "./diff.ts";
import { dueCommand } from "./due.ts";
import { EXIT, exitCodeOfError, sentenceOf } from "./exit-codes.ts";
import { explainCommand } from "./explain.ts";
import { exportCommand } from "./export.ts";
import { getCommand } from "./get.ts";
import { commandHelp, helpCommand, overview } from "./help.ts";
import { importCommand } from "./import.ts";
import { migrateCommand } from "./migrate.ts";
import { pauseCommand, resumeCommand } from "./pause.ts";
import { rankCommand } from "./rank.ts";
import { recrawlCommand } from "./recrawl.ts";
import { reportCommand } from "./report.ts";
import { statusCommand } from "./status.ts";
import { verifyCommand } from "./verify.ts";

const runCrawl = async () => (await import("../run/run.ts")).runCrawl;

export const COMMANDS: readonly Command[] = [
  crawlCommand(runCrawl),
  recrawlCommand(runCrawl),
  dueCommand,
  addCommand,
  pauseCommand,
  resumeCommand,
  statusCommand,
  rankCommand,
  reportCommand,
  explainCommand,
  exportCommand,
  getCommand,
  diffCommand,
  importCommand,
  migrateCommand,
  verifyCommand,
  helpCommand(() => COMMANDS),
];

/** Runs one command line; the exit code. Never throws, but for a package of the program's own that is not installed. */
export async function main(argv: readonly string[], shell: Shell, commands = COMMANDS): Promise<number> {
  try {
    return await dispatch(argv, shell, commands);
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null)?.code === "ERR_MODULE_NOT_FOUND") throw error;
    const code = exitCodeOfError(error);
    if (code !== null) {
      shell.stderr.write(`trawl: ${sentenceOf(error as Error)}\n`);
      return code;
    }
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    shell.stderr.write(`trawl: this is a bug in Trawl ${VERSION}; please report it with what follows.\n${stack}\n`);
    return EXIT.bug;
  }
}

async function dispatch(argv: readonly string[], shell: Shell, commands: readonly Command[]): Promise<number> {
  const [first] = argv;
  if (first === undefined) {
    shell.stderr.write(overview(commands));
    return EXIT.usage;
  }
  if (first === "--version" || first === "-V") {
    shell.stdout.write(`${VERSION}\n`);
    return EXIT.done;
  }
  if (first === "--help" || first === "-h") {
    shell.stdout.write(overview(commands));
    return EXIT.done;
  }
  const command = commands.find((one) => one.name === first) ?? shortForm(first, commands);
  const rest = command.name === first ? argv.slice(1) : argv;
  const options = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest;
  if (options.includes("--help") || options.includes("-h")) {
    shell.stdout.write(commandHelp(command));
    return EXIT.done;
  }
  return command.run(rest, shell);
}

/** `trawl URL` and `trawl --limit 5 URL` mean crawl; a lone word is a mistyped command. */
function shortForm(first: string, commands: readonly Command[]): Command {
  if (!/[.:/]|^-|^localhost$/i.test(first)) {
    const names = commands.map((one) => one.name);
    const near = closest(first, names);
    const mend = near === null ? "trawl help lists them" : `did you mean ${near}?`;
    throw new UsageError("unknown-command", `there is no command "${first}"; ${mend}`);
  }
  return commands.find((one) => one.name === "crawl")!;
}

/** The real process. A reader of our output that goes away (`| head`) stops the crawl as Ctrl-C does. */
export async function runProcess(): Promise<void> {
  let isFull = false;
  const gone = (stream: NodeJS.WriteStream, then: () => void): void => {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "EIO") {
        if (stream === process.stdout) isFull = true;
        process.stderr.write(`trawl: what is written cannot be delivered: ${error.message}\n`);
      }
      then();
    });
  };
  gone(process.stdout, () => {
    if (isFull && process.listenerCount("SIGINT") === 0) process.exit(EXIT.disk); // nothing that would have to end in order
    process.kill(process.pid, "SIGINT");
  });
  gone(process.stderr, () => {});
  // A module that awaits for ever ends the process while main still waits: that is no success.
  const unfinished = (): void => {
    process.stderr.write(
      "trawl: a module that was loaded never finished loading; mend the configuration or the handler\n",
    );
    process.exitCode = EXIT.usage;
  };
  process.once("beforeExit", unfinished);
  process.exitCode = await main(process.argv.slice(2), {
    cwd: process.cwd(),
    env: process.env,
    clock: systemClock,
    stdout: process.stdout,
    stderr: process.stderr,
    signals: {
      on: (signal, listener) => process.on(signal, listener),
      off: (signal, listener) => process.off(signal, listener),
      exit: (code) => process.exit(code),
    },
    readStdin: () => text(process.stdin),
  });
  process.off("beforeExit", unfinished);
  if (isFull) process.exitCode = EXIT.disk;
}
