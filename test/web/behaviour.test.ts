import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { ask, askRaw } from "./ask.ts";
import type { Behaviour } from "./behaviour.ts";
import { type FakeWeb, fakeWeb, forbiddenUrls } from "./fake-web.ts";
import { GALLERY } from "./gallery.ts";
import { requestsOf } from "./log.ts";

describe("a behaviour", () => {
  let web: FakeWeb;
  before(async () => {
    web = await fakeWeb({ hosts: 2, pagesPerHost: 6, bytes: [3000, 4000], gallery: true, addresses: 1 });
  });
  after(() => web[Symbol.asyncDispose]());

  const odd = (name: string, path = "/") => ask(web, `${name}.odd.test`, path);
  const page = () => web.site.serve("gzip.odd.test", "/")!.body.toString();
  const logged = (name: string) => web.log.requests(`${name}.odd.test`);

  it("keeps the first byte back", async () => {
    assert.equal((await odd("slow-first-byte")).status, 200);
    const [entry] = logged("slow-first-byte");
    assert.ok(entry!.endedAt! - entry!.startedAt >= 299);
  });

  it("drips", async () => {
    const { body } = await odd("drip");
    assert.equal(body.length, web.site.serve("drip.odd.test", "/")!.body.length);
    const [entry] = logged("drip");
    assert.ok(entry!.endedAt! - entry!.startedAt >= 100);
  });

  it("never answers, and the request ends when the client goes", async () => {
    const asked = ask(web, "never.odd.test", "/", { headers: { connection: "close" } });
    const late = Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 100, "nothing"))]);
    assert.equal(await late, "nothing");
    assert.equal(logged("never")[0]!.endedAt, null);
    asked.catch(() => {}); // it is torn down with the web
  });

  it("resets in place of an answer and in the middle of one", async () => {
    await assert.rejects(odd("reset-at-once"), { code: "ECONNRESET" });
    const { body, broken } = await odd("reset-in-body");
    assert.equal(body.length, 5000);
    assert.equal(broken, "ECONNRESET");
    await assert.rejects(odd("hang-up"), { code: "ECONNRESET" });
    assert.equal(logged("reset-in-body")[0]!.status, 200);
    assert.notEqual(logged("hang-up")[0]!.endedAt, null);
  });

  it("lies about the length", async () => {
    assert.equal((await odd("length-too-long")).broken, "ECONNRESET");
    const text = await askRaw(web, "length-too-short.odd.test", "/");
    const [head, body] = text.split("\r\n\r\n");
    assert.equal(Number(/Content-Length: (\d+)/.exec(head!)![1]), body!.length - 100);
  });

  it("chunks, well and badly, and ends a body with the connection", async () => {
    assert.equal((await odd("chunked")).headers["transfer-encoding"], "chunked");
    assert.notEqual((await odd("chunked-broken")).broken, null);
    const text = await askRaw(web, "until-close.odd.test", "/");
    assert.match(text, /^HTTP\/1\.0 200 OK\r\nContent-Type: text\/html\r\n\r\n<!doctype/);
  });

  it("floods with header fields and bodies without end", async () => {
    const flood = await askRaw(web, "header-flood.odd.test", "/", 2_000_000);
    assert.ok(flood.length >= 2_000_000 && !flood.includes("\r\n\r\n"));
    assert.ok((await ask(web, "endless.odd.test", "/", { most: 5_000_000 })).body.length >= 5_000_000);
    assert.ok((await ask(web, "endless-slow.odd.test", "/", { most: 2048 })).body.length >= 2048);
  });

  it("speaks something else than HTTP", async () => {
    assert.match(await askRaw(web, "not-http.odd.test", "/"), /^SSH-2\.0/);
    await assert.rejects(odd("bad-status-line"));
  });

  it("codes the content in every way", async () => {
    const plain = page().replaceAll("gzip.odd", "$.odd");
    const decoders = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
    for (const [coding, decode] of [...Object.entries(decoders), ["deflate-raw", inflateRawSync] as const]) {
      const { headers, body } = await odd(coding);
      assert.equal(headers["content-encoding"], coding.replace("-raw", ""));
      assert.equal(decode(body).toString().replaceAll(`${coding}.odd`, "$.odd"), plain);
    }
    for (const name of ["mislabelled", "gzip-cut"]) {
      const { headers, body } = await odd(name);
      assert.equal(headers["content-encoding"], "gzip");
      assert.throws(() => gunzipSync(body));
    }
    const bomb = await odd("bomb");
    assert.ok(bomb.body.length < 200_000);
    assert.equal(gunzipSync(bomb.body).length, 48 * 2 ** 20);
  });

  it("redirects along chains, in loops, over cookies and to nonsense", async () => {
    let path = "/";
    let hops = 0;
    for (let reply = await odd("chain"); reply.status === 302; reply = await odd("chain", path)) {
      path = String(reply.headers.location);
      hops++;
    }
    assert.equal(hops, 5);
    assert.equal((await odd("loop")).headers.location, "/b");
    assert.equal((await odd("loop", "/b")).headers.location, "/");
    assert.equal((await odd("slash", "/a")).headers.location, "/a/");
    const wall = await odd("cookie-wall");
    assert.equal(wall.headers.location, "/");
    const cookie = String(wall.headers["set-cookie"]).split(";")[0]!;
    assert.equal((await ask(web, "cookie-wall.odd.test", "/", { headers: { cookie } })).status, 200);
    assert.equal((await odd("bad-location")).headers.location, "http://");
    assert.equal((await odd("to-metadata")).headers.location, "http://169.254.169.254/latest/meta-data/");
    assert.equal((await odd("to-loopback-name")).headers.location, `http://loopback.odd.test:${web.port}/`);
  });

  it("fails a number of times and then no more", async () => {
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await odd("broken-twice")).status);
    assert.deepEqual(statuses, [500, 500, 200]);
    assert.equal((await odd("gone")).status, 410);
  });

  it("limits the rate and says for how long", async () => {
    const limit = (seconds: number, retryAfter: Extract<Behaviour, { kind: "limit" }>["retryAfter"]) =>
      ({ kind: "limit", status: 429, after: 2, seconds, retryAfter }) as const;
    const at = async (path: string, behaviour: Behaviour) => {
      web.behave({ host: "h0.test", path, behaviour });
      const replies = [];
      for (let i = 0; i < 4; i++) replies.push(await ask(web, "h0.test", path));
      return replies.map(({ status, headers }) => [status, headers["retry-after"]]);
    };
    const [, , third] = await at("/?seconds", limit(30, "seconds"));
    assert.deepEqual(third, [429, "30"]);
    const dated = (await at("/?date", limit(30, "date")))[2]!;
    const ahead = Date.parse(String(dated[1])) - Date.now();
    assert.ok(ahead > 20_000 && ahead <= 31_000);
    assert.deepEqual((await at("/?raw", limit(30, { raw: "soon" })))[3], [429, "soon"]);
    // Over at once: it serves two, refuses one, and counts anew.
    assert.deepEqual(
      (await at("/?none", limit(0, "none"))).map(([status]) => status),
      [404, 404, 429, 404],
    );
  });

  it("gives robots.txt in all conditions", async () => {
    assert.match((await odd("robots-all", "/robots.txt")).body.toString(), /^User-agent: \*\nDisallow: \/\n/);
    assert.equal((await odd("robots-403", "/robots.txt")).status, 403);
    assert.equal((await odd("robots-broken-once", "/robots.txt")).status, 503);
    assert.equal((await odd("robots-broken-once", "/robots.txt")).status, 200);
    assert.equal((await odd("robots-loop", "/robots.txt")).headers.location, "/robots.txt");
    let path = "/robots.txt";
    let hops = 0;
    let reply = await odd("robots-moved", path);
    for (; reply.status === 302; reply = await odd("robots-moved", path), hops++) path = String(reply.headers.location);
    assert.equal(hops, 4);
    assert.equal(path, "/moved.txt");
    assert.match(reply.body.toString(), /Disallow/);
    const padded = (await odd("robots-padded", "/robots.txt")).body;
    assert.deepEqual([...padded.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
    assert.ok(padded.length > 400_000 && padded.toString().endsWith("Disallow: /\r\n\r\n"));
  });

  it("always has one more page in its traps", async () => {
    for (const trap of ["calendar", "growing", "session", "parameters"]) {
      const seen = new Set<string>();
      let path = `/${trap}`;
      for (let i = 0; i < 20; i++) {
        const text = (await ask(web, "trap.test", path)).body.toString();
        const hrefs = [...text.matchAll(/href="([^"]+)"/g)].map(([, href]) => href!.replaceAll("&amp;", "&"));
        path = hrefs.find((href) => !seen.has(href))!;
        assert.ok(path.startsWith(`/${trap}`), path);
        seen.add(path);
      }
    }
    assert.equal((await odd("soft-404", "/no/such/page")).status, 200);
  });

  it("says who connected where it should not have", async () => {
    await ask(web, "loopback.odd.test", "/", { address: "127.0.0.1" });
    assert.ok(requestsOf(web.log.entries).some((entry) => entry.address === "127.0.0.1"));
    assert.ok(web.log.entries.some((entry) => entry.kind === "connection" && entry.address === "127.0.0.1"));
    assert.ok(forbiddenUrls(web.port).every((href) => URL.canParse(href)));
  });

  it("links to every specimen from the gallery's front page", async () => {
    const index = (await ask(web, "odd.test", "/")).body.toString();
    for (const name of Object.keys(GALLERY)) assert.ok(index.includes(`//${name}.odd.test:${web.port}/`), name);
  });
});

describe("the fake web", () => {
  it("refuses connections where it does not listen", async () => {
    await using web = await fakeWeb();
    await assert.rejects(ask(web, "h0.test", "/", { address: "127.0.1.254" }), { code: "ECONNREFUSED" });
  });
  it("says that it cannot have so many addresses", async () => {
    await assert.rejects(fakeWeb({ addresses: 201 }), /1 to 200/);
  });
  it("closes under open connections and unanswered requests", async () => {
    const web = await fakeWeb({ rules: [{ behaviour: { kind: "never" } }] });
    const asked = assert.rejects(ask(web, "h0.test", "/"));
    while (web.log.requests().length === 0) await new Promise(setImmediate);
    await web[Symbol.asyncDispose]();
    await asked;
    assert.notEqual(web.log.requests()[0]!.endedAt, null);
  });
});
