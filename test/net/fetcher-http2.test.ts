/** The fetcher and HTTP/2 servers that reset, go away, flood and speak between: as over HTTP/1, and the next request fares well. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { constants, createSecureServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { type TestFetcher, testFetcher, text } from "./raw-server.ts";

const pem = (name: string): Buffer => readFileSync(new URL(`certificates/${name}.pem`, import.meta.url));

const flood = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`x-${i}`, "f".repeat(200)]));

const acts: Readonly<Record<string, (stream: ServerHttp2Stream) => void>> = {
  "/reset": (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
  "/refused": (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM),
  "/gone": (stream) => stream.session!.destroy(),
  "/broken": (stream) => {
    stream.respond({ ":status": 200 });
    stream.write("part");
    setTimeout(() => stream.destroy(new Error("broken")), 20);
  },
  "/cut": (stream) => {
    stream.respond({ ":status": 200 });
    stream.write("part");
    setTimeout(() => stream.session!.destroy(), 20);
  },
  "/short": (stream) => {
    stream.respond({ ":status": 200, "content-length": "100" });
    stream.end("part");
  },
  "/leaving": (stream) => {
    stream.respond({ ":status": 200 });
    stream.end("bye");
    stream.session!.goaway(0);
  },
  "/closing": (stream) => {
    stream.respond({ ":status": 200 });
    stream.end("bye");
    stream.session!.close();
  },
  "/hints": (stream) => {
    stream.additionalHeaders({ ":status": 103, link: "</a.css>; rel=preload" });
    stream.respond({ ":status": 200, "x-a": "1" });
    stream.end("after hints");
  },
  "/204": (stream) => stream.respond({ ":status": 204 }, { endStream: true }),
  "/304": (stream) => stream.respond({ ":status": 304 }, { endStream: true }),
  "/flood": (stream) => {
    stream.respond({ ":status": 200, ...flood });
    stream.end("x");
  },
};

describe("over HTTP/2, an answer", () => {
  let server: Http2Server;
  let base: string;
  let fetcher: TestFetcher;

  before(async () => {
    server = createSecureServer({ cert: pem("site"), key: pem("site.key") });
    server.on("session", (session) => session.on("error", () => {})).on("sessionError", () => {});
    server.on("stream", (stream, head) => {
      stream.on("error", () => {});
      const act = acts[head[":path"] ?? ""];
      if (act !== undefined) return act(stream);
      stream.respond({ ":status": 200 });
      stream.end("fine");
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    base = `https://site.test:${(server.address() as AddressInfo).port}`;
    fetcher = testFetcher({ http2: true, insecure: true });
  });
  after(async () => {
    await fetcher[Symbol.asyncDispose]();
    server.close();
  });
  const isFineAfterwards = async () => assert.equal(text((await fetcher.response(`${base}/`)).body), "fine");

  for (const [path, cause] of [
    ["/reset", "closed"],
    ["/refused", "closed"],
    ["/gone", "closed"],
    ["/flood", "protocol"],
  ] as const)
    it(`that is none (${path}) is a failure: ${cause}`, async () => {
      const failure = await fetcher.failure(base + path);
      assert.equal(failure.cause, cause, failure.detail);
      await isFineAfterwards();
    });

  for (const path of ["/broken", "/cut", "/short"])
    it(`that breaks off (${path}) gives what came, marked`, async () => {
      const page = await fetcher.response(base + path);
      assert.deepEqual([text(page.body), page.truncated], ["part", "disconnect"]);
      await isFineAfterwards();
    });

  for (const path of ["/leaving", "/closing"])
    it(`behind which the server goes away (${path}) is whole, and the next comes over another connection`, async () => {
      const page = await fetcher.response(base + path);
      assert.deepEqual([text(page.body), page.truncated], ["bye", null]);
      await isFineAfterwards();
    });

  it("behind interim ones is the answer", async () => {
    const page = await fetcher.response(`${base}/hints`);
    assert.deepEqual([page.status, text(page.body)], [200, "after hints"]);
    assert.ok(page.rawHeaders.includes("x-a"));
  });

  it("without a body is without one", async () => {
    for (const status of [204, 304]) {
      const page = await fetcher.response(`${base}/${status}`);
      assert.deepEqual([page.status, page.body.length, page.truncated, page.httpVersion], [status, 0, null, "2"]);
    }
  });

  it("is to a request that names no connection", async () => {
    assert.doesNotMatch((await fetcher.response(`${base}/`)).requestHead, /connection/);
  });
});
