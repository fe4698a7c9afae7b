/** Heads that are mended: as browsers read them, in linear time; what is sound is left alone. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { headEnd, repairHead } from "../../src/net/head-repair.ts";
import { rawServer, testFetcher, text } from "./raw-server.ts";

describe("repairHead", () => {
  it("leaves a sound head alone", () => {
    for (const head of [
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Empty:\r\nX: caf\xe9\t!\r\n\r\n",
      "HTTP/1.0 404\r\n\r\n",
      "HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\n",
    ])
      assert.equal(repairHead(head), null);
  });

  it("gives what the parser takes, once and for all, whatever comes", () => {
    const part = fc.constantFrom(
      "HTTP/1.1 200 OK",
      "\r\n",
      "\n",
      ":",
      " ",
      "\t",
      "\0",
      "X",
      "Content-Length",
      "5",
      "\xe9",
      "é",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const mended = repairHead(`HTTP/1.1 200 OK\n${parts.join("")}\n\n`);
        if (mended !== null && !/content-length:.*content-length:/is.test(mended))
          assert.equal(repairHead(mended), null);
      }),
    );
  });

  it("takes time in proportion to the length", () => {
    for (const piece of ["X:\n ", "Content-Length: 1\n", " \t", "a: b\r", "\n", ", ", "\n\t\r"]) {
      const started = performance.now();
      repairHead(`HTTP/1.1 200 OK\nContent-Length: 1${piece.repeat(65_536 / piece.length)}\n\n`);
      assert.ok(performance.now() - started < 2_000, JSON.stringify(piece));
    }
  });
});

describe("headEnd", () => {
  it("finds the first empty line, however its ends are written", () => {
    for (const [head, rest] of [
      ["A\r\nB\r\n\r\n", "x\n\n"],
      ["A\nB\n\n", "x\r\n\r\n"],
      ["A\r\nB\n\r\n", ""],
      ["A\n\n", ""],
    ] as const)
      assert.equal(headEnd(Buffer.from(head + rest)), head.length);
    assert.equal(headEnd(Buffer.from("A\r\nB\r\n\r")), -1);
  });
});

describe("a head that is bent", () => {
  const whole = "Content-Length: 5\r\n";
  for (const [how, head] of [
    ["has bare line feeds", "HTTP/1.1 200 OK\nX: 1\nContent-Length: 5\n\n"],
    ["mixes line ends", `HTTP/1.1 200 OK\r\nX: 1\n${whole}\r\n`],
    ["has a blank before a colon", `HTTP/1.1 200 OK\r\nX : 1\r\n${whole}\r\n`],
    ["has a line that is no field", `HTTP/1.1 200 OK\r\nX: 1\r\nWarning in line 7\r\n${whole}\r\n`],
    ["has a name with a blank in it", `HTTP/1.1 200 OK\r\nX: 1\r\nnot a name: x\r\n${whole}\r\n`],
    ["has control characters in a value", `HTTP/1.1 200 OK\r\nX: \x011\0\r\n${whole}\r\n`],
    ["says the same length twice", `HTTP/1.1 200 OK\r\nX: 1\r\n${whole}${whole}\r\n`],
    ["is of a version to come", `HTTP/1.7 200 OK\r\nX: 1\r\n${whole}\r\n`],
  ] as const)
    it(`is read all the same: it ${how}`, async () => {
      await using server = await rawServer((socket) => socket.write(`${head}hello`));
      await using fetcher = testFetcher();
      for (const path of ["/1", "/2"]) {
        const page = await fetcher.response(server.url(path));
        assert.deepEqual(
          [page.rawHeaders, text(page.body), page.truncated],
          [["X", "1", "Content-Length", "5"], "hello", null],
        );
      }
      assert.equal(server.accepted, 1);
    });

  it("is read all the same: it folds a field over lines", async () => {
    await using server = await rawServer((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nX: a\r\n\t b\r\n${whole}\r\nhello`),
    );
    await using fetcher = testFetcher();
    assert.deepEqual((await fetcher.response(server.url())).rawHeaders.slice(0, 2), ["X", "a b"]);
  });

  it("is read all the same: chunks go before a length", async () => {
    await using server = await rawServer((socket) =>
      socket.write(
        "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      ),
    );
    await using fetcher = testFetcher();
    const page = await fetcher.response(server.url());
    assert.deepEqual([text(page.body), page.truncated], ["hello", null]);
  });
});
