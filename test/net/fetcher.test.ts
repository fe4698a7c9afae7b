/** The fetcher against real sockets: what goes over the wire, and what an answer becomes. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { describe, it } from "node:test";
import { basicAuthorization } from "../../src/net/proxy.ts";
import { answer, rawServer, testFetcher, text, until } from "./raw-server.ts";

describe("a request", () => {
  it("is not made when its time was over before it had a connection", async () => {
    const clock = { time: 0, now: () => clock.time, sleep: () => new Promise<void>(() => {}) };
    const held: Socket[] = [];
    await using server = await rawServer((socket) => void held.push(socket));
    await using fetcher = testFetcher({ clock, connectionsPerHost: 1, totalMs: 1_000 });
    const first = fetcher.get(server.url("/1"));
    const second = fetcher.failure(server.url("/2"));
    await until(() => held.length === 1);
    clock.time = 1_000; // as a process that was stopped finds it
    held[0]!.write(answer());
    assert.equal((await first).kind, "response");
    assert.deepEqual([(await second).cause, (await second).detail], ["timeout", "not done within 1000 ms"]);
    assert.equal(server.heads.length, 1);
  });

  it("is sent exactly as requestHead says", async () => {
    await using server = await rawServer((socket) => socket.write(answer()));
    await using fetcher = testFetcher({ headers: { "Accept-Language": "en", "X-Crawl": "1" } });
    const page = await fetcher.response(server.url("/a%20b?x=1&y=%C3%A4"), {
      headers: { "if-none-match": '"e"', accept: "text/plain" },
    });
    const robots = await fetcher.response(server.url("/robots.txt"), { purpose: "robots" });
    assert.deepEqual(server.heads, [page.requestHead, robots.requestHead]);
    assert.equal(
      page.requestHead,
      `GET /a%20b?x=1&y=%C3%A4 HTTP/1.1\r\nhost: site.test:${server.port}\r\nconnection: keep-alive\r\n` +
        "user-agent: TrawlBot/0.1 (+https://trawl.test/bot)\r\naccept: text/plain\r\n" +
        'accept-encoding: gzip, deflate, br, zstd\r\naccept-language: en\r\nx-crawl: 1\r\nif-none-match: "e"\r\n\r\n',
    );
  });

  it("goes to the pinned address, and the name is not looked up", async () => {
    await using server = await rawServer((socket) => socket.write(answer()));
    await using fetcher = testFetcher();
    const page = await fetcher.response(`http://this-name.does-not-exist.invalid:${server.port}/`);
    assert.equal(page.address, "127.0.0.1");
    assert.match(server.heads[0]!, /^host: this-name\.does-not-exist\.invalid:/m);
  });

  it("does not share a connection with the same origin at another address", async () => {
    await using server = await rawServer((socket) => socket.write(answer()));
    await using fetcher = testFetcher({ guard: () => null });
    await fetcher.response(server.url());
    const other = await fetcher.failure(server.url(), { address: "127.0.0.9" });
    assert.equal(other.cause, "connect");
    assert.equal(server.accepted, 1);
  });

  it("leaves out extra fields that cannot be sent", async () => {
    await using server = await rawServer((socket) => socket.write(answer()));
    await using fetcher = testFetcher();
    const page = await fetcher.response(server.url(), {
      headers: { "if-none-match": "a\r\nx: y", host: "other.test", "bad name": "1", etag: "ok" },
    });
    assert.equal(server.heads[0], page.requestHead);
    assert.doesNotMatch(page.requestHead, /if-none-match|other\.test|bad name/);
    assert.match(page.requestHead, /^etag: ok$/m);
  });

  it("has the fields and the password of its own origin, and those go to no other", async () => {
    await using server = await rawServer((socket) => socket.write(answer()));
    await using other = await rawServer((socket) => socket.write(answer()));
    const origin = server.url("");
    const secret = basicAuthorization("me", "p\u00e4ss");
    const originHeaders = new Map([[origin, { authorization: secret, "x-key": "k", cookie: "a=1" }]]);
    await using fetcher = testFetcher({ originHeaders });
    const page = await fetcher.response(server.url("/"), { headers: { cookie: "b=2" } });
    await fetcher.response(server.url("/robots.txt"), { purpose: "robots" });
    await fetcher.response(other.url("/"));
    await fetcher.response(server.url("/").replace("site.test", "www.site.test"));
    const has = (head: string) => [/^authorization: Basic bWU6cMOkc3M=/m.test(head), /^x-key: k/m.test(head)];
    assert.deepEqual(server.heads.map(has), [
      [true, true],
      [true, true],
      [false, false],
    ]);
    assert.deepEqual(other.heads.map(has), [[false, false]]);
    assert.match(server.heads[0]!, /^cookie: a=1; b=2\r$/m);
    // The archive is handed round: it knows that there was a password, and not which.
    assert.match(page.requestHead, /^authorization: \(withheld\)\r$/m);
  });

  it("is refused at the making of the fetcher when a field of every request cannot be sent", () => {
    assert.throws(() => testFetcher({ headers: { host: "x" } }), /"host"/);
    assert.throws(() => testFetcher({ originHeaders: new Map([["https://a", { host: "x" }]]) }), /"host"/);
    assert.throws(() => testFetcher({ headers: { a: "b\nc" } }), /"a"/);
    assert.throws(() => testFetcher({ userAgent: "näh\u{1f600}" }), /"user-agent"/);
    assert.throws(() => testFetcher({ acceptTypes: ["html"] }), /"html"/);
  });
});

describe("an answer", () => {
  it("keeps status line and fields as received", async () => {
    await using server = await rawServer((socket) =>
      socket.write(
        Buffer.from(
          "HTTP/1.1 299 Na\xefve Reason\r\ncOnTent-TYPE: text/html\r\nX-A: 1\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nX-L: caf\xe9\r\nX-Empty:\r\nContent-Length: 2\r\n\r\nok",
          "latin1",
        ),
      ),
    );
    await using fetcher = testFetcher();
    const page = await fetcher.response(server.url());
    assert.equal(page.status, 299);
    assert.equal(page.httpVersion, "1.1");
    assert.deepEqual(page.rawHeaders, [
      ...["cOnTent-TYPE", "text/html", "X-A", "1", "Set-Cookie", "a", "Set-Cookie", "b"],
      ...["X-L", "caf\xe9", "X-Empty", "", "Content-Length", "2"],
    ]);
    assert.match(page.statusText, /^Na.+ve Reason$/);
    assert.equal(text(page.body), "ok");
    assert.equal(page.decoded, page.body);
    assert.equal(page.decodeError, null);
    assert.equal(page.truncated, null);
    assert.equal(page.bodyRead, true);
  });

  it("is never said to have ended before it did, by a clock that tells whole milliseconds", async () => {
    const clock = { now: () => 5_000, sleep: () => new Promise<void>(() => {}) };
    await using server = await rawServer((socket) => socket.write(answer()));
    await using fetcher = testFetcher({ clock });
    const { startedAt, endedAt } = await fetcher.response(server.url());
    assert.deepEqual([startedAt, endedAt], [5_000, 5_001]);
  });

  it("of HTTP/1.0 ends with the connection", async () => {
    await using server = await rawServer((socket) =>
      socket.end("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nold but whole"),
    );
    await using fetcher = testFetcher();
    for (let i = 0; i < 2; i++) {
      const page = await fetcher.response(server.url());
      assert.deepEqual([page.httpVersion, text(page.body), page.truncated], ["1.0", "old but whole", null]);
    }
  });

  it("without a reason phrase has an empty one", async () => {
    await using server = await rawServer((socket) => socket.write("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"));
    await using fetcher = testFetcher();
    const page = await fetcher.response(server.url());
    assert.deepEqual([page.statusText, page.body.length, page.bodyRead], ["", 0, true]);
  });

  it("has its chunks joined and their frame removed", async () => {
    await using server = await rawServer((socket) =>
      socket.write(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;ext=1\r\nhello\r\n7\r\n, world\r\n0\r\nTrailer: x\r\n\r\n",
      ),
    );
    await using fetcher = testFetcher();
    const page = await fetcher.response(server.url());
    assert.deepEqual([text(page.body), page.truncated], ["hello, world", null]);
  });

  for (const status of ["204 No Content", "304 Not Modified"]) {
    it(`with status ${status} has no body, whatever its fields say`, async () => {
      await using server = await rawServer((socket) =>
        socket.write(`HTTP/1.1 ${status}\r\nContent-Type: image/png\r\nContent-Length: 10\r\n\r\n`),
      );
      await using fetcher = testFetcher({ acceptTypes: ["text/*"] });
      const page = await fetcher.response(server.url());
      assert.deepEqual([page.body.length, page.bodyRead, page.truncated], [0, true, null]);
    });
  }

  for (const status of ["204 No Content", "304 Not Modified"]) {
    it(`with status ${status} and a body that must not be there is taken without it, and the next answer is its own`, async () => {
      await using server = await rawServer((socket, head) =>
        socket.write(head.startsWith("GET /1") ? answer("stray bytes", "", status) : answer("next")),
      );
      await using fetcher = testFetcher();
      const page = await fetcher.response(server.url("/1"));
      assert.deepEqual([page.status, page.body.length, page.truncated], [Number(status.slice(0, 3)), 0, null]);
      assert.equal(text((await fetcher.response(server.url("/2"))).body), "next");
    });
  }

  it("is not disturbed by interim answers before it", async () => {
    await using server = await rawServer((socket, _, nth) => {
      if (nth === 1) socket.write("HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n");
      else if (nth === 2) socket.write("HTTP/1.1 100 Continue\r\n\r\n");
      if (nth === 3) socket.write(Buffer.concat([Buffer.from("HTTP/1.1 100 Continue\r\n\r\n"), answer("at once")]));
      else setTimeout(() => socket.write(answer("later", "X: 1\r\n")), 20);
    });
    await using fetcher = testFetcher();
    assert.deepEqual((await fetcher.response(server.url())).rawHeaders, ["X", "1", "Content-Length", "5"]);
    assert.equal(text((await fetcher.response(server.url())).body), "later");
    assert.equal(text((await fetcher.response(server.url())).body), "at once");
    assert.equal(server.accepted, 1);
  });

  it("has its head to the byte: blanks, folds, line ends, and in whatever pieces it comes", async () => {
    const head =
      "HTTP/1.1 200 Fine\r\nX-A:1\r\nX-B : \t2  \r\nX-C: a\r\n\tb\nX-D: caf\xe9\r\nContent-Length: 4\r\nContent-Length:4\r\n\r\n";
    const sound = "HTTP/1.1 200 Fine\r\nX-A:1\r\nX-B: \t2  \r\nContent-Length:   4\r\n\r\n";
    const hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n";
    const scripts: readonly (readonly [pieces: readonly string[], head: string])[] = [
      [[`${head}body`], head],
      [[`${sound}body`], sound],
      [[`${hints}${head}body`], head],
      [[hints, `${hints}${sound}`, "body"], sound],
      [[hints.slice(0, 30), hints.slice(30) + sound.slice(0, -3), `${sound.slice(-3)}bo`, "dy"], sound],
      [[...sound, ..."body"], sound],
    ];
    for (const [pieces, expected] of scripts) {
      await using server = await rawServer(async (socket) => {
        for (const piece of pieces) {
          socket.write(piece, "latin1");
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      });
      await using fetcher = testFetcher();
      for (let nth = 0; nth < 2; nth++) {
        const page = await fetcher.response(server.url());
        assert.deepEqual([page.rawHead, text(page.body)], [expected, "body"]);
      }
    }
  });

  it("that redirects is a value, with its body", async () => {
    await using server = await rawServer((socket) =>
      socket.write(answer("moved", "Location: http://127.0.0.1:1/\r\n", "302 Found")),
    );
    await using fetcher = testFetcher();
    const page = await fetcher.response(server.url());
    assert.deepEqual([page.status, text(page.body)], [302, "moved"]);
    assert.equal(server.heads.length, 1);
  });
});

describe("a body of an unwanted type", () => {
  const acceptTypes = ["text/*", "application/*+xml", "application/pdf"];
  const typed = (type: string) => answer("x".repeat(100), `Content-Type: ${type}\r\n`);

  it("is left unread and its connection closed", async () => {
    await using server = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 1000000000\r\n\r\n");
      const timer = setInterval(() => socket.write(Buffer.alloc(65_536)), 5);
      socket.on("close", () => clearInterval(timer));
    });
    await using fetcher = testFetcher({ acceptTypes });
    const page = await fetcher.response(server.url());
    assert.deepEqual([page.bodyRead, page.body.length, page.truncated], [false, 0, null]);
    assert.equal(page.status, 200);
    await until(() => server.open.size === 0);
  });

  for (const [type, read] of [
    ["text/html; charset=utf-8", true],
    ["TEXT/Plain", true],
    ["application/atom+xml", true],
    ["application/pdf;x=y", true],
    ["", true],
    ["nonsense", true],
    ["*/*", true],
    ["application/unknown", true],
    ["image/png", false],
    ["application/xml", false],
    ["application/pdfx", false],
    ["application/octet-stream", false],
  ] as const) {
    it(`is ${read ? "not " : ""}what "${type}" declares`, async () => {
      await using server = await rawServer((socket) => socket.write(typed(type)));
      await using fetcher = testFetcher({ acceptTypes });
      const page = await fetcher.response(server.url());
      assert.deepEqual([page.bodyRead, page.body.length], [read, read ? 100 : 0]);
    });
  }

  it("is read where no type was declared, where the status is no success, and for robots.txt and sitemaps", async () => {
    await using server = await rawServer((socket, head) => {
      if (head.startsWith("GET /untyped")) socket.write(answer("x".repeat(100), ""));
      else if (head.startsWith("GET /missing"))
        socket.write(answer("x".repeat(100), "Content-Type: image/png\r\n", "404 Not Found"));
      else socket.write(typed("application/octet-stream"));
    });
    await using fetcher = testFetcher({ acceptTypes });
    const pages = [
      await fetcher.response(server.url("/untyped")),
      await fetcher.response(server.url("/missing")),
      await fetcher.response(server.url("/robots.txt"), { purpose: "robots" }),
      await fetcher.response(server.url("/sitemap.xml.gz"), { purpose: "sitemap" }),
    ];
    for (const page of pages) assert.deepEqual([page.bodyRead, page.body.length], [true, 100]);
  });
});
