import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { main } from "../../../src/app/cli/main.ts";
import { configFrom, writeConfig } from "../../../src/app/config/config.ts";
import { hashText } from "../../../src/base/hash.ts";
import type { HostKey } from "../../../src/model/host.ts";
import { newHostState } from "../../../src/model/host.ts";
import type { NewUrl } from "../../../src/model/link.ts";
import type { Href } from "../../../src/model/url.ts";
import { openEmbedded } from "../../../src/store/embedded/backend.ts";
import { visit } from "../records.ts";
import { type TestShell, testShell } from "../shell.ts";

const HOST = "https://a.test" as HostKey;

const url = (path: string, more: Partial<NewUrl> = {}): NewUrl => {
  const href = `${HOST}${path}` as Href;
  const [fpHi, fpLo] = hashText(href);
  return { href, host: HOST, fpHi, fpLo, depth: 0, hops: 0, via: 0, source: "seed", priority: 0, ...more };
};

/** Leaves a crawl in `crawls/a.test`: one URL fetched, one out of scope, one queued. */
async function someCrawl(shell: TestShell): Promise<string> {
  const dir = join(shell.cwd, "crawls", "a.test");
  const { config } = await configFrom({ seeds: `${HOST}/`, limit: 9 }, "crawl()", shell);
  await writeConfig(config);
  await using backend = openEmbedded(dir, { clock: shell.clock });
  await backend.add([url("/")]);
  const [lease] = await backend.lease(1);
  const capture = {
    response: { file: "x.warc.gz", offset: 10, length: 20 },
    at: shell.time,
    digest: "sha1:ABC",
    truncated: null,
  };
  await backend.commit({
    settled: [
      {
        lease: lease!,
        verdict: { kind: "end", end: "fetched" },
        hostReadyAt: shell.time,
        record: visit(lease!.url.id, { href: `${HOST}/` as Href, capture }),
        links: [
          url("/next", { source: "link" }),
          url("/out", { drop: { reason: "scope", detail: "on no seed's host" } }),
        ],
      },
    ],
    hosts: [{ ...newHostState(HOST), requests: 2, address: "192.0.2.1" }],
    robots: [],
    marks: [],
  });
  return dir;
}

async function run(shell: TestShell, ...argv: string[]): Promise<string> {
  assert.equal(await main(argv, shell), 0, shell.err());
  assert.match(shell.err(), /^(Exported .*\n)*$/);
  return shell.out();
}

describe("trawl status", () => {
  it("tells how a crawl stands", async () => {
    using shell = testShell();
    const dir = await someCrawl(shell);
    assert.deepEqual((await run(shell, "status", "crawls/a.test")).split("\n"), [
      dir,
      "  seeds    https://a.test/",
      "  rules    scope host, depth 15, limit 9 pages",
      "  state    stopped; its own command goes on",
      "  pages    1 fetched, 0 failed",
      "  to do    1 queued, 0 to retry, on 1 host",
      "URLs by end:",
      "  fetched  1  fetched and kept",
      "  scope    1  outside the scope (--scope)",
      "Busiest hosts:",
      "  https://a.test  2 requests for new URLs, 1 to do",
      "",
    ]);
  });
  it("tells it to programs too", async () => {
    using shell = testShell();
    await someCrawl(shell);
    const status = JSON.parse(await run(shell, "status", "crawls/a.test", "--json"));
    assert.equal(status.finished, false);
    assert.equal(status.fetched, 1);
    assert.deepEqual(status.byEnd, { fetched: 1, scope: 1 });
  });
  it("tells what is to be visited again, and when the next is where that is far off", async () => {
    using shell = testShell();
    const dir = await someCrawl(shell);
    const due = async (inHours: number): Promise<string> => {
      using looking = testShell();
      {
        await using backend = openEmbedded(dir, { clock: shell.clock });
        await backend.schedule([{ id: 1, dueAt: looking.time + inHours * 3_600_000 }]);
      }
      return /^ {2}due .*$/m.exec(await run(looking, "status", dir))?.[0] ?? "";
    };
    assert.equal(await due(0), "  due      1 to be visited again now, 1 within a day");
    assert.equal(await due(1), "  due      0 to be visited again now, 1 within a day");
    assert.equal(await due(100), "  due      nothing within a day; the next visit in 4d 04h");
  });
  it("works while the crawl runs", async () => {
    using shell = testShell();
    const dir = await someCrawl(shell);
    await using _writer = openEmbedded(dir, { clock: shell.clock });
    const status = await run(shell, "status", dir);
    assert.match(status, /1 fetched/);
    assert.match(status, /^ {2}state +running$/m);
  });
  it("tells which URLs are let in and kept out", async () => {
    using shell = testShell();
    const dir = await someCrawl(shell);
    const { config } = await configFrom(
      { seeds: `${HOST}/`, include: "/a/", exclude: ["/b/", "/c/"] },
      "crawl()",
      shell,
    );
    await writeConfig(config);
    assert.match(
      await run(shell, "status", dir),
      /^ {2}rules +scope host, depth 15, include \/a\/, exclude \/b\/ or \/c\/$/m,
    );
  });
});

describe("trawl explain", () => {
  it("finds the usual directory of the URL's host by itself", async () => {
    using shell = testShell();
    const dir = await someCrawl(shell);
    const said = await run(shell, "explain", "a.test/next");
    assert.match(said, new RegExp(`^https://a\\.test/next\nby ${dir}\n`));
    assert.match(said, /^ {2}state +queued/m);
  });
  it("takes the configuration alone where there is no crawl", async () => {
    using shell = testShell();
    writeFileSync(join(shell.cwd, "trawl.config.json"), '{"seeds": "b.test", "exclude": "/no/"}');
    assert.match(
      await run(shell, "explain", "https://b.test/no/x"),
      /by the configuration alone[\s\S]*outside: exclude/,
    );
  });
  it("says that loopback is refused unless a seed is loopback", async () => {
    using shell = testShell();
    assert.match(await run(shell, "explain", "localhost/x"), /address +refused: .*--allow-net/);
    writeFileSync(join(shell.cwd, "trawl.config.json"), '{"seeds": "127.0.0.1"}');
    assert.match(await run(shell, "explain", "localhost/x"), /address +not looked up yet/);
  });
});

describe("trawl export", () => {
  it("writes each format by the ending of the name, and leaves nothing beside it", async () => {
    using shell = testShell();
    await someCrawl(shell);
    mkdirSync(join(shell.cwd, "out"));
    for (const name of ["a.jsonl", "b.csv", "C.CDXJ"])
      await run(shell, "export", "crawls/a.test", "--to", `out/${name}`);
    assert.deepEqual(readdirSync(join(shell.cwd, "out")).sort(), ["C.CDXJ", "a.jsonl", "b.csv"]);
    const text = (name: string) =>
      readFileSync(join(shell.cwd, "out", name), "utf8")
        .trimEnd()
        .split(/\r?\n/);
    assert.equal(text("a.jsonl").length, 3);
    assert.equal(text("b.csv").length, 4);
    assert.match(text("C.CDXJ").join("\n"), /^test,a\)\/ \d{14} \{.*"filename":"x\.warc\.gz"\}$/);
  });
  it("says the same as the view urls of state.db, by the same names", async () => {
    using shell = testShell();
    const dir = await someCrawl(shell);
    const lines = (await run(shell, "export", "crawls/a.test", "--to", "-")).trimEnd().split("\n");
    const db = new DatabaseSync(join(dir, "state.db"), { readOnly: true });
    const rows = db.prepare("SELECT * FROM urls ORDER BY id").all();
    db.close();
    const numbers = (value: unknown) => (typeof value === "boolean" ? Number(value) : value);
    assert.deepEqual(
      rows.map(({ priority, due_at, history, ...row }) => row),
      lines.map((line) => JSON.parse(line, (_, value) => numbers(value))),
    );
  });
  it("prints JSON lines to standard output, of the ends that are chosen", async () => {
    using shell = testShell();
    await someCrawl(shell);
    const lines = (await run(shell, "export", "crawls/a.test", "--to", "-", "--where", "end=scope"))
      .trimEnd()
      .split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).url),
      [`${HOST}/out`],
    );
  });
});
