/** From argv to values by a table of options: finds what is unknown, misplaced or ill-formed, and says so. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { type UsageCode, UsageError } from "../usage-error.ts";
import { closest } from "./closest.ts";
import { KIND_WORDS, type Option } from "./option.ts";
import { parseValue, withoutPassword } from "./values.ts";

export type Table = Readonly<Record<string, Option>>;

/** Values that were given, by option name; lists are lists. What was not given is absent. */
export type Given = Readonly<Record<string, unknown>>;

export interface Arguments {
  readonly given: Given;
  readonly positionals: readonly string[];
}

/** What users of other crawlers type, and what it is called here. */
const CALLED_ELSEWHERE: Readonly<Record<string, string>> = {
  retries: "--tries, which counts the first attempt too",
  "max-retries": "--tries, which counts the first attempt too",
  output: "--dir",
  "output-dir": "--dir",
  "directory-prefix": "--dir",
  pages: "--limit",
  "max-pages": "--limit",
  level: "--depth",
  "max-depth": "--depth",
  workers: "--concurrency or --threads",
  wait: "--delay",
  rate: "--delay",
  agent: "--user-agent",
  "ignore-robots": "--no-robots",
  timeout: "--connect-timeout, --first-byte-timeout or --total-timeout",
  json: "--jsonl",
  resume: "the same command again: it goes on by itself",
  continue: "the same command again: it goes on by itself",
  force: "--overwrite",
};

/** `hostConcurrency` is `host-concurrency` on the command line. */
export function flagOf(name: string, option: Option): string {
  return option.flag ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The flag as it is typed to change the default: flags that are on by default are typed with `--no-`. */
export function typedFlag(name: string, option: Option): string {
  return option.default === true ? `--no-${flagOf(name, option)}` : `--${flagOf(name, option)}`;
}

/** The table as `node:util` wants it. */
export function parserOptions(table: Table): NonNullable<ParseArgsConfig["options"]> {
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const [name, option] of Object.entries(table)) {
    options[flagOf(name, option)] = {
      type: option.kind === "flag" ? "boolean" : "string",
      multiple: option.many ?? false,
      ...(option.short === undefined ? {} : { short: option.short }),
    };
  }
  return options;
}

/**
 * Reads what follows `trawl COMMAND`. Throws a `UsageError` that names the argument and the mend. The last of a single
 * option's values counts.
 */
export function readArguments(command: string, argv: readonly string[], table: Table): Arguments {
  const byFlag = new Map(Object.entries(table).map(([name, option]) => [flagOf(name, option), { name, option }]));
  // Not strict: the parser's own sentences name no mend, so every token is judged here.
  const { tokens } = parseArgs({
    args: [...argv],
    options: parserOptions(table),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given: Record<string, unknown> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const negated = /^--no-/.test(token.rawName) && !byFlag.has(token.name);
    const known = byFlag.get(negated ? token.name.slice(3) : token.name);
    if (known === undefined || (negated && known.option.kind !== "flag"))
      throw unknownOption(token.rawName, byFlag, command);
    const { name, option } = known;
    if (option.kind === "flag") {
      if (token.value !== undefined)
        throw bad("bad-value", token.rawName, `takes no value; write ${token.rawName} alone, or leave it out`);
      given[name] = !negated;
      continue;
    }
    const word = option.word ?? KIND_WORDS[option.kind].word;
    const { value } = token;
    if (value === undefined) throw bad("missing-value", token.rawName, `needs a value; write ${token.rawName} ${word}`);
    if (!token.inlineValue && /^-./.test(value))
      throw bad(
        "missing-value",
        token.rawName,
        `needs a value, but ${value} follows it; write --${flagOf(name, option)}=${word}`,
      );
    take(given, name, option, value, token.rawName);
  }
  return { given, positionals };
}

function take(given: Record<string, unknown>, name: string, option: Option, text: string, rawName: string): void {
  for (const part of option.kind === "type" ? text.split(",") : [text]) {
    const parsed = parseValue(option, part);
    if (!parsed.ok) throw bad("bad-value", rawName, `"${withoutPassword(part)}" ${parsed.error}`, ": ");
    if (option.many) given[name] = [...((given[name] as unknown[]) ?? []), parsed.value];
    else given[name] = parsed.value;
  }
}

const bad = (code: UsageCode, subject: string, rest: string, joint = " "): UsageError =>
  new UsageError(code, `${subject}${joint}${rest}`);

function unknownOption(
  rawName: string,
  byFlag: ReadonlyMap<string, { readonly option: Option }>,
  command: string,
): UsageError {
  const [, no = "", word = ""] = /^--?(no-)?(.*)$/s.exec(rawName) ?? [];
  const elsewhere = Object.hasOwn(CALLED_ELSEWHERE, word) ? CALLED_ELSEWHERE[word] : undefined;
  const near = closest(word, byFlag.keys());
  const hint =
    elsewhere !== undefined
      ? `here it is ${elsewhere}`
      : near !== null
        ? `did you mean --${byFlag.get(near)?.option.kind === "flag" ? no : ""}${near}?`
        : `trawl help ${command} lists the options`;
  return new UsageError("unknown-option", `unknown option ${rawName}; ${hint}`);
}
