/** `trawl diff DIR URL`: the versions of a URL in the archive, and what has changed between two of them. */
import { readArguments, type Table } from "../config/arguments.ts";
import { parseValue } from "../config/values.ts";
import { type Comparison, compare } from "../inspect/diff/compare.ts";
import { type Pair, pairOf, type Version, versionsOf, type Which } from "../inspect/diff/versions.ts";
import { PLACE } from "../place/place.ts";
import { UsageError } from "../usage-error.ts";
import { printable, size, timeInUtc } from "../wording.ts";
import type { Command, Shell } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { withCaptures } from "./with-captures.ts";

const TABLE = {
  ...PLACE,
  from: {
    group: "Options",
    kind: "text",
    default: null,
    defaultSays: "the last one before that differs",
    word: "N|TIME",
    says: "the older version: its number in the list, or the one nearest to this time",
  },
  to: {
    group: "Options",
    kind: "text",
    default: null,
    defaultSays: "that of the latest change",
    word: "N|TIME",
    says: "the newer version",
  },
  html: {
    group: "Options",
    kind: "flag",
    default: false,
    says: "compare HTML as it is written, not what is seen of it",
  },
  json: { group: "Options", kind: "flag", default: false, says: "as one JSON object" },
} as const satisfies Table;

export const diffCommand: Command = {
  name: "diff",
  usage: "diff DIR URL [--from N|TIME] [--to N|TIME]",
  says: "the versions of a URL in the archive, and what has changed from one to another",
  more: `Each version with its time, status, size, the distance of its text from the one before (SimHash, in
bits: 0 the same or nearly, above 3 changed) and its digest; then a unified diff of what is seen of
the last two that differ, a block a line. PDF is compared by its text, other text as it is. Exit
code 4 when nothing of the URL is archived.`,
  options: TABLE,
  async run(argv, shell) {
    const line = readArguments("diff", argv, TABLE);
    const { given } = line;
    return withCaptures("diff", line, shell, async (found, crawl) => {
      const { url } = found;
      const versions = await versionsOf(found, crawl.archive);
      const [from, to] = [whichOf("from", given.from, versions), whichOf("to", given.to, versions)];
      const pair = pairOf(versions, from, to);
      if (typeof pair === "string" && (from ?? to) !== null) throw new UsageError("bad-value", pair);
      const compared =
        typeof pair === "string" ? null : await compare(pair, url, crawl, { markup: given.html === true });
      const says = typeof pair === "string" ? pair : (compared?.says ?? null);
      if (given.json) {
        shell.stdout.write(`${JSON.stringify(asJson(url, versions, pair, compared, says))}\n`);
        return EXIT.done;
      }
      shell.stdout.write(`${url}\n${lines(versions).join("\n")}\n`);
      if (says !== null) shell.stderr.write(`trawl: ${says}\n`);
      if (compared !== null && compared.patch !== "") shell.stdout.write(`\n${shown(compared.patch, shell)}`);
      return EXIT.done;
    });
  },
};

/** A number that is none of a version is a year. */
function whichOf(name: "from" | "to", given: unknown, versions: readonly Version[]): Which | null {
  if (typeof given !== "string") return null;
  const n = /^\d{1,9}$/.test(given) ? Number(given) : 0;
  if (n >= 1 && n <= versions.length) return { n };
  const at = parseValue({ ...TABLE[name], kind: "time" }, given);
  if (at.ok) return { at: at.value as number };
  throw new UsageError(
    "bad-value",
    `--${name}: "${given}" is neither the number of a version, 1 to ${versions.length}, nor a time; write 2026-11-30 or 2026-11-30T12:00:00Z`,
  );
}

function lines(versions: readonly Version[]): string[] {
  const rows = versions.map((version, i) => [
    String(version.n),
    timeInUtc(version.at),
    String(version.status || "-"),
    version.read === null ? "-" : size(version.read.bytes),
    distanceSays(version, versions[i - 1]),
    version.digest,
  ]);
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map(
    (row) =>
      `  ${row.map((cell, i) => (i === 3 || i === 0 ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join("  ")}`,
  );
}

function distanceSays({ digest, distance }: Version, before: Version | undefined): string {
  if (before === undefined) return "first";
  if (digest === before.digest) return "same";
  return distance === null ? "differs" : `distance ${distance}`;
}

function asJson(
  url: string,
  versions: readonly Version[],
  pair: Pair | string,
  compared: Comparison | null,
  says: string | null,
) {
  return {
    url,
    versions: versions.map(({ n, at, status, digest, read, distance, place }) => ({
      n,
      at: new Date(at).toISOString(),
      status,
      bytes: read?.bytes ?? null,
      media_type: read?.mediaType ?? null,
      digest,
      simhash: read?.simhash ?? null,
      distance,
      warc_file: place.file,
      warc_offset: place.offset,
      warc_length: place.length,
    })),
    from: typeof pair === "string" ? null : pair.from.n,
    to: typeof pair === "string" ? null : pair.to.n,
    diff: compared?.patch ?? null,
    says,
  };
}

/** In colours on a terminal, where no page may move the cursor or worse; as it is everywhere else. */
function shown(patch: string, { stdout, env }: Pick<Shell, "stdout" | "env">): string {
  if (stdout.isTTY !== true) return patch;
  const colour = !env.NO_COLOR && env.TERM !== "dumb";
  const paint = (line: string, nth: number): string => {
    const code = nth < 2 ? 1 : COLOURS[line[0]!];
    return colour && code !== undefined ? `\x1b[${code}m${line}\x1b[m` : line;
  };
  return `${patch.replace(/\n$/, "").split("\n").map(printable).map(paint).join("\n")}\n`;
}

const COLOURS: Readonly<Record<string, number>> = { "-": 31, "+": 32, "@": 36 };
