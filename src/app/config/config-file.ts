/** The configuration file: trawl.config.ts, .js or .json; its keys are the option names. */
import { readFile, stat } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type UsageCode, UsageError } from "../usage-error.ts";
import { type Given, type Table, typedFlag } from "./arguments.ts";
import { closest, didYouMean } from "./closest.ts";
import type { Option } from "./option.ts";
import { takeValue, withoutPassword } from "./values.ts";

const NAMES = ["trawl.config.ts", "trawl.config.mts", "trawl.config.js", "trawl.config.mjs", "trawl.config.json"];

/** The configuration file of a directory, or null. */
export async function findConfigFile(cwd: string): Promise<string | null> {
  for (const name of NAMES) {
    const path = resolve(cwd, name);
    const isFile = await stat(path).then(
      (entry) => entry.isFile(),
      () => false,
    );
    if (isFile) return path;
  }
  return null;
}

/** What the file holds: the JSON value, or the module's default export. Nothing in it is checked yet. */
export async function loadConfigFile(path: string): Promise<unknown> {
  const fault = (reason: string): UsageError =>
    new UsageError(
      "config-file",
      `cannot load the configuration ${path}: ${reason}; mend it, or name another with --config`,
    );
  const suffix = extname(path);
  if (!/^\.([cm]?[jt]s|json)$/.test(suffix)) throw fault(`"${suffix}" is none of .ts, .js, .json`);
  try {
    if (suffix === ".json") return JSON.parse((await readFile(path, "utf8")).replace(/^\ufeff/, ""));
    await stat(path);
    const module: { readonly default?: unknown } = await import(pathToFileURL(path).href);
    if (module.default !== undefined) return module.default;
  } catch (cause) {
    throw fault(cause instanceof Error ? firstLine(cause) : String(cause));
  }
  throw fault("it has no default export");
}

const firstLine = (error: Error): string => {
  if ("code" in error && error.code === "ENOENT") return "there is no such file";
  return error.message.split("\n", 1)[0]!;
};

/**
 * Checks named values by the table. `where` begins each sentence (a file's path, or the name of a function);
 * `extra` names keys that are allowed beside the options and are passed through unchecked.
 */
export function checkNamed(
  raw: unknown,
  table: Table,
  where: string,
  code: UsageCode,
  extra: readonly string[] = [],
): Given {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw))
    throw new UsageError(code, `${where}: the configuration is not an object; write { limit: 100 }`);
  const given: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw)) {
    const option = Object.hasOwn(table, key) ? table[key] : undefined;
    if (value === undefined) continue;
    if (extra.includes(key)) given[key] = value;
    else if (option === undefined) throw unknownKey(key, table, where, code, extra);
    else given[key] = takeNamed(option, value, `${where}: ${key}`, code);
  }
  return given;
}

function takeNamed(option: Option, value: unknown, subject: string, code: UsageCode): unknown {
  if (value === null && option.default === null) return null;
  const one = (element: unknown): unknown => {
    const parsed = takeValue(option, element);
    if (parsed.ok) return parsed.value;
    throw new UsageError(code, `${subject}: ${show(element)} ${parsed.error}`);
  };
  if (!option.many) return one(value);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const written = asWritten(option, Object.entries(value));
    if (written !== null) return written.map(one);
  }
  return Array.isArray(value) ? value.map(one) : [one(value)];
}

/** An object in the place of a list, by kind of option; null where none may stand. */
function asWritten({ kind }: Option, entries: readonly (readonly [string, unknown])[]): string[] | null {
  if (kind === "header") return entries.map(([name, field]) => `${name}: ${String(field)}`);
  if (kind === "auth") return entries.map(([host, secret]) => `${host}=${String(secret)}`);
  if (kind !== "hostHeader") return null;
  return entries.flatMap(([host, fields]) =>
    Object.entries((fields ?? {}) as object).map(([name, field]) => `${host}: ${name}: ${String(field)}`),
  );
}

const show = (value: unknown): string => {
  if (typeof value === "function") return "a function";
  const text = withoutPassword(value instanceof RegExp ? String(value) : (JSON.stringify(value) ?? String(value)));
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
};

function unknownKey(key: string, table: Table, where: string, code: UsageCode, extra: readonly string[]): UsageError {
  const byFlag = Object.entries(table).find(
    ([name, option]) => typedFlag(name, option).replace(/^--(no-)?/, "") === key,
  );
  const hint =
    byFlag !== undefined && closest(key, [byFlag[0]]) !== null
      ? `; here it is written ${byFlag[0]}`
      : didYouMean(key, [...Object.keys(table), ...extra]);
  return new UsageError(
    code,
    `${where}: unknown option "${key}"${hint === "" ? "; docs/options.md lists them" : hint}`,
  );
}
