import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Duplicates } from "../../src/crawl/duplicates.ts";
import { keep, knownBody } from "../../src/crawl/keep.ts";
import { AskedOriginals, type AskedTogether, originalsIn } from "../../src/crawl/originals.ts";
import { NOTHING_READ } from "../../src/crawl/read.ts";
import type { Capture, Original } from "../../src/model/capture.ts";
import type { FetchResponse } from "../../src/model/fetch-result.ts";
import { NO_ANSWER, type VisitRecord } from "../../src/model/record.ts";
import type { Href } from "../../src/model/url.ts";
import type { Errand } from "../../src/model/visited.ts";
import type { ArchiveNote } from "../../src/ports/archive.ts";
import type { Backend } from "../../src/ports/frontier.ts";
import { memoryBackend } from "../../src/store/memory/backend.ts";
import { exchange } from "../warc/fixtures.ts";
import { crawlWorld } from "./world.ts";

const captureOf = (digest: string, more: Partial<Capture> = {}): Capture => ({
  response: { file: "x.warc.gz", offset: 0, length: 1 },
  at: 5,
  digest,
  truncated: null,
  ...more,
});
const visitOf = (urlId: number, capture: Capture | null): VisitRecord => ({
  ...NO_ANSWER,
  ...{ urlId, href: `http://a.test/${urlId}` as Href, end: "fetched", detail: null, attempt: 1 },
  ...{ startedAt: 5, endedAt: 6, capture },
});

describe("the capture that holds a body", () => {
  const known = Duplicates.of([1, 2, 3, 4].map((urlId) => ({ urlId, digest: `sha1:${urlId}`, simhash: null })));
  const visits = [
    visitOf(1, captureOf("sha1:1")),
    visitOf(2, captureOf("sha1:other")),
    visitOf(3, captureOf("sha1:3", { truncated: "length" })),
    visitOf(4, captureOf("sha1:4", { revisitOf: 1 })),
    visitOf(4, captureOf("sha1:4", { at: 9 })),
  ];
  const find = async (digest: string) =>
    originalsIn({ visitsOf: async (id) => visits.filter(({ urlId }) => urlId === id) }, await known)(digest);

  it("is the first page with that digest", async () => {
    assert.deepEqual(await find("sha1:1"), { urlId: 1, href: "http://a.test/1", at: 5, digest: "sha1:1" });
    assert.equal(await find("sha1:unheard of"), null);
  });
  it("is none that only resembles it by 64 bits, and none that was cut", async () => {
    assert.equal(await find("sha1:2"), null);
    assert.equal(await find("sha1:3"), null);
  });
  it("is never a revisit itself", async () => {
    assert.equal((await find("sha1:4"))?.at, 9);
  });
  it("is one that another crawler has found, whose page then is the first of its copies", async () => {
    const duplicates = await Duplicates.of([]);
    const asked: string[] = [];
    const bodies = {
      async first(digest: string) {
        asked.push(digest);
        return digest === "sha1:1" ? 1 : digest === "sha1:2" ? 2 : null;
      },
    };
    const findIn = originalsIn(
      { visitsOf: async (id) => visits.filter(({ urlId }) => urlId === id) },
      duplicates,
      bodies,
    );
    assert.equal((await findIn("sha1:1"))?.urlId, 1);
    assert.equal(await findIn("sha1:2"), null, "it only resembles it");
    assert.equal(await findIn("sha1:new"), null);
    assert.equal((await findIn("sha1:1"))?.urlId, 1);
    assert.deepEqual(asked, ["sha1:1", "sha1:2", "sha1:new"], "what is known is not asked for again");
    const page = { simhash: null, canonical: null } as never;
    const copyOf = (digest: string) => duplicates.copyOf(9, "https://a.test/", 10, captureOf(digest), page).duplicateOf;
    assert.deepEqual([copyOf("sha1:1"), copyOf("sha1:2")], [1, null]);
  });
  it("is none that is not committed yet: a crash could cut it back", async () => {
    const duplicates = await Duplicates.of([]);
    const page = { simhash: null } as never;
    duplicates.copyOf(1, "https://a.test/", 10, captureOf("sha1:new"), page);
    assert.equal(duplicates.first("sha1:new"), 1);
    assert.equal(await originalsIn({ visitsOf: async () => [] }, duplicates)("sha1:new"), null);
  });
});

it("bodies are told of once their pages are committed, without copies and what is no page", async () => {
  let backend: Backend | null = null;
  const told: string[] = [];
  await crawlWorld({
    seeds: ["http://a.test/1", "http://b.test/2", "http://c.test/3"],
    web: (href) =>
      /\/[12]$/.test(href)
        ? { links: ["http://d.test/4"] }
        : href.endsWith("/4")
          ? { links: ["http://a.test/1"] }
          : undefined,
    backend: (clock) => (backend = memoryBackend({ clock })),
    bodies: {
      async keep(pages) {
        for (const { urlId } of pages) {
          const record = await backend!.byId(urlId);
          told.push(`${record?.href} ${record?.visit?.end}`);
        }
      },
    },
  });
  assert.equal(told.length, 2, told.join());
  assert.match(told[0]!, /\/[12] fetched$/);
  assert.equal(told[1], "http://d.test/4 fetched");
});

describe("what a visit thread asks", () => {
  it("goes out as one message a turn, and each asker gets its own answer", async () => {
    const sent: AskedTogether[] = [];
    const originals = new AskedOriginals((asked) => sent.push(asked));
    const answers = [originals.of("sha1:A"), originals.of("sha1:B")];
    await new Promise(setImmediate);
    const later = originals.of("sha1:C");
    await new Promise(setImmediate);
    assert.deepEqual(
      sent.map(({ digests }) => digests),
      [["sha1:A", "sha1:B"], ["sha1:C"]],
    );
    const of = (urlId: number): Original => ({ urlId, href: "http://a.test/" as Href, at: 1, digest: "" });
    originals.answered({ id: sent[1]!.id, originals: [of(3)] });
    originals.answered({ id: sent[0]!.id, originals: [null, of(2)] });
    assert.deepEqual(
      (await Promise.all([...answers, later])).map((one) => one?.urlId ?? null),
      [null, 2, 3],
    );
  });

  it("gets no original when the state cannot tell", async () => {
    const originals = new AskedOriginals(({ id }) => originals.answered({ id, originals: [] }));
    assert.equal(await originals.of("sha1:A"), null);
  });
});

describe("keeping", () => {
  const original: Original = { urlId: 1, href: "http://a.test/1" as Href, at: 5, digest: "sha1:A" };
  const asked: string[] = [];
  const archive = { digest: () => "sha1:A", append: (_: unknown, note: ArchiveNote) => note as never };
  const context = {
    archive: archive as never,
    originals: {
      of: async (digest: string) => {
        asked.push(digest);
        return original;
      },
    },
    rules: { metadata: true } as never,
  };
  const text = "x".repeat(2_000);

  it("asks of whole bodies of some length alone", async () => {
    const asks = (response: FetchResponse, more: Partial<Errand> = {}, others: object = {}) =>
      knownBody(response, { task: "page", held: null, ...more }, { notModified: false }, { ...context, ...others });
    assert.equal((await asks(exchange({ text })))?.revisit?.original, original);
    assert.equal(asked.length, 1);
    for (const response of [
      exchange({ text: "short" }),
      exchange({ text, truncated: "length" }),
      exchange({ text, bodyRead: false }),
    ])
      assert.equal(await asks(response), null);
    assert.equal(await asks(exchange({ text }), { task: "robots" }), null);
    assert.equal(await asks(exchange({ text }), {}, { originals: null }), null);
    assert.equal(asked.length, 1);
  });

  it("asks nobody of a body that the same page had before, and none of an answer without one", async () => {
    asked.length = 0;
    const held = { original: { ...original, at: 9 }, conditional: { etag: '"a"', lastModified: null } };
    const page = { task: "page", held } as const;
    const same = await knownBody(exchange({ text }), page, { notModified: false }, context);
    assert.deepEqual(same?.revisit, { profile: "identical-payload-digest", original: held.original });
    const without = await knownBody(exchange({ text: "" }), page, { notModified: true }, context);
    assert.deepEqual(without, {
      digest: "sha1:A",
      revisit: { profile: "server-not-modified", original: held.original },
    });
    assert.equal(asked.length, 0);
  });

  it("refers to a body that is known, and digests no body twice", () => {
    const errand = { robotsId: 4, via: null, task: "page", lease: { url: { depth: 2 } } } as Errand;
    const known = { digest: "sha1:A", revisit: { profile: "identical-payload-digest", original } } as const;
    const note = keep(exchange({ text }), "text/html", errand, NOTHING_READ, known, context) as unknown as ArchiveNote;
    assert.deepEqual(note.revisit, { profile: "identical-payload-digest", original });
    assert.equal(note.digest, "sha1:A");
    assert.deepEqual(note.metadata, ["fetchTimeMs", "20", "depth", "2"]);
    const robots = { ...errand, task: "robots" } as Errand;
    assert.equal((keep(exchange(), "", robots, NOTHING_READ, null, context) as unknown as ArchiveNote).metadata, null);
  });
});
