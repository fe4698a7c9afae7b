import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { main } from "../../../src/app/cli/main.ts";
import { textDiff } from "../../../src/app/inspect/diff/text-diff.ts";
import type { FetchResponse } from "../../../src/model/fetch-result.ts";
import type { Href } from "../../../src/model/url.ts";
import type { Revisit } from "../../../src/ports/archive.ts";
import { archiveIn, exchange, NOW, note } from "../../warc/fixtures.ts";
import { testShell } from "../shell.ts";

const URL = "http://a.test/page";
const HOUR = 3_600_000;

const words = (n: number, word = "word"): string => Array.from({ length: n }, (_, i) => `${word}${i}`).join(" ");
const html = (...blocks: readonly string[]): string => blocks.map((block) => `<p>${block}`).join("");

/** A day later each: what was answered. */
type Answer = Partial<FetchResponse> & { readonly text?: string; readonly revisit?: "same" | "not-modified" };

const ANSWERS: readonly Answer[] = [
  { text: html("Home", words(60), "prix 10 €"), rawHeaders: ["Content-Type", "text/html; charset=utf-8"] },
  { revisit: "same", rawHeaders: ["Content-Type", "text/html; charset=utf-8"] },
  { status: 304, statusText: "Not Modified", rawHeaders: [], revisit: "not-modified" },
  {
    body: gzipSync(Buffer.from(html("Home", words(60), "prix 12 \u20ac").replace("\u20ac", "\x80"), "latin1")),
    rawHeaders: ["Content-Type", "text/html; charset=windows-1252", "Content-Encoding", "gzip"],
  },
  { status: 404, statusText: "Not Found", text: "gone" },
];

/** A crawl's directory of the answers, imported; and `trawl diff` with it. */
async function diff(
  argv: readonly string[],
  options: { answers?: readonly Answer[]; withState?: boolean; tty?: boolean; url?: string } = {},
) {
  using shell = testShell();
  const { answers = ANSWERS, withState = true, tty = false, url = URL } = options;
  const from = join(shell.cwd, "from");
  mkdirSync(from);
  const time = { now: NOW };
  {
    await using archive = await archiveIn(from, { clock: { now: () => time.now, sleep: async () => {} } });
    let original: Revisit["original"] | null = null;
    for (const { revisit, ...answer } of answers) {
      time.now += 24 * HOUR;
      const response = exchange({ href: URL as Href, startedAt: time.now, endedAt: time.now + 20, ...answer });
      const profile = revisit === "same" ? "identical-payload-digest" : "server-not-modified";
      const capture = archive.append(response, {
        ...note,
        revisit: revisit === undefined ? null : { profile, original: original! },
      });
      if (revisit === undefined) original = { urlId: 1, href: URL as Href, at: time.now, digest: capture.digest };
    }
    await archive.sync();
  }
  const dir = join(shell.cwd, "crawl");
  const files = readdirSync(from).map((name) => join(from, name));
  assert.equal(await main(["import", ...files, "--dir", dir], shell), 0, shell.err());
  if (!withState) rmSync(join(dir, "state.db"));
  const heard: Buffer[] = [];
  const stdout = { isTTY: tty, write: (text: string | Uint8Array) => heard.push(Buffer.from(text)) };
  const before = shell.err().length;
  const code = await main(["diff", dir, url, ...argv], { ...shell, stdout });
  return { code, out: Buffer.concat(heard).toString(), err: shell.err().slice(before) };
}

const HUNK = ["@@ -1,3 +1,3 @@", " Home", ` ${words(60)}`, "-prix 10 €", "+prix 12 €", ""];

describe("trawl diff", () => {
  it("lists the versions, and compares what is seen of the last two pages that differ, each in its own charset", async () => {
    for (const withState of [true, false]) {
      const { code, out, err } = await diff([], { withState });
      assert.deepEqual([code, err], [0, ""]);
      const [list, patch] = out.split("\n\n");
      const rows = list!.split("\n");
      assert.equal(rows[0], URL);
      assert.deepEqual(
        rows
          .slice(1)
          .map((row) =>
            /^ {2}(\d) {2}(\S+ \S+) {2}(\d+) .* {2}(first|same|differs|distance \d+) * {2}sha1:\w{32}$/
              .exec(row)!
              .slice(1),
          ),
        [
          ["1", "2026-12-01 12:00:00Z", "200", "first"],
          ["2", "2026-12-02 12:00:00Z", "200", "same"],
          ["3", "2026-12-03 12:00:00Z", "304", "same"],
          ["4", "2026-12-04 12:00:00Z", "200", "distance 3"],
          ["5", "2026-12-05 12:00:00Z", "404", "differs"],
        ],
      );
      assert.deepEqual(patch!.split("\n"), [
        `--- ${URL}\t2026-12-03 12:00:00Z`,
        `+++ ${URL}\t2026-12-04 12:00:00Z`,
        ...HUNK,
      ]);
    }
  });
  it("takes those that are named, by number or by time, and follows what holds their bodies", async () => {
    for (const argv of [
      ["--from", "2", "--to", "4"],
      ["--from", "2026-12-02", "--to", "20261204110000"],
      ["--to", "4"],
      ["--from", "3"],
    ])
      assert.ok((await diff(argv)).out.endsWith(HUNK.join("\n")), argv.join(" "));
    const { out } = await diff(["--from", "4", "--to", "5"]);
    assert.match(out, /^-Home$.*^\+gone$/ms);
  });
  it("compares HTML as it is written, when it is asked to", async () => {
    const answers = [{ text: "<p>one<b>" }, { text: "<p class=x>one<b>" }];
    const seen = await diff([], { answers });
    assert.match(seen.err, /^trawl: the text of versions 1 and 2 is the same; --html compares how it is written\n$/);
    assert.doesNotMatch(seen.out, /^---/m);
    assert.match((await diff(["--html"], { answers })).out, /^-<p>one<b>$/m);
  });
  it("compares other text as it is, and says so where there is none", async () => {
    const json = (text: string) => ({ text, rawHeaders: ["Content-Type", "application/json"] });
    assert.match((await diff([], { answers: [json('{"a":1}\n'), json('{"a":2}\n')] })).out, /^\+\{"a":2\}$/m);
    const png = (text: string) => ({
      body: Buffer.from(`\x89PNG\r\n\x1a\n${text}`, "latin1"),
      rawHeaders: ["Content-Type", "image/png"],
    });
    const { code, err } = await diff([], { answers: [png("1"), png("2")] });
    assert.deepEqual([code, err], [0, "trawl: version 1 is image/png: there is no text to compare\n"]);
  });
  it("says all as one JSON object", async () => {
    const { out, err } = await diff(["--json"]);
    const said = JSON.parse(out);
    assert.equal(err, "");
    assert.deepEqual([said.url, said.from, said.to, said.says], [URL, 3, 4, null]);
    assert.deepEqual(
      said.versions.map(({ n, status, distance }: Record<string, unknown>) => [n, status, distance]).slice(2, 4),
      [
        [3, 304, 0],
        [4, 200, 3],
      ],
    );
    assert.ok(said.diff.endsWith(HUNK.join("\n")));
  });
  it("has colours on a terminal alone, and lets no page move its cursor there", async () => {
    const answers = [{ text: "<p>one" }, { text: "<p>two\x1b[2J" }];
    const plain = await diff([], { answers });
    assert.ok(plain.out.includes("\n+two\x1b[2J\n"));
    const { out } = await diff([], { answers, tty: true });
    assert.ok(out.includes("\x1b[31m-one\x1b[m\n\x1b[32m+two\ufffd[2J\x1b[m\n"), JSON.stringify(out));
  });
  it("says what there is not: another version, a difference, a capture", async () => {
    const one = await diff([], { answers: ANSWERS.slice(0, 1) });
    assert.deepEqual([one.code, one.err], [0, "trawl: there is but one version\n"]);
    const same = await diff([], { answers: ANSWERS.slice(0, 3) });
    assert.deepEqual([same.code, same.err], [0, "trawl: all versions are the same\n"]);
    const none = await diff([], { url: "http://a.test/none" });
    assert.equal(none.code, 4);
    assert.match(none.err, /nothing of http:\/\/a\.test\/none is archived/);
    for (const argv of [["--from", "yesterday"], ["--to", "9"], ["--to", "1"], ["--from"]]) {
      const { code, err } = await diff(argv);
      assert.equal(code, 2, err);
      assert.match(err, /^trawl: .*\n$/);
    }
  });
});

describe("a diff of texts", () => {
  const side = (text: string) => ({ name: "x", says: "", text });
  const lines = fc
    .array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 40 })
    .map((all) => all.map((line) => `${line}\n`).join(""));
  it("turns the one into the other, coarse or fine", () => {
    fc.assert(
      fc.property(lines, lines, fc.constantFrom(0, 5, 1000), (from, to, maxEdits) => {
        const { patch, coarse } = textDiff(side(from), side(to), { maxEdits, maxMs: 10_000 });
        assert.equal(patched(from, patch), to);
        assert.ok(maxEdits > 0 || coarse || from === to);
      }),
      { numRuns: 300 },
    );
  });
  it("ends soon with what has nothing in common, however long", () => {
    const long = (word: string) => Array.from({ length: 400_000 }, (_, i) => `${word}${i}\n`).join("");
    const { patch, coarse } = textDiff(side(long("a")), side(long("b")), { maxEdits: 200, maxMs: 60_000 });
    assert.ok(coarse);
    assert.ok(patch.startsWith("--- x\n+++ x\n@@ -1,400000 +1,400000 @@\n-a0\n"));
  });
});

/** By the rules of unified diffs, read strictly. */
function patched(text: string, patch: string): string {
  const old = text.split("\n").slice(0, -1);
  const made: string[] = [];
  let at = 0;
  for (const line of patch.split("\n").slice(2, -1)) {
    const hunk = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(line);
    if (hunk !== null) {
      const start = Number(hunk[1]) - (hunk[2] === "0" ? 0 : 1);
      made.push(...old.slice(at, start));
      at = start;
      assert.equal(made.length, Number(hunk[3]) - (hunk[4] === "0" ? 0 : 1));
    } else if (line[0] === "+") made.push(line.slice(1));
    else {
      assert.equal(old[at++], line.slice(1));
      if (line[0] === " ") made.push(line.slice(1));
    }
  }
  made.push(...old.slice(at));
  return made.map((line) => `${line}\n`).join("");
}
