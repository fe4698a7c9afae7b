/** What the commands that look at a crawl make of one: while it runs, when it was killed, and when it is done. */
import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { WARCParser } from "warcio";
import { readWithParse5 } from "../media/parse5-reader.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { ask, endsIn, fetchedIn, startTrawl, type TempDir, tempDir, trawl } from "./trawl.ts";

describe("a crawl, looked at", () => {
  let web: Awaited<ReturnType<typeof spawnFakeWeb>>;
  let folder: TempDir;
  let dir: string;
  const command = (delay: string) => [
    ...["crawl", `${web.origin(0)}/`, "--scope", "any", "--delay", delay, "--dir", dir],
    ...["--allow-net", web.allowNet, "--dns", web.dns],
  ];
  before(async () => {
    web = await spawnFakeWeb({ hosts: 10, pagesPerHost: 20, addresses: 10 });
    folder = await tempDir();
    dir = join(folder.path, "crawl");
  });
  after(async () => {
    await web[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  it("is sound and can be packed while it runs, and sound when it was killed", async () => {
    const crawl = startTrawl(command("2s"));
    while ((await captures(dir)) < 12) await sleep(50);
    const running = await trawl(["verify", dir]);
    assert.equal(running.code, 0, running.stdout + running.stderr);
    assert.match(running.stdout, /still open/);
    const packed = await trawl(["export", dir, "--to", join(folder.path, "early.wacz")]);
    assert.equal(packed.code, 0, packed.stderr);
    assert.equal(crawl.process.exitCode, null, "the crawl was at work all the time");

    crawl.process.kill("SIGKILL");
    await crawl.ended;
    const killed = await trawl(["verify", dir]);
    assert.equal(killed.code, 0, killed.stdout + killed.stderr);
  });

  it("is sound when it is done, its index whole", async () => {
    const crawl = await trawl(command("0"));
    assert.equal(crawl.code, 0, crawl.stderr);
    const { code, stdout } = await trawl(["verify", dir, "--json"]);
    assert.equal(code, 0, stdout);
    const { state, archive, notes } = JSON.parse(stdout);
    assert.equal(state.captures, await captures(dir));
    assert.equal(state.indexed, state.captures);
    assert.equal(archive.byType.response, state.captures + state.robots);
    assert.deepEqual(notes, []);
  });

  it("gives every page back as the site has it", async () => {
    for (const href of [...fetchedIn(dir)].slice(0, 5)) {
      const { code, stdout } = await trawl(["get", dir, href]);
      assert.equal(code, 0);
      assert.match(stdout, /^<!doctype html>[\s\S]*<\/html>\s*$/i, href);
    }
  });

  it("has every URL in every table", async () => {
    const ends = endsIn(dir);
    const path = join(folder.path, "pages.parquet");
    assert.equal((await trawl(["export", dir, "--to", path])).code, 0);
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(path) });
    assert.deepEqual(new Map(rows.map(({ url, end }) => [url, end])), ends);

    const index = join(folder.path, "x.cdxj");
    assert.equal((await trawl(["export", dir, "--to", index])).code, 0);
    assert.equal(await readFile(index, "utf8"), await readFile(join(dir, "indexes/index.cdxj"), "utf8"));

    const only = await trawl(["export", dir, "--to", "-", "--where", "end=fetched", "--where", "host=h3.test"]);
    const chosen = only.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).url as string);
    const expected = [...fetchedIn(dir)].filter((href) => new URL(href).hostname === "h3.test");
    assert.deepEqual(chosen.sort(), expected.sort());
  });

  it("tells its links, each page's as the page has them, and ranks pages by them", async () => {
    const graph = join(folder.path, "graph.parquet");
    assert.equal((await trawl(["export", dir, "--to", graph])).code, 0);
    const links = await parquetReadObjects({ file: await asyncBufferFromFile(graph) });
    for (const href of [...fetchedIn(dir)].slice(0, 5)) {
      const { stdout } = await trawl(["get", dir, href]);
      const { links: written, base } = readWithParse5(stdout);
      const targets = written.flatMap((link) => {
        const [, to] = /^a (.*)$/s.exec(link) ?? [];
        const url = to === undefined ? null : URL.parse(to, URL.parse(base ?? "", href)?.href ?? href);
        if (url === null || !/^https?:$/.test(url.protocol)) return [];
        url.hash = "";
        return [url.href];
      });
      const told = links.filter(({ from_url, element }) => from_url === href && element === "a");
      assert.deepEqual(new Set(told.map(({ to_url }) => to_url)), new Set(targets), href);
    }

    const xml = await trawl(["export", dir, "--to", "-", "--format", "graphml"]);
    assert.equal(xml.code, 0, xml.stderr);
    const inside = links.filter(({ to_id }) => to_id !== null);
    assert.equal(xml.stdout.match(/<edge /g)?.length, inside.length);

    const table = join(folder.path, "ranks.jsonl");
    const ranked = await trawl(["rank", dir, "--to", table, "--top", "3"]);
    assert.equal(ranked.code, 0, ranked.stderr);
    const ranks = (await readFile(table, "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const printed = await trawl(["rank", dir, "--to", "-"]);
    assert.equal(printed.stdout, await readFile(table, "utf8"));
    const best = ranks.toSorted((a, b) => b.rank - a.rank).slice(0, 3);
    assert.deepEqual(
      ranked.stdout
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((line) => line.split(/\s+/).at(-1)),
      best.map(({ url }) => url),
    );
    assert.ok(Math.abs(ranks.reduce((sum, { rank }) => sum + rank, 0) - 1) < 1e-9);
    const pages = new Set(
      inside
        .filter((link) => link.to_id === BigInt(best[0].id) && !link.nofollow && !link.embed)
        .map((link) => link.from_id),
    );
    pages.delete(BigInt(best[0].id));
    assert.equal(best[0].in_links, pages.size);
  });

  it("has the text of its pages as WET and the facts of its answers as WAT, for readers of WARC", async () => {
    const records = async (suffix: string) => {
      const path = join(folder.path, `pages.${suffix}`);
      const { code, stderr } = await trawl(["export", dir, "--to", path]);
      assert.equal(code, 0, stderr);
      const all = [];
      for await (const record of new WARCParser(createReadStream(path))) {
        const text = await record.contentText();
        const { warcType, warcTargetURI, warcPayloadDigest } = record;
        all.push({
          warcType,
          warcTargetURI,
          warcPayloadDigest,
          text,
          refersTo: record.warcHeaders.headers.get("WARC-Refers-To"),
        });
      }
      return all;
    };
    const [info, ...texts] = await records("wet.gz");
    assert.equal(info!.warcType, "warcinfo");
    assert.deepEqual(new Set(texts.map(({ warcTargetURI }) => warcTargetURI)), fetchedIn(dir));
    const { warcTargetURI, text } = texts.at(-1)!;
    const page = await trawl(["get", dir, warcTargetURI!]);
    const [, heading] = /<h1>([^<]*)<\/h1>/.exec(page.stdout)!;
    assert.ok(text.split("\n").includes(heading!), `${heading} is a line of ${text}`);
    assert.ok(!text.includes("<"));

    const [, ...facts] = await records("wat.gz");
    const of = facts.find((fact) => fact.warcTargetURI === warcTargetURI)!;
    const { Envelope } = JSON.parse(of.text);
    const http = Envelope["Payload-Metadata"]["HTTP-Response-Metadata"];
    assert.equal(http["Response-Message"].Status, "200");
    assert.match(JSON.stringify(http.Headers), /"content-type":"text\/html/i);
    assert.ok(http["HTML-Metadata"].Links.some(({ path }: { path: string }) => path === "A@/href"));
    assert.equal(of.refersTo, texts.at(-1)!.refersTo);
  });

  it("has each page as Markdown in a file of its own, in a folder that was not there", async () => {
    const target = join(folder.path, "pages.md");
    const made = await trawl(["export", dir, "--to", target, "--where", "host=h3.test"]);
    assert.equal(made.code, 0, made.stderr);
    const files = (await readdir(target, { recursive: true })).filter((name) => name.endsWith(".md"));
    const pages = [...fetchedIn(dir)].filter((href) => new URL(href).hostname === "h3.test");
    assert.equal(files.length, pages.length);
    const root = await readFile(
      join(target, files.find((name) => name.endsWith("/index.md") && !/\/.*\//.test(name))!),
      "utf8",
    );
    assert.match(root, /^---\nurl: "http:\/\/h3\.test:\d+\/"\ntitle: ".+"\n[\s\S]*?\n---\n\n# /);
    const again = await trawl(["export", dir, "--to", target]);
    assert.equal(again.code, 2);
    assert.match(again.stderr, /is there already; name another, or remove it/);
  });

  it("is not there by halves when its export is killed, nor is an older export lost", async () => {
    const target = join(folder.path, "again.wacz");
    assert.equal((await trawl(["export", dir, "--to", target])).code, 0);
    const older = await readFile(target);
    const run = startTrawl(["export", dir, "--to", target]);
    const begun = async () => (await readdir(folder.path)).some((name) => /^again\.wacz\..*tmp$/.test(name));
    while (!(await begun()) && run.process.exitCode === null) await sleep(1);
    run.process.kill("SIGKILL");
    const { code } = await run.ended;
    // Only the time of its making tells the one from the other: where the kill came too late, all else is the same.
    const now = await readFile(target);
    assert.ok(code === 0 ? now.length === older.length : now.equals(older));
  });
});

describe("a crawl whose handlers make Markdown of its pages", () => {
  it("gives it as it was archived", async () => {
    await using web = await spawnFakeWeb({ hosts: 1, pagesPerHost: 3 });
    await using folder = await tempDir();
    const dir = join(folder.path, "crawl");
    const handler = join(folder.path, "handler.mjs");
    const read =
      "read: ({ href }) => ({ links: [], conversions: [{ type: 'text/markdown', text: 'Came as ' + href }] })";
    await writeFile(handler, `export const handler = { name: "mine", accepts: ["text/html"], ${read} };\n`);
    const crawl = await trawl([
      ...["crawl", `${web.origin(0)}/`, "--delay", "0", "--dir", dir, "--handler", handler],
      ...["--allow-net", web.allowNet, "--dns", web.dns],
    ]);
    assert.equal(crawl.code, 0, crawl.stderr);
    const target = join(folder.path, "pages.md");
    const made = await trawl(["export", dir, "--to", target]);
    assert.equal(made.code, 0, made.stderr);
    const files = (await readdir(target, { recursive: true })).filter((name) => name.endsWith(".md"));
    assert.equal(files.length, 1);
    assert.match(await readFile(join(target, files[0]!), "utf8"), /\n---\n\nCame as http:\S+\/$/);
  });
});

describe("a crawl without records of metadata", () => {
  it("does not pass for one without links", async () => {
    await using web = await spawnFakeWeb({ hosts: 1, pagesPerHost: 3 });
    await using folder = await tempDir();
    const dir = join(folder.path, "crawl");
    const crawl = await trawl([
      ...["crawl", `${web.origin(0)}/`, "--delay", "0", "--dir", dir, "--no-metadata"],
      ...["--allow-net", web.allowNet, "--dns", web.dns],
    ]);
    assert.equal(crawl.code, 0, crawl.stderr);
    for (const command of [
      ["rank", dir],
      ["export", dir, "--to", "-", "--format", "graph"],
    ]) {
      const { code, stderr } = await trawl(command);
      assert.equal(code, 2);
      assert.match(stderr, /does not tell links: it was made with --no-metadata/);
    }
  });
});

describe("a crawl whose archive is packed with zstd", () => {
  it("is sound, gives its pages back, and is not packed for tools that cannot read it", async () => {
    await using web = await spawnFakeWeb({ hosts: 1, pagesPerHost: 8 });
    await using folder = await tempDir();
    const dir = join(folder.path, "crawl");
    const crawl = await trawl([
      ...["crawl", `${web.origin(0)}/`, "--delay", "0", "--dir", dir, "--warc-compression", "zstd"],
      ...["--allow-net", web.allowNet, "--dns", web.dns],
    ]);
    assert.equal(crawl.code, 0, crawl.stderr);
    assert.match((await readdir(join(dir, "archive"))).join(" "), /^\S+\.warc\.zst( \S+\.warc\.zst)*$/);
    const verified = await trawl(["verify", dir]);
    assert.equal(verified.code, 0, verified.stdout);
    const page = await trawl(["get", dir, `${web.origin(0)}/`]);
    assert.match(page.stdout, /^<!doctype html>/i);
    const packed = await trawl(["export", dir, "--to", join(folder.path, "x.wacz")]);
    assert.equal(packed.code, 2);
    assert.match(
      packed.stderr,
      /is packed with zstd, which replay tools do not read; crawl with --warc-compression gzip/,
    );
  });
});

async function captures(dir: string): Promise<number> {
  try {
    return ask(dir, "SELECT count(*) AS n FROM visit WHERE file IS NOT NULL")[0]!.n as number;
  } catch {
    return 0; // not begun yet
  }
}
