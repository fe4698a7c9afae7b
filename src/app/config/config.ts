/** The configuration of a crawl: defaults, then the configuration file, then flags; checked before anything is written. */
import { readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import { missingForContent } from "../../media/main-content.ts";
import type { Connection } from "../../store/cluster/redis/connection.ts";
import { inspectCrawlerDir, inspectDir, readKept, writeKept } from "../dir/crawl-dir.ts";
import { openFrontier, readSharedConfig } from "../place/shared-crawl.ts";
import { UsageError } from "../usage-error.ts";
import { VERSION } from "../version.ts";
import { type Given, readArguments, type Table } from "./arguments.ts";
import { checkNamed, findConfigFile, loadConfigFile } from "./config-file.ts";
import type { CrawlConfig } from "./crawl-config.ts";
import { frontierName } from "./frontier.ts";
import type { Option } from "./option.ts";
import { type CrawlOptions, OPTION_LIST, OPTIONS, type OptionName } from "./options.ts";
import { readSeeds, seedLines, settleFiles } from "./seeds.ts";
import { isOfCrawl, mustBeShareable, type SharedCrawl, sharedCrawl } from "./sharing.ts";
import { hasContact } from "./user-agent.ts";
import { printValue } from "./values.ts";

export interface Resolved {
  readonly config: CrawlConfig;
  /** What the user should know although the crawl goes on: seeds that were skipped, robots.txt not asked for. */
  readonly notices: readonly string[];
}

export interface Surroundings {
  /** What relative paths of flags are relative to, and where a configuration file is looked for. */
  readonly cwd: string;
  /** All of standard input, for `-i -`. */
  readonly readStdin: () => Promise<string>;
}

type Loose<N extends OptionName> = (typeof OPTIONS)[N]["kind"] extends infer K
  ? K extends "duration" | "bytes"
    ? CrawlOptions[N] | string
    : K extends "regex"
      ? string | RegExp | readonly (string | RegExp)[]
      : K extends "header"
        ? Readonly<Record<string, string>> | readonly string[]
        : K extends "auth"
          ? Readonly<Record<string, string>> | string | readonly string[]
          : K extends "hostHeader"
            ? Readonly<Record<string, Readonly<Record<string, string>>>> | readonly string[]
            : CrawlOptions[N] extends readonly string[]
              ? string | readonly string[]
              : CrawlOptions[N]
  : never;

/** Options as a program or a configuration file gives them: durations in ms or as "2s", sizes in bytes or as "16MiB". */
export type CrawlInput = { readonly [N in Exclude<OptionName, "config">]?: Loose<N> | undefined } & {
  readonly seeds?: string | readonly string[] | undefined;
};

/** The configuration of `trawl crawl ARGV`. Throws a `UsageError`; writes nothing. */
export async function resolveConfig(argv: readonly string[], around: Surroundings): Promise<Resolved> {
  const { given, positionals } = readArguments("crawl", argv, OPTIONS);
  const flags = await settlePaths(given, around.cwd, (name) => `--${name}`);
  const path = (flags.config as string | undefined) ?? (await findConfigFile(around.cwd));
  const file = path === null ? {} : await readConfigFile(path);
  const seeded = positionals.length > 0 || flags.input !== undefined;
  const base = seeded ? { ...file, seeds: undefined, input: undefined } : file;
  return merge(base, seeded ? { ...flags, seeds: positionals } : flags, around);
}

/**
 * The configuration kept in a crawl's directory, or in the cluster where crawlers share it (`dir`: undefined), with these
 * options in place of its own. Throws a `UsageError`; writes nothing.
 */
export async function keptConfigWith(given: Given, dir: string | undefined, around: Surroundings): Promise<Resolved> {
  const settled = await settlePaths(given, around.cwd, (name) => `--${name}`);
  return merge({}, dir === undefined ? settled : { ...settled, dir }, around);
}

/** The same for a program: `where` is the name of the function that was called, and begins each sentence. */
export async function configFrom(input: CrawlInput, where: string, around: Surroundings): Promise<Resolved> {
  const given = checkNamed(input, OPTIONS, where, "bad-value", ["seeds"]);
  return merge({}, await settlePaths(given, around.cwd, (name) => `${where}: ${name}`), around);
}

async function readConfigFile(path: string): Promise<Given> {
  const given = checkNamed(await loadConfigFile(path), OPTIONS, path, "config-file", ["seeds"]);
  if ("config" in given)
    throw new UsageError("config-file", `${path}: "config" cannot stand in a configuration; take it out`);
  return settlePaths(given, dirname(path), (name) => `${path}: ${name}`);
}

async function merge(file: Given, flags: Given, around: Surroundings): Promise<Resolved> {
  const seedsOf = async (given: Given): Promise<string[]> => [
    ...textList(given.seeds),
    ...(given.input == null ? [] : seedLines(await readInput(String(given.input), around))),
  ];
  const texts = [...(await seedsOf(file)), ...(await seedsOf(flags))];
  const dirGiven = flags.dir ?? file.dir;
  const shared = sharedCrawl({ ...present(file), ...present(flags) });
  // The directory, or the name in the cluster, is enough to go on with the crawl that is there.
  const kept = texts.length > 0 ? null : shared !== null ? await sharedConfigOf(shared) : await keptIn(dirGiven);
  if (texts.length === 0 && kept === null) throw noSeeds(shared);
  const { seeds, faults } = await settleFiles(readSeeds(kept?.seeds ?? texts));
  if (seeds.length === 0) {
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more like it)` : "";
    throw new UsageError("bad-seeds", `${faults[0]}${more}; there is no other seed`);
  }
  const { dir: _dir, ...before } = kept ?? { dir: null };
  const given: Given = { ...before, ...present(file), ...present(flags) };
  const { input: _input, config: _config, ...options } = withDefaults(given);
  const dir = options.dir ?? defaultDir(around.cwd, seeds[0]!, shared);
  if (options.text || options.markdown) mustFindContent(options.markdown ? "markdown" : "text");
  if (shared === null) await inspectDir(dir);
  else await inspectCrawlerDir(dir);
  if (shared !== null) mustBeShareable(options, seeds, shared);
  mustBeElsewhere(options.store, dir);
  mustBeInOrder(options);
  if (options.jsonl && options.events === "-")
    throw new UsageError("events", "--jsonl and --events - both write to standard output; give --events a file");
  const config: CrawlConfig = { ...options, ...implied(options, given), seeds, dir };
  return { config, notices: [...faults.map((fault) => `${fault}; skipped`), ...warnings(config)] };
}

async function keptIn(dir: unknown): Promise<CrawlConfig | null> {
  return typeof dir === "string" ? readConfig(dir) : null;
}

function noSeeds(shared: SharedCrawl | null): UsageError {
  if (shared === null)
    return new UsageError("no-seeds", "nothing to crawl: no seeds; write trawl crawl https://example.com/, or -i FILE");
  const words = `there is no crawl ${shared.name} in ${frontierName(shared.frontier)} yet; name its seeds to begin it`;
  return new UsageError("no-seeds", words);
}

/** A store in the crawl's own directory would be the archive itself: files would be put over themselves, and then removed. */
function mustBeElsewhere(store: string | null, dir: string): void {
  if (store === null || store.startsWith("s3://")) return;
  if (store !== dir && !store.startsWith(dir + sep)) return;
  throw new UsageError("store", `--store: ${store} is in the crawl's own directory; name another`);
}

function mustBeInOrder(options: Pick<CrawlOptions, "revisitMin" | "revisitMax" | "lease" | "totalTimeout">): void {
  const { revisitMin, revisitMax, lease, totalTimeout } = options;
  if (lease !== null && lease < 2 * totalTimeout) {
    const [least, told] = [printValue(OPTIONS.totalTimeout, totalTimeout), printValue(OPTIONS.lease, lease)];
    const words = `--lease ${told} is less than twice --total-timeout ${least}; make it longer, or the other shorter`;
    throw new UsageError("bad-value", words);
  }
  if (revisitMin <= revisitMax) return;
  const [least, most] = [printValue(OPTIONS.revisitMin, revisitMin), printValue(OPTIONS.revisitMax, revisitMax)];
  throw new UsageError(
    "bad-value",
    `--revisit-min ${least} is more than --revisit-max ${most}; make it less, or the other more`,
  );
}

/** Better said now than of each page. */
function mustFindContent(option: "text" | "markdown"): void {
  const missing = missingForContent();
  if (missing.length === 0) return;
  const names = missing.join(" ");
  throw new UsageError("missing-package", `--${option} needs packages that are not here; npm install ${names}`);
}

/** Defaults that depend on other options. */
function implied(options: Pick<CrawlOptions, "assets">, given: Given): Partial<CrawlOptions> {
  return options.assets && given.accept === undefined ? { accept: ["*/*"] } : {};
}

function warnings(config: CrawlConfig): string[] {
  const said: string[] = [];
  if (!config.robots)
    said.push("WARNING: robots.txt is not asked for (--no-robots). Do this only to a site of your own.");
  if (config.insecure) said.push("WARNING: certificates are not checked (--insecure): anybody may be answering.");
  if (config.proxyDns && config.proxy !== null)
    said.push(
      "WARNING: the proxy looks names up (--proxy-dns): addresses cannot be checked, and the proxy must refuse private ones.",
    );
  if (!hasContact(config.userAgent))
    said.push(
      `the user agent "${config.userAgent}" does not say how to reach you; add a URL: '(+https://your.site/bot)'`,
    );
  return said;
}

const present = (given: Given): Given =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));

function textList(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  for (const element of list)
    if (typeof element !== "string")
      throw new UsageError(
        "bad-seeds",
        `seeds: ${JSON.stringify(element)} is not a text; write "https://example.com/"`,
      );
  return list;
}

/** A list of URLs as text, from a file or, for `-`, from standard input. Throws a `UsageError` when it cannot be read. */
export async function readInput(path: string, around: Surroundings): Promise<string> {
  if (path === "-") return around.readStdin();
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error && "code" in cause ? REASONS[String(cause.code)] : undefined;
    throw new UsageError(
      "input-file",
      `cannot read the seed list ${path}: ${reason ?? String(cause)}; name another with -i`,
    );
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a directory",
  EACCES: "it may not be read",
};

/** Where the crawl of a first seed is kept: crawls/`example.com`, `127.0.0.1-8080`, `2001-db8--1`, `file-home-me-site`. */
export function defaultDir(cwd: string, seed: string, shared: Pick<SharedCrawl, "name"> | null = null): string {
  if (shared !== null) return join(cwd, "crawls", shared.name);
  const { protocol, host, pathname } = new URL(seed);
  if (protocol === "file:") return join(cwd, "crawls", `file-${pathname.split(/\W+/).filter(Boolean).join("-")}`);
  return join(cwd, "crawls", host.replace(/[[\]]/g, "").replaceAll(":", "-"));
}

/** Makes the paths of files and modules absolute, from `base`, where they were written. */
export async function settlePaths(given: Given, base: string, subject: (name: string) => string): Promise<Given> {
  const settled: Record<string, unknown> = { ...given };
  for (const name of ["input", "dir", "config", "cookies", "events"] as const) {
    const path = given[name];
    const isStream = path === "-" && (name === "input" || name === "events");
    if (typeof path === "string" && !isStream) settled[name] = resolve(base, path);
  }
  if (typeof given.store === "string" && !given.store.startsWith("s3://")) {
    settled.store = resolve(base, given.store);
  }
  if (Array.isArray(given.handlers))
    settled.handlers = await Promise.all(
      given.handlers.map((module) => findModule(String(module), base, subject("handler"))),
    );
  return settled;
}

/** The file of a module that is named by path or as a package of the user's project. */
async function findModule(name: string, base: string, subject: string): Promise<string> {
  const fault = (mend: string): UsageError =>
    new UsageError("handler", `${subject}: there is no module "${name}" (seen from ${base}); ${mend}`);
  if (/^\.{0,2}\//.test(name) || isAbsolute(name)) {
    const path = resolve(base, name);
    if (!(await stat(path).catch(() => null))?.isFile()) throw fault("name its file, ./handler.ts");
    return path;
  }
  try {
    return createRequire(join(base, "noop.js")).resolve(name);
  } catch {
    throw fault(`install it with npm, or write ./${name} to mean a file`);
  }
}

/** What DIR/crawl.json shall hold: options that belong to the crawl, written as on the command line. */
function keptConfig(config: CrawlConfig, isKept = isOfDirectory): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = { trawl: VERSION, seeds: config.seeds };
  for (const [name, option] of OPTION_LIST) {
    if (!isKept(option)) continue;
    const value = config[name as keyof CrawlConfig];
    const isText = typeof value === "number" && (option.kind === "duration" || option.kind === "bytes");
    kept[name] = isText ? printValue(option, value) : value;
  }
  return kept;
}

const isOfDirectory = (option: Option): boolean => !option.runOnly;

/** What the crawlers of a crawl have alike. */
export const sharedConfig = (config: CrawlConfig): Readonly<Record<string, unknown>> => keptConfig(config, isOfCrawl);

/** The same for others to see: without what may be secret. */
export function publicConfig(config: CrawlConfig): Readonly<Record<string, unknown>> {
  const { headers: _headers, cookies: _cookies, ...shown } = keptConfig(config);
  return shown;
}

/** Writes DIR/crawl.json, and makes the directory. */
export async function writeConfig(config: CrawlConfig): Promise<void> {
  await writeKept(config.dir, keptConfig(config));
}

/** The configuration kept in a crawl's directory; null when there is none. Options that this version does not know are left out. */
export async function readConfig(dir: string): Promise<CrawlConfig | null> {
  const kept = await readKept(dir);
  return kept === null ? null : configIn(kept, join(dir, "crawl.json"), dir);
}

/** What the crawlers of a crawl have alike, as it stands in the cluster; null when nobody has begun the crawl yet. */
async function sharedConfigOf(shared: SharedCrawl): Promise<CrawlConfig | null> {
  await using connection = await openFrontier(shared.frontier);
  return await sharedConfigIn(connection, shared.name);
}

/** The same by a connection that is open. */
export async function sharedConfigIn(connection: Connection, name: string): Promise<CrawlConfig | null> {
  const kept = await readSharedConfig(connection, name);
  return kept === null ? null : configIn(kept, `the crawl ${name}`, "");
}

/** From what was kept of a configuration. `where`: begins the sentence about what is wrong in it. */
export function configIn(kept: Readonly<Record<string, unknown>>, where: string, dir: string): CrawlConfig {
  const table: Table = OPTIONS;
  const known = Object.entries(kept).filter(
    ([key]) => key === "seeds" || (Object.hasOwn(table, key) && (isOfDirectory(table[key]!) || isOfCrawl(table[key]!))),
  );
  const given = checkNamed(Object.fromEntries(known), OPTIONS, where, "directory", ["seeds"]);
  const { input: _input, config: _config, ...options } = withDefaults(given);
  return { ...options, seeds: textList(given.seeds), dir };
}

/** The configuration that a crawl started in `cwd` would have, but for its flags: for `explain`. There may be no seed in it. */
export async function standingConfig(cwd: string, path: string | null): Promise<CrawlConfig> {
  const found = path ?? (await findConfigFile(cwd));
  const given = found === null ? {} : await readConfigFile(found);
  const { input: _input, config: _config, ...options } = withDefaults(given);
  return { ...options, ...implied(options, given), seeds: readSeeds(textList(given.seeds)).seeds, dir: cwd };
}

function withDefaults(given: Given): CrawlOptions {
  const values = OPTION_LIST.map(([name, option]) => [name, given[name] ?? option.default]);
  // The table gives each option its type; what was given has been checked against it.
  return Object.fromEntries(values) as CrawlOptions;
}
