/** `trawl rank DIR`: which pages matter most, by who links to them. */
import { extname, resolve } from "node:path";
import { removeLeftovers } from "../../base/beside.ts";
import { replaceFile } from "../../base/replace-file.ts";
import type { Ranks } from "../../export/page-rank.ts";
import { type RankedPage, rankFormats } from "../../export/ranks.ts";
import type { ReadOnlyState } from "../../ports/read-only.ts";
import { readArguments, type Table } from "../config/arguments.ts";
import { linksOf } from "../export/links.ts";
import { rankPages } from "../export/ranking.ts";
import { openDirectory } from "../place/directory.ts";
import { until } from "../place/stopping.ts";
import { UsageError } from "../usage-error.ts";
import { count, counted, size } from "../wording.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { oneDirectory } from "./positionals.ts";
import { print } from "./print.ts";
import { untilStopped } from "./signals.ts";
import { workDisplay } from "./work-display.ts";

const TABLE = {
  to: {
    group: "Options",
    kind: "file",
    default: null,
    says: `also write every URL with its rank: ${Object.keys(rankFormats).join(", ")}; - prints them, as JSON lines`,
  },
  top: { group: "Options", kind: "int", min: 0, default: 20, word: "N", says: "print so many" },
} as const satisfies Table;

export const rankCommand: Command = {
  name: "rank",
  usage: "rank DIR",
  says: "the pages of a crawl by PageRank over its links",
  more: `The links are those that the archive's metadata records tell (--metadata, the default), of the
latest fetch of each page, and redirects. Embedded parts and links marked nofollow do not count.
Memory holds 44 bytes a URL; the links stay on disk.`,
  options: TABLE,
  async run(argv, shell) {
    const { given, positionals } = readArguments("rank", argv, TABLE);
    const dir = resolve(shell.cwd, oneDirectory("rank", positionals));
    const to = given.to as string | undefined;
    const top = (given.top as number | undefined) ?? TABLE.top.default;
    const format = to === undefined ? null : rankFormats[to === "-" ? ".jsonl" : extname(to).toLowerCase()];
    if (format === undefined)
      throw new UsageError("export", `--to: write a file that ends in ${Object.keys(rankFormats).join(", ")}`);
    return await untilStopped(shell, async (signal) => {
      if (to !== undefined && to !== "-") await removeLeftovers(resolve(shell.cwd, to));
      await using crawl = until(signal, await openDirectory(dir, { frozen: true }));
      const { state } = crawl;
      const known = await state.idsInUse();
      let read = 0;
      let rounds = 0;
      let words = (done: number) => `Read the links of ${size(done)}`;
      const display = workDisplay(
        shell.stderr,
        shell,
        (done, total) => `${words(done)}${total === null ? "" : ` of ${size(total)}`}`,
      );
      try {
        const onProgress = (_: string, done: number, total: number | null) => {
          signal.throwIfAborted();
          display.at(done, total);
        };
        const edges = counting(linksOf({ ...crawl, where: null, onProgress }), () => read++);
        const ranks = await rankPages({
          pages: known,
          edges,
          onRound(round, moved) {
            signal.throwIfAborted();
            words = () => `Ranked ${counted(round, "time")}; the ranks moved by ${moved.toPrecision(2)}`;
            display.at(round, null);
          },
        });
        words = (done) => `Wrote the ranks of ${counted(done, "URL")}`;
        const pages = rankedPages(state, ranks, (done) => display.at(done, null));
        if (to === "-") await print(format!(pages), shell.stdout);
        else if (format !== null) await replaceFile(resolve(shell.cwd, to!), format(pages));
        display.end();
        if (to !== "-")
          shell.stdout.write(`${tableOf(await bestOf(state, ranks, Math.min(top, known.count))).join("\n")}\n`);
        rounds = ranks.rounds;
      } finally {
        display.end();
      }
      shell.stderr.write(`${counted(known.count, "URL")}, ${counted(read, "link")}, ${counted(rounds, "round")}\n`);
      return EXIT.done;
    });
  },
};

async function* counting<T>(items: AsyncIterable<T>, onItem: () => void): AsyncGenerator<T> {
  for await (const item of items) {
    onItem();
    yield item;
  }
}

async function* rankedPages(
  state: ReadOnlyState,
  { rank, inLinks, outLinks }: Ranks,
  onProgress: (done: number) => void,
): AsyncGenerator<RankedPage> {
  let done = 0;
  for await (const { id, href, visit } of state.urls()) {
    if (++done % 1024 === 0) onProgress(done);
    yield {
      id,
      url: href,
      rank: rank[id]!,
      in_links: inLinks[id]!,
      out_links: outLinks[id]!,
      status: visit?.status ?? null,
      title: visit?.page?.title ?? null,
    };
  }
}

async function bestOf(state: ReadOnlyState, { rank, inLinks }: Ranks, top: number) {
  const ids = Uint32Array.from({ length: rank.length - 1 }, (_, at) => at + 1).sort(
    (a, b) => rank[b]! - rank[a]! || a - b,
  );
  const best = [...ids.subarray(0, top)].map(async (id) => ({
    url: (await state.byId(id))?.href ?? "",
    rank: rank[id]!,
    links: inLinks[id]!,
  }));
  return Promise.all(best);
}

function tableOf(best: readonly { readonly url: string; readonly rank: number; readonly links: number }[]): string[] {
  const rows = best.map(({ url, rank, links }) => [rank.toFixed(6), count(links), url] as const);
  const width = Math.max("links".length, ...rows.map(([, links]) => links.length));
  return [["rank", "links", "URL"] as const, ...rows].map(
    ([rank, links, url]) => `${rank.padEnd(8)}  ${links.padStart(width)}  ${url}`,
  );
}
