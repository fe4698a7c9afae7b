/** What archives tell of a URL from capture to capture, and from one import to the next. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { main } from "../../../src/app/cli/main.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { Recrawl } from "../../../src/crawl/recrawl.ts";
import { NO_HISTORY } from "../../../src/model/history.ts";
import { openEmbedded } from "../../../src/store/embedded/backend.ts";
import { openState } from "../../../src/store/embedded/read-only.ts";
import { base32 } from "../../../src/warc/record.ts";
import { testShell } from "../shell.ts";
import { HTTP, http, imported, type Made, PAGE, record } from "./archives.ts";

describe("an archive of several captures of a URL", () => {
  it("keeps every capture of a URL, the last as its end, and a redirect to itself as what it is", async (t) => {
    const made = await imported(t, {
      "a.warc": Buffer.concat([
        http("http://a.test/dir", "", "HTTP/1.1 301 Moved\r\nLocation: /dir/"),
        http("http://a.test/dir/", PAGE),
        http("http://a.test/dir/", PAGE.replace("One", "Later")),
      ]),
    });
    assert.deepEqual(made.rows, [["http://a.test/dir/", "fetched", "Later", 200]]);
    using state = openState(made.dir);
    const [{ id }] = (await Array.fromAsync(state.urls())) as unknown as [{ id: number }];
    assert.deepEqual(
      (await state.visitsOf(id)).map(({ end, status }) => [end, status]),
      [
        ["follow", 301],
        ["fetched", 200],
        ["fetched", 200],
      ],
    );
    assert.match(await made.verify(), /Sound\.\n$/);
  });

  it("tells what has become of a page from capture to capture, as a crawl that comes back does", async (t) => {
    const url = "http://a.test/";
    const [one, two] = [PAGE, PAGE.replace("One", "Two").replace("words enough", "something else")];
    const digest = (body: string) => [`WARC-Payload-Digest: sha1:${base32(createHash("sha1").update(body).digest())}`];
    const tagged = (tag: string) => `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: "${tag}"`;
    const early = [
      http(url, one, tagged("1"), digest(one)),
      http(url, "later", "HTTP/1.1 503 Unavailable"),
      record("revisit", url, `${tagged("1")}\r\n\r\n`, [
        ...[HTTP, ...digest(one), `WARC-Refers-To-Target-URI: ${url}`],
        "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
      ]),
      http(url, "no more", "HTTP/1.1 404 Not Found"),
      http(url, two, tagged("2"), digest(two)),
      record("revisit", url, 'HTTP/1.1 304 Not Modified\r\nETag: "2"\r\n\r\n', [
        ...[HTTP, ...digest(two), `WARC-Refers-To-Target-URI: ${url}`],
        "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified",
      ]),
    ];
    const made = await imported(t, { "1.warc": Buffer.concat(early) });
    const known = async () => {
      using state = openState(made.dir);
      const { id } = (await Array.fromAsync(state.urls())).find(({ href }) => (href as string) === url)!;
      return (await state.visitsOf(id)).map(({ end, history }) => {
        const { checks, changes, spans, etag, unread, away } = history ?? NO_HISTORY;
        return [end, checks, changes, spans, etag, unread, away?.why ?? null];
      });
    };
    const visits = [
      ["fetched", 0, 0, [], null, 0, null],
      ["retry", 0, 0, [], '"1"', 0, null],
      ["fetched", 1, 0, [-2], '"1"', 0, null],
      ["http-4xx", 1, 0, [-2], '"1"', 0, "gone"],
      ["fetched", 2, 1, [-2, 2], '"2"', 0, null],
      ["not-modified", 3, 1, [-2, 2, -1], '"2"', 1, null],
    ];
    assert.deepEqual(await known(), visits);
    assert.equal(made.report.counts.urls, 1);
    assert.equal(await made.get(url), two);
    assert.match(await made.verify(), /Sound\.\n$/);

    const old = record("response", url, `${tagged("0")}\r\n\r\n${one}`, [HTTP, ...digest(one)]);
    const dated = Buffer.from(old.toString().replace(/(WARC-Date: )2020/, "$12019"));
    const file = join(made.dir, "..", "2.warc");
    await writeFile(file, Buffer.concat([dated, http(url, one, tagged("3"), digest(one))]));
    using shell = testShell();
    assert.equal(await main(["import", file, "--dir", made.dir, "--json"], shell), 0, shell.err());
    const { visits: taken, older } = JSON.parse(shell.out()).counts;
    assert.deepEqual([taken, older], [1, 1], "a history goes forward");
    assert.deepEqual(await known(), [...visits, ["fetched", 4, 2, [-2, 2, -1, 2], '"3"', 0, null]]);
  });

  it("joins a schedule that a crawl has made: nothing that is imported is left out of it", async (t) => {
    const made = await imported(t, {
      "1.warc": Buffer.concat([http("http://a.test/", PAGE), http("http://b.test/", PAGE)]),
    });
    const scheduled = async () => {
      await using backend = openEmbedded(made.dir, { clock: systemClock });
      const parts = { frontier: backend, urls: backend, clock: systemClock, random: () => 0.5, weightOf: () => 1 };
      const bounds = { minMs: 1_000, maxMs: 1e9 };
      const rules = { policy: "freshness", everyMs: 1e6, budget: null, bounds, share: 0.5 } as const;
      const recrawl = new Recrawl({ ...parts, until: null }, rules);
      const count = await recrawl.open(backend);
      await recrawl.close();
      return count;
    };
    assert.deepEqual([await scheduled(), await scheduled()], [2, 0]);
    const file = join(made.dir, "..", "2.warc");
    await writeFile(file, Buffer.concat([http("http://a.test/", PAGE), http("http://c.test/", PAGE)]));
    using shell = testShell();
    assert.equal(await main(["import", file, "--dir", made.dir], shell), 0, shell.err());
    assert.equal(await scheduled(), 2, "what came again, and what is new");
  });

  it("of a later time adds visits to what was imported before, and the newest is the end", async (t) => {
    const names = ["/", "/same", "/other"].map((path) => `http://a.test${path}`);
    const first = names.map((url) => http(url, PAGE.replace("One", `First of ${url}`)));
    const second = [
      http(names[0]!, PAGE.replace("One", "Second")),
      http(names[0]!, "no more", "HTTP/1.1 404 Not Found"),
      http(names[1]!, PAGE.replace("One", `First of ${names[1]}`)),
      http("http://a.test/new", PAGE),
    ];
    const made = await imported(t, { "2.warc": Buffer.concat(second) });
    assert.equal(made.report.counts.visits, 4);
    const again = async (name: string, records: readonly Buffer[]) => {
      const file = join(made.dir, "..", name);
      await writeFile(file, Buffer.concat(records));
      using shell = testShell();
      assert.equal(await main(["import", file, "--dir", made.dir, "--json"], shell), 0, shell.err());
      return JSON.parse(shell.out()).counts;
    };
    const third = [http(names[0]!, PAGE.replace("One", "Third")), http(names[1]!, PAGE.replace("One", "Changed"))];
    const older = await again("1.warc", first);
    assert.deepEqual([older.visits, older.older], [1, 2], "only of the third URL nothing is known");
    const newer = await again("3.warc", third);
    assert.deepEqual([newer.visits, newer.urls, newer.older], [2, 2, 0]);
    const repeated = await again("3-again.warc", [...third, http("http://a.test/last", PAGE)]);
    assert.deepEqual([repeated.visits, repeated.known], [1, 2]);
    using state = openState(made.dir);
    const of = async (href: string) =>
      (await Array.fromAsync(state.urls())).find((url) => (url.href as string) === href)!;
    assert.deepEqual(
      (await state.visitsOf((await of(names[0]!)).id)).map(({ end, page, status }) => [
        end,
        page?.title ?? null,
        status,
      ]),
      [
        ["fetched", "Second", 200],
        ["http-4xx", "Second", 404],
        ["fetched", "Third", 200],
      ],
    );
    assert.equal((await of(names[1]!)).visit?.page?.title, "Changed");
    assert.equal((await of(names[1]!)).visit?.duplicateOf, null);
    const { queued, leased, delayed } = await state.pending();
    assert.deepEqual([queued, leased, delayed], [0, 0, 0]);
    assert.equal(await made.get(names[0]!), PAGE.replace("One", "Third"));
    assert.match(await made.verify(), /Sound\.\n$/);
  });

  it("that ends with a redirect of a URL to itself leaves that URL to be visited, and no import is in its way", async (t) => {
    const redirect = http("http://a.test/dir", "", "HTTP/1.1 301 Moved\r\nLocation: /dir/");
    const made = await imported(t, { "a.warc": Buffer.concat([http("http://a.test/", PAGE), redirect]) });
    assert.deepEqual([made.code, made.report.left], [0, 1]);
    assert.deepEqual(await standing(made.dir), ["http://a.test/ ended fetched", "http://a.test/dir/ queued follow"]);
    assert.match(await made.verify(), /Sound\.\n$/);
    // It is known, and imported again.
    const again = await importMore(made.dir, "a.warc", null);
    assert.deepEqual([again.code, again.report.left], [0, 1]);
    const later = await importMore(made.dir, "later.warc", http("http://a.test/dir/", PAGE));
    assert.deepEqual([later.code, later.report.left, later.report.counts.visits], [0, 0, 1]);
    assert.deepEqual(await standing(made.dir), ["http://a.test/ ended fetched", "http://a.test/dir/ ended fetched"]);
    assert.match(await made.verify(), /Sound\.\n$/);
  });
});

/** Every URL that was visited: its state, and the end of its last visit. */
async function standing(dir: string): Promise<string[]> {
  using state = openState(dir);
  const urls = await Array.fromAsync(state.urls());
  return urls.flatMap(({ href, state, visit }) => (visit?.attempt ? [`${href} ${state} ${visit.end}`] : []));
}

/** Imports a file that stands beside the directory; made of `bytes` if there are any. */
async function importMore(dir: string, name: string, bytes: Buffer | null): Promise<Pick<Made, "code" | "report">> {
  const path = join(dirname(dir), name);
  if (bytes !== null) await writeFile(path, bytes);
  using shell = testShell();
  const code = await main(["import", path, "--dir", dir, "--json"], shell);
  return { code, report: JSON.parse(shell.out()) };
}
