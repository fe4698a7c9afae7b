/** Archives as others write them, and as they are found: what becomes of them in a crawl's directory. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { main } from "../../../src/app/cli/main.ts";
import { idsOf } from "../../../src/app/export/links.ts";
import { besideOf } from "../../../src/app/import/record.ts";
import { openState } from "../../../src/store/embedded/read-only.ts";
import { testShell } from "../shell.ts";
import { smallCrawl } from "../small-crawl.ts";
import { HTTP, http, imported, PAGE, record, sha1 } from "./archives.ts";

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

  it("has captures of robots.txt alone, or older ones than are known: that is no failure", async (t) => {
    const robots = http(
      "http://a.test/robots.txt",
      "User-agent: *\nDisallow:\n",
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain",
    );
    const made = await imported(t, { "robots.warc": robots });
    assert.deepEqual([made.code, made.report.counts.robots, made.report.counts.visits], [0, 1, 0]);
    const older = http("http://a.test/", PAGE);
    const newer = http("http://a.test/", PAGE);
    const both = await imported(t, { "newer.warc": newer });
    await writeFile(join(both.dir, "../older.warc"), older);
    using shell = testShell();
    assert.equal(await main(["import", join(both.dir, "../older.warc"), "--dir", both.dir], shell), 0, shell.err());
    assert.match(shell.out(), /1 capture not taken: older than the last of the same URL/);
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
