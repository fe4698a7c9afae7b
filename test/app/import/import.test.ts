/** Archives as others write them, and as they are found: what becomes of them in a crawl's directory. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { main } from "../../../src/app/cli/main.ts";
import { idsOf } from "../../../src/app/export/links.ts";
import { besideOf } from "../../../src/app/import/record.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { Recrawl } from "../../../src/crawl/recrawl.ts";
import { NO_HISTORY } from "../../../src/model/history.ts";
import { openEmbedded } from "../../../src/store/embedded/backend.ts";
import { openState } from "../../../src/store/embedded/read-only.ts";
import { base32 } from "../../../src/warc/record.ts";
import { testShell } from "../shell.ts";
import { smallCrawl } from "../small-crawl.ts";

const PAGE = "<html lang=en><title>One</title><a href=/two>two</a><p>words enough to be a page of its own";
const sha1 = (text: string) => `sha1:${createHash("sha1").update(text).digest("hex")}`;

/** A record of version 1.0, with what is given; times go up by themselves. */
let clock = Date.UTC(2020, 0, 1);
function record(type: string, uri: string, block: string | Buffer, fields: readonly string[] = []): Buffer {
  clock += 1_000;
  const bytes = Buffer.from(block);
  const head = [
    "WARC/1.0",
    `WARC-Type: ${type}`,
    `WARC-Record-ID: <urn:uuid:${clock}>`,
    `WARC-Date: ${new Date(clock).toISOString().replace(/\.\d+/, "")}`,
    ...(uri === "" ? [] : [`WARC-Target-URI: ${uri}`]),
    ...fields,
    `Content-Length: ${bytes.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), bytes, Buffer.from("\r\n\r\n")]);
}
const HTTP = "Content-Type: application/http; msgtype=response";
const http = (
  uri: string,
  body: string | Buffer,
  head = "HTTP/1.1 200 OK\r\nContent-Type: text/html",
  more: string[] = [],
) => record("response", uri, Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Buffer.from(body)]), [HTTP, ...more]);

interface Made {
  readonly code: number;
  readonly report: {
    readonly files: Record<string, number>;
    readonly counts: Record<string, number>;
    readonly plan: Record<string, number>;
    readonly faults: number;
  };
  readonly err: string;
  readonly dir: string;
  readonly rows: readonly (readonly [url: string, end: string, title: string | null, status: number | null])[];
  get(url: string): Promise<string>;
  verify(): Promise<string>;
}

async function imported(
  t: TestContext,
  files: Readonly<Record<string, Buffer>>,
  args: readonly string[] = [],
): Promise<Made> {
  const folder = await mkdtemp(join(tmpdir(), "trawl-import-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  const dir = join(folder, "crawl");
  const run = async (argv: readonly string[]) => {
    using shell = testShell();
    const code = await main(argv, shell);
    return { code, out: shell.bytes().toString(), err: shell.err() };
  };
  const names = Object.keys(files).map((name) => join(folder, name));
  const { code, out, err } = await run(["import", ...names, "--dir", dir, "--json", ...args]);
  using state = openState(dir);
  const rows = (await Array.fromAsync(state.urls())).flatMap(({ visit }) =>
    visit === null || visit.attempt === 0
      ? []
      : [[visit.href, visit.end, visit.page?.title ?? null, visit.status] as const],
  );
  return {
    ...{ code, err, dir, rows, report: JSON.parse(out) },
    get: async (url) => (await run(["get", dir, url])).out,
    verify: async () => (await run(["verify", dir])).out,
  };
}

describe("an archive that another program wrote", () => {
  it("is taken as it is: chunks, brackets, revisits without a head, resources, digests in hex", async (t) => {
    const chunked = `${PAGE.length.toString(16)}\r\n${PAGE}\r\n0\r\n\r\n`;
    const file = Buffer.concat(
      [
        record("warcinfo", "", "software: Other/1.0\r\n", ["Content-Type: application/warc-fields"]),
        record("response", "dns:a.test", "20200101\r\na.test. 1 IN A 192.0.2.1\r\n", ["Content-Type: text/dns"]),
        http(
          "<http://A.test:80/one#part>",
          chunked,
          "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked",
          [`WARC-Payload-Digest: ${sha1(PAGE)}`, "WARC-IP-Address: 192.0.2.9"],
        ),
        http(
          "http://a.test/zipped",
          gzipSync(PAGE),
          "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip",
        ),
        record("revisit", "http://a.test/copy", "", [
          HTTP,
          "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest",
          "WARC-Refers-To-Target-URI: http://a.test/one",
          `WARC-Payload-Digest: ${sha1(PAGE)}`,
        ]),
        record("revisit", "http://a.test/untyped", "", [
          "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest",
          "WARC-Refers-To-Target-URI: http://a.test/one",
          `WARC-Payload-Digest: ${sha1(PAGE)}`,
        ]),
        record("resource", "http://a.test/note.txt", "plain words", ["Content-Type: text/plain"]),
        record("resource", "metadata://gnu.org/manifest", "x", ["Content-Type: text/plain"]),
        http("http://a.test/gone", "no", "HTTP/1.1 404 Not Found"),
        http("http://a.test/busy", "later", "HTTP/1.1 503 Unavailable"),
        http("http://a.test/robots.txt", "User-agent: *\nDisallow: /x", "HTTP/1.1 200 OK\r\nContent-Type: text/plain"),
        http("http://a.test/odd", "x", "SMTP 200"),
      ].map((one) => gzipSync(one)),
    );
    const made = await imported(t, { "other.warc.gz": file });
    assert.equal(made.code, 0, made.err);
    assert.deepEqual([...made.rows].sort(), [
      ["http://a.test/busy", "http-5xx", null, 503],
      ["http://a.test/copy", "fetched", "One", 200],
      ["http://a.test/gone", "http-4xx", null, 404],
      ["http://a.test/note.txt", "fetched", null, 200],
      ["http://a.test/one", "fetched", "One", 200],
      ["http://a.test/untyped", "fetched", "One", 200],
      ["http://a.test/zipped", "fetched", "One", 200],
    ]);
    assert.equal(made.report.plan.strange, 3);
    assert.deepEqual(made.report.files, { taken: 1, repacked: 0, known: 0 });
    for (const url of ["http://a.test/one", "http://a.test/copy", "http://a.test/untyped", "http://a.test/zipped"])
      assert.equal(await made.get(url), PAGE);
    assert.equal(await made.get("http://a.test/note.txt"), "plain words");
    assert.match(await made.verify(), /Sound\.\n$/);
    using state = openState(made.dir);
    const [copy] = await Array.fromAsync(state.robotsCopies());
    assert.deepEqual([copy?.host, copy?.access, copy?.body], ["http://a.test", "rules", "User-agent: *\nDisallow: /x"]);
    const one = (await Array.fromAsync(state.urls())).find(({ href }) => (href as string) === "http://a.test/one")!;
    assert.deepEqual([one.visit?.address, one.source, (await state.pending()).queued], ["192.0.2.9", "imported", 0]);
    const two = (await Array.fromAsync(state.urls())).find(({ href }) => (href as string) === "http://a.test/two")!;
    assert.deepEqual([two.visit?.end, two.visit?.detail, two.via], ["scope", "import", one.id]);
  });

  it("breaks no promise of ours, however fast it was asked for", async (t) => {
    const { dir } = await imported(t, {
      "a.warc": Buffer.concat([http("http://a.test/", PAGE), http("http://a.test/two", PAGE)]),
    });
    using shell = testShell();
    assert.equal(await main(["report", dir], shell), 0);
    assert.match(
      shell.out(),
      /promised {3}nothing of what was imported.*\n.*no gap that was ours.*\n.*\n {2}breaches {3}none/,
    );
  });

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
      await recrawl.close(backend);
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

  it("has its links told by the URLs that they lead to, also those that came after the link", async (t) => {
    const made = await imported(t, { "1.warc": http("http://a.test/one", PAGE) });
    const file = join(made.dir, "..", "2.warc");
    await writeFile(file, http("http://a.test/two", PAGE.replace("One", "Two")));
    using shell = testShell();
    assert.equal(await main(["import", file, "--dir", made.dir], shell), 0, shell.err());
    using state = openState(made.dir);
    const fetched = (await Array.fromAsync(state.urls())).filter(({ visit }) => visit?.end === "fetched");
    assert.deepEqual(
      fetched.map(({ href }) => href as string),
      ["http://a.test/one", "http://a.test/two"],
    );
    assert.deepEqual(await idsOf([...fetched.map(({ href }) => href), "http://a.test/none", "mailto:nobody"], state), [
      ...fetched.map(({ id }) => id),
      null,
      null,
    ]);
  });

  it("says which revisits have their bodies elsewhere, and does not make them up", async (t) => {
    const revisit = record("revisit", "http://a.test/x", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", [
      HTTP,
      "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest",
      "WARC-Refers-To-Target-URI: http://elsewhere.test/",
      "WARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
    ]);
    const made = await imported(t, { "a.warc.gz": gzipSync(revisit) });
    assert.equal(made.report.counts.lost, 1);
    assert.equal(await made.get("http://a.test/x"), "");
    assert.match(await made.verify(), /1 revisit of bodies that were never here\nSound\.\n$/);
  });

  it("finds the original of a revisit wherever it is, later in another file too", async (t) => {
    const original = http("http://a.test/z", PAGE);
    const refers = (uri: string) => [
      HTTP,
      "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest",
      `WARC-Refers-To-Target-URI: ${uri}`,
      `WARC-Payload-Digest: ${`sha1:${Buffer.from(createHash("sha1").update(PAGE).digest()).toString("hex")}`}`,
    ];
    const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    const made = await imported(t, {
      "1.warc.gz": gzipSync(record("revisit", "http://a.test/a", head, refers("http://a.test/y"))),
      "2.warc.gz": Buffer.concat([
        gzipSync(record("revisit", "http://a.test/z", head, refers("http://a.test/y"))),
        gzipSync(http("http://a.test/y", PAGE)),
        gzipSync(original),
      ]),
    });
    assert.equal(made.report.counts.lost, 0);
    assert.equal(await made.get("http://a.test/a"), PAGE);
    assert.match(await made.verify(), /Sound\.\n$/);
  });
});

describe("a damaged archive", () => {
  const records = Array.from({ length: 6 }, (_, i) => http(`http://a.test/${i}`, PAGE.replace("One", `No ${i}`)));

  it("is imported as far as it can be read, and what is wrong is told", async (t) => {
    const members = records.map((one) => gzipSync(one));
    const broken = Buffer.from(members[2]!);
    broken[30] = broken[30]! ^ 0xff;
    const file = Buffer.concat([...members.slice(0, 2), broken, ...members.slice(3, 5), members[5]!.subarray(0, 40)]);
    const made = await imported(t, { "cut.warc.gz": file });
    assert.deepEqual(
      made.rows.map(([url]) => url).sort(),
      [0, 1, 3, 4].map((i) => `http://a.test/${i}`),
    );
    assert.ok(made.report.faults >= 2);
    assert.deepEqual(made.report.files, { taken: 0, repacked: 1, known: 0 });
    assert.match(await made.verify(), /Sound\.\n$/);
  });

  it("is packed anew when its records share one member, or none", async (t) => {
    const whole = Buffer.concat(records);
    const made = await imported(t, {
      "one.warc.gz": gzipSync(whole),
      "one.warc": Buffer.concat([whole, http("http://b.test/", PAGE)]),
    });
    assert.deepEqual(made.report.files, { taken: 0, repacked: 2, known: 0 });
    assert.deepEqual(await readdir(join(made.dir, "archive")), ["one-2.warc.gz", "one.warc.gz"]);
    assert.equal(made.rows.length, 7);
    assert.equal(await made.get("http://a.test/3"), PAGE.replace("One", "No 3"));
    assert.match(await made.verify(), /Sound\.\n$/);
  });

  it("that is none at all leaves nothing behind, and exit code 4", async (t) => {
    const made = await imported(t, {
      "old.arc": Buffer.from("filedesc://old.arc 0.0.0.0 20200101000000 text/plain 5\nabcde\n"),
    });
    assert.equal(made.code, 4);
    assert.deepEqual(await readdir(join(made.dir, "archive")), []);
  });
});

describe("a directory", () => {
  it("whose crawl has URLs to visit is not imported into", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    const archive = join(dir, "archive");
    const [name] = (await readdir(archive)).filter((one) => one.endsWith(".warc.gz"));
    assert.equal(await main(["import", join(archive, name!), "--dir", dir], shell), 2);
    assert.match(shell.err(), /^trawl: the crawl in .* has 1 URL to visit; import into a directory of its own\n$/);
  });
});

describe("what a metadata record says", () => {
  it("is read as Heritrix and as Trawl write it", () => {
    const of = (...lines: string[]) => besideOf(Buffer.from(lines.map((line) => `${line}\r\n`).join("")));
    assert.deepEqual(of("fetchTimeMs: 565", "hopsFromSeed: LRE", "via: http://a.test/"), {
      ...{ via: "http://a.test/", depth: 2, fetchMs: 565 },
    });
    assert.deepEqual(of("depth: 3", "outlink: http://a.test/?via: L a"), { via: null, depth: 3, fetchMs: null });
    assert.deepEqual(of("fetchTimeMs: soon"), { via: null, depth: null, fetchMs: null });
  });
});
