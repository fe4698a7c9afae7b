/** Help texts, made from the table of options and the list of commands. */
import { type Table, typedFlag } from "../config/arguments.ts";
import { KIND_WORDS, type Option } from "../config/option.ts";
import { printValue } from "../config/values.ts";

/** No line of help is longer. */
export const HELP_WIDTH = 100;
const INDENT = 30;

/** `--delay TIME`, `-i, --input FILE`, `--no-robots`. */
export function optionSyntax(name: string, option: Option): string {
  const word = option.word ?? (option.choices === undefined ? KIND_WORDS[option.kind].word : option.choices.join("|"));
  const short = option.short === undefined ? "" : `-${option.short}, `;
  return `${short}${typedFlag(name, option)}${word === "" ? "" : ` ${word}`}`;
}

/** How the default is written, or "" when there is none to write. */
export function optionDefault(option: Option): string {
  if (option.defaultSays !== undefined) return option.defaultSays;
  const { default: value } = option;
  if (value === null || typeof value === "boolean") return "";
  return typeof value === "object" ? value.join(",") : printValue(option, value);
}

/** The options of a table by group: what is typed at the left, what it does and its default at the right. */
export function optionsHelp(table: Table): string {
  const groups = new Map<string, string[]>();
  for (const [name, option] of Object.entries(table)) {
    const lines = groups.get(option.group) ?? [];
    groups.set(option.group, lines);
    const shown = optionDefault(option);
    const notes = [...(option.many ? ["repeatable"] : []), ...(shown === "" ? [] : [`default ${shown}`])];
    lines.push(
      entry(optionSyntax(name, option), `${option.says}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`),
    );
  }
  return [...groups].map(([group, lines]) => `${group}:\n${lines.join("\n")}`).join("\n\n");
}

/** `left` in its column, `right` wrapped beside it. */
export function entry(left: string, right: string): string {
  const lines = wrap(right, HELP_WIDTH - INDENT);
  const first = `  ${left}`.padEnd(INDENT - 1);
  const head = first.length >= INDENT ? [first] : [`${first} ${lines.shift() ?? ""}`.trimEnd()];
  return [...head, ...lines.map((line) => " ".repeat(INDENT) + line)].join("\n");
}

/** A paragraph, broken at the width of help. */
export const filled = (text: string): string => wrap(text, HELP_WIDTH).join("\n");

/** Breaks at spaces and after commas of long words. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const piece of text.match(/[^ ,]*,?(?: |$)?|[^ ]+/g) ?? []) {
    if (line.length + piece.trimEnd().length > width && line !== "") {
      lines.push(line.trimEnd());
      line = "";
    }
    line += piece;
  }
  return line.trim() === "" ? lines : [...lines, line.trimEnd()];
}

const HEADINGS = ["flag", "in a configuration", "default", "what it does"] as const;

/** docs/options.md, whole, as the formatter would leave it. */
export function optionsPage(table: Table): string {
  const groups = Map.groupBy(Object.entries(table), ([, option]) => option.group);
  const tables = [...groups].map(([group, options]) => {
    const rows = options.map(([name, option]) => pageCells(name, option));
    return `## ${group}\n\n${markdownTable(HEADINGS, rows)}\n`;
  });
  return `${PREAMBLE}\n${tables.join("\n")}`;
}

function pageCells(name: string, option: Option): readonly string[] {
  const shown = option.default === true ? "on" : option.default === false ? "off" : optionDefault(option);
  const bounds = [
    ...(option.min === undefined ? [] : [`least ${printValue(option, option.min)}`]),
    ...(option.max === undefined ? [] : [`most ${printValue(option, option.max)}`]),
  ].join(", ");
  const notes = [option.many ? "Repeatable." : "", bounds === "" || option.kind === "agent" ? "" : `(${bounds})`];
  return [
    `\`${optionSyntax(name, option)}\``,
    name === "config" ? "" : `\`${name}\``,
    shown === "" || option.defaultSays !== undefined ? shown : `\`${shown}\``,
    [sentence(option.says), ...notes].filter((part) => part !== "").join(" "),
  ];
}

/** As the formatter would leave it. */
export function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = headings.map((_, column) => Math.max(3, ...cells.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |`;
  const [first, ...others] = cells.map(line);
  return [first, line(widths.map((width) => "-".repeat(width))), ...others].join("\n");
}

const sentence = (says: string): string => `${says[0]!.toUpperCase()}${says.slice(1)}.`;

const PREAMBLE = `# Options

<!-- Made by \`npm run docs:options\` from src/app/config/options.ts. Change the table there. -->

Flags win over the configuration file, and the configuration file wins over the defaults. A list given by flags takes
the place of the list in the file. Every on/off flag has its opposite: \`--no-robots\` and \`--robots\`.

The configuration file is \`trawl.config.ts\`, \`.js\` (a default export) or \`.json\` in the working directory, or what
\`--config\` names. Its keys are the names in the second column, and \`seeds\`. Paths in it are relative to it.

\`\`\`ts
export default {
  seeds: ["https://example.com/"],
  scope: "domain",
  exclude: [/\\/print\\//, "[?&]sort="],
  delay: "2s", // or 2000, in ms
  maxBody: "32MiB", // or bytes
};
\`\`\`

Values: durations \`500ms 2s 5m 1h 30d 1h30m\`; sizes \`4096 64KiB 16MiB 1GB\` (KB, MB, GB count in thousands); regular
expressions are JavaScript's, are tried anywhere in the URL as it is fetched, and heed case unless they begin with
\`(?i:\`.

A seed without a scheme is taken as \`https://\`, or as \`http://\` when it is localhost or an IP address. Without \`--dir\`
a crawl is kept in \`crawls/HOST\` of the working directory, HOST being the first seed's (a crawler of a shared crawl in
\`crawls/NAME\`, NAME being \`--name\`): the same command finds it again and goes on. A seed may be a file or a directory, \`file:///home/me/site/\`: what is below its directory is crawled then,
symbolic links that lead out of it aside (\`--scope\` may narrow that); pages of the web never lead to files. \`trawl crawl --dir DIR\` without seeds goes on with what is kept in DIR, under its own configuration.
`;
