import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { commandHelp, overview } from "../../../src/app/cli/help.ts";
import { HELP_WIDTH, optionDefault, optionSyntax, optionsHelp, optionsPage } from "../../../src/app/cli/help-text.ts";
import { COMMANDS } from "../../../src/app/cli/main.ts";
import { flagOf, parserOptions, readArguments } from "../../../src/app/config/arguments.ts";
import { defaultDir } from "../../../src/app/config/config.ts";
import { OPTION_LIST, OPTIONS } from "../../../src/app/config/options.ts";
import { parseValue, printValue } from "../../../src/app/config/values.ts";
import { metricsPage } from "../../../src/app/docs/metrics-page.ts";
import { outputPage, tablesOf } from "../../../src/app/docs/output-page.ts";
import { SCHEMA } from "../../../src/store/embedded/schema.ts";

describe("the table of options", () => {
  it("has defaults that its own checks accept", () => {
    for (const [name, option] of OPTION_LIST) {
      const values = Array.isArray(option.default) ? option.default : [option.default];
      for (const value of values) {
        if (value === null) continue;
        const parsed = parseValue(option, printValue(option, value));
        assert.ok(parsed.ok && parsed.value === value, name);
      }
    }
  });
  it("says of a flag that is written --no-... what it turns off", () => {
    for (const [name, option] of OPTION_LIST)
      if (option.default === true) assert.match(option.says, /^do not /, flagOf(name, option));
  });
  it("gives each flag and each short flag one meaning", () => {
    const flags = OPTION_LIST.flatMap(([name, option]) => [flagOf(name, option), option.short ?? []].flat());
    assert.equal(new Set(flags).size, flags.length);
    assert.ok(!flags.includes("h") && !flags.includes("V") && !flags.includes("help"));
  });
  it("is what the parser of arguments is given", () => {
    const parser = parserOptions(OPTIONS);
    assert.deepEqual(parser.input, { type: "string", multiple: false, short: "i" });
    assert.deepEqual(parser.header, { type: "string", multiple: true });
    assert.deepEqual(parser.overwrite, { type: "boolean", multiple: false });
  });
});

describe("help", () => {
  it("fits its width, and tells every option with its default", () => {
    const text = optionsHelp(OPTIONS);
    for (const line of text.split("\n")) assert.ok(line.length <= HELP_WIDTH, line);
    for (const [name, option] of OPTION_LIST) {
      assert.ok(text.includes(`  ${optionSyntax(name, option)}`), name);
      assert.ok(text.replace(/\s+/g, "").includes(optionDefault(option).replace(/\s+/g, "")), name);
    }
  });
  it("fits its width on every page", () => {
    const pages = [overview(COMMANDS), ...COMMANDS.map(commandHelp)];
    for (const line of pages.flatMap((page) => page.split("\n"))) assert.ok(line.length <= HELP_WIDTH, line);
  });
  it("names a crawl in both ways, by its directory and by its frontier and name, wherever both will do", () => {
    for (const command of COMMANDS) {
      const [first, second] = commandHelp(command).split("\n");
      assert.equal(first, `trawl ${command.usage}`);
      const both = Object.keys(command.options).includes("frontier") && command.name !== "crawl";
      if (both) assert.match(second!, new RegExp(`^trawl ${command.name} --frontier redis://\\S+ --name CRAWL`));
      else assert.equal(second, "");
    }
  });
  it("tells where a crawl is kept that was told no directory, alone and shared", () => {
    const dirs = [defaultDir("", "http://HOST/"), defaultDir("", "http://HOST/", { name: "NAME" })];
    const told = optionDefault(OPTIONS.dir);
    for (const dir of dirs) assert.match(told, new RegExp(dir, "i"));
  });
  it("shows a flag that is on by the form that turns it off", () => {
    assert.equal(optionSyntax("robots", OPTIONS.robots), "--no-robots");
  });
});

describe("docs/options.md", () => {
  it("is up to date (npm run docs:options)", () => {
    const page = readFileSync(new URL("../../../docs/options.md", import.meta.url), "utf8");
    assert.equal(page, optionsPage(OPTIONS));
  });
});

describe("docs/metrics.md", () => {
  it("is up to date (npm run docs:metrics)", () => {
    const page = readFileSync(new URL("../../../docs/metrics.md", import.meta.url), "utf8");
    assert.equal(page, metricsPage());
  });
});

describe("docs/output.md", () => {
  it("is up to date (npm run docs:output)", () => {
    const page = readFileSync(new URL("../../../docs/output.md", import.meta.url), "utf8");
    assert.equal(page, outputPage());
  });
  it("tells every table of state.db, and every column of each", () => {
    const db = new DatabaseSync(":memory:");
    db.exec(SCHEMA);
    const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const ofTable = db.prepare("SELECT name FROM pragma_table_info(?)");
    assert.deepEqual(
      tablesOf(SCHEMA).map(({ name, columns }) => [name, columns.map(([column]) => column)]),
      names.map(({ name }) => [name, ofTable.all(name!).map((column) => column.name)]),
    );
    db.close();
  });
});

describe("arguments", () => {
  const read = (...argv: string[]) => readArguments("crawl", argv, OPTIONS);
  it("are taken in any order, with = or without, short or long", () => {
    const { given, positionals } = read("a.test", "--limit=5", "-qv", "b.test", "--delay", "2s", "-i", "-");
    assert.deepEqual(positionals, ["a.test", "b.test"]);
    assert.deepEqual(given, { limit: 5, quiet: true, verbose: true, delay: 2_000, input: "-" });
  });
  it("say no as well as yes, and the last word counts", () => {
    assert.deepEqual(read("--no-robots").given, { robots: false });
    assert.deepEqual(read("--no-robots", "--robots").given, { robots: true });
    assert.deepEqual(read("--limit", "5", "--limit", "6").given, { limit: 6 });
  });
  it("make lists of what is repeatable; media types also by commas", () => {
    assert.deepEqual(read("--header", "A: 1", "--header", "B: 2").given, { headers: ["a: 1", "b: 2"] });
    assert.deepEqual(read("--accept", "text/html,image/*", "--accept", "text/css").given, {
      accept: ["text/html", "image/*", "text/css"],
    });
    assert.deepEqual(read("--include", "a,b").given, { include: ["a,b"] });
  });
  it("behind -- are seeds, whatever they look like", () => {
    assert.deepEqual(read("--", "--limit").positionals, ["--limit"]);
  });
});
