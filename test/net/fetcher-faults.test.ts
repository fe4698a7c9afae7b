/** The fetcher and servers that break, lie, stall, flood or never end: each becomes a value, in bounded time and memory. */
import assert from "node:assert/strict";
import { getEventListeners, once } from "node:events";
import { createServer } from "node:net";
import { describe, it } from "node:test";
import { answer, rawServer, testFetcher, text, until } from "./raw-server.ts";

describe("the address guard", () => {
  it("is asked again when connecting", async () => {
    await using server = await rawServer((socket) => socket.write(answer()));
    await using fetcher = testFetcher({ guard: (address) => `no to ${address}` });
    const failure = await fetcher.failure(server.url());
    assert.equal(failure.cause, "refused-address");
    assert.match(failure.detail, /no to 127\.0\.0\.1/);
    assert.equal(server.accepted, 0);
  });

  it("refuses what is no address, so that nothing is looked up", async () => {
    await using server = await rawServer((socket) => socket.write(answer()));
    await using fetcher = testFetcher();
    for (const address of ["localhost", "127.1", "::ffff:127.0.0.1%lo", ""]) {
      assert.equal((await fetcher.failure(server.url(), { address })).cause, "refused-address");
    }
    assert.equal(server.accepted, 0);
  });
});

describe("a server that cannot be reached", () => {
  it("is a failure to connect, with the system's code", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as { port: number };
    closed.close();
    await once(closed, "close");
    await using fetcher = testFetcher();
    for (let i = 0; i < 2; i++) {
      const failure = await fetcher.failure(`http://site.test:${port}/`);
      assert.equal(failure.cause, "connect");
      assert.match(failure.detail, /ECONNREFUSED/);
      assert.match(failure.requestHead, /^GET \/ HTTP\/1\.1\r\nhost: site\.test/);
    }
  });

  it("that accepts connections and does no TLS is given up at the deadline, and the next request fares better", async () => {
    await using server = await rawServer(() => {});
    await using fetcher = testFetcher({ connectMs: 100, connectionsPerHost: 1 });
    const href = server.url().replace("http:", "https:");
    const [first, second] = await Promise.all([fetcher.failure(href), fetcher.failure(href)]);
    assert.deepEqual([first.cause, second.cause], ["timeout", "timeout"]);
    assert.match(first.detail, /not connected within 100 ms/);
    await until(() => server.accepted === 2 && server.open.size === 0);
  });
});

describe("a server that stalls", () => {
  it("before its answer is a timeout", async () => {
    await using server = await rawServer(() => {});
    await using fetcher = testFetcher({ firstByteMs: 100 });
    const failure = await fetcher.failure(server.url());
    assert.deepEqual([failure.cause, failure.detail], ["timeout", "no answer within 100 ms"]);
    await until(() => server.open.size === 0);
  });

  it("within its head is a timeout, however slowly bytes come", async () => {
    await using server = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const timer = setInterval(() => socket.write("X: y\r\n"), 10);
      socket.on("close", () => clearInterval(timer));
    });
    await using fetcher = testFetcher({ firstByteMs: 150 });
    assert.equal((await fetcher.failure(server.url())).cause, "timeout");
    await until(() => server.open.size === 0);
  });

  it("within its body gives what came, marked cut by time, even if bytes keep coming", async () => {
    await using server = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
      const timer = setInterval(() => socket.write("drip "), 10);
      socket.on("close", () => clearInterval(timer));
    });
    await using fetcher = testFetcher({ totalMs: 1_500 });
    const page = await fetcher.response(server.url());
    assert.equal(page.truncated, "time");
    assert.match(text(page.body), /^(?:drip )+$/);
    await until(() => server.open.size === 0);
  });

  it("holds up only those who wait for its connection, and not for ever", async () => {
    await using server = await rawServer(() => {});
    await using fetcher = testFetcher({ connectionsPerHost: 1, totalMs: 150 });
    const failures = await Promise.all([1, 2, 3].map(() => fetcher.failure(server.url())));
    for (const failure of failures) {
      assert.deepEqual([failure.cause, failure.detail], ["timeout", "not done within 150 ms"]);
    }
  });
});

describe("a server that breaks off", () => {
  it("before its answer is a connection closed", async () => {
    await using server = await rawServer((socket) => socket.end());
    await using fetcher = testFetcher();
    assert.equal((await fetcher.failure(server.url())).cause, "closed");
  });

  it("within its head is a connection closed", async () => {
    await using server = await rawServer((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-"));
    await using fetcher = testFetcher();
    assert.equal((await fetcher.failure(server.url())).cause, "closed");
  });

  for (const [how, body] of [
    ["short of its Content-Length", "Content-Length: 100\r\n\r\npartial"],
    ["short of its Content-Length and says close", "Connection: close\r\nContent-Length: 100\r\n\r\npartial"],
    ["within a chunk", "Transfer-Encoding: chunked\r\n\r\n64\r\npartial"],
    ["between chunks", "Transfer-Encoding: chunked\r\n\r\n7\r\npartial\r\n"],
  ] as const) {
    for (const reset of [false, true]) {
      it(`${how} (${reset ? "reset" : "closed"}) gives what came, marked`, async () => {
        await using server = await rawServer((socket) => {
          socket.write(`HTTP/1.1 200 OK\r\n${body}`);
          setTimeout(() => (reset ? socket.resetAndDestroy() : socket.end()), 20);
        });
        await using fetcher = testFetcher();
        const page = await fetcher.response(server.url());
        assert.deepEqual([text(page.body), text(page.decoded), page.truncated], ["partial", "partial", "disconnect"]);
      });
    }
  }

  it("with fewer chunk bytes than HTTP allows is cut where it stopped making sense", async () => {
    await using server = await rawServer((socket) =>
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\npartial\r\nzz\r\n"),
    );
    await using fetcher = testFetcher();
    const page = await fetcher.response(server.url());
    assert.deepEqual([text(page.body), page.truncated], ["partial", "unspecified"]);
  });
});

describe("a server that does not speak HTTP", () => {
  const nonsense = {
    "another protocol": "SSH-2.0-OpenSSH_9.2\r\n",
    "nonsense after the version": "HTTP/1.1 abc OK\r\n\r\n",
    "a status below 100": "HTTP/1.1 099 Hm\r\n\r\n",
    "two lengths that differ": "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "a length that is no number": "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nab",
    "a switch of protocols": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
    "interim answers without end": "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(50),
    "NUL bytes": "\0\0\0\0\0\0\0\0",
  };
  for (const [what, bytes] of Object.entries(nonsense)) {
    it(`(${what}) is a protocol error`, async () => {
      await using server = await rawServer((socket) => socket.write(bytes));
      await using fetcher = testFetcher();
      const failure = await fetcher.failure(server.url());
      assert.equal(failure.cause, "protocol", failure.detail);
      await until(() => server.open.size === 0);
    });
  }
});

describe("a server that floods", () => {
  it("with header fields is cut off", async () => {
    await using server = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const flood = () => {
        while (!socket.destroyed && socket.write(`X-${"a".repeat(50)}: ${"b".repeat(1_000)}\r\n`));
      };
      socket.on("drain", flood);
      flood();
    });
    await using fetcher = testFetcher();
    const failure = await fetcher.failure(server.url());
    assert.equal(failure.cause, "protocol");
    assert.match(failure.detail, /UND_ERR_HEADERS_OVERFLOW/);
    await until(() => server.open.size === 0);
  });

  it("with a body without end is cut at exactly the limit", async () => {
    await using server = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
      const flood = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(30_000, "x")));
      };
      socket.on("drain", flood);
      flood();
    });
    await using fetcher = testFetcher({ maxBodyBytes: 100_001 });
    const page = await fetcher.response(server.url());
    assert.deepEqual([page.body.length, page.decoded.length, page.truncated], [100_001, 100_001, "length"]);
    await until(() => server.open.size === 0);
  });

  it("with a body of exactly the limit is read whole", async () => {
    await using server = await rawServer((socket) => socket.write(answer("x".repeat(1_000))));
    await using fetcher = testFetcher({ maxBodyBytes: 1_000 });
    const page = await fetcher.response(server.url());
    assert.deepEqual([page.body.length, page.truncated], [1_000, null]);
  });

  it("on an error page is cut at one MiB, on robots.txt at 512 KiB", async () => {
    const long = Buffer.alloc(2 * 1024 * 1024, "x");
    await using server = await rawServer((socket, head) =>
      socket.write(answer(long, "", head.startsWith("GET /robots") ? "200 OK" : "500 Oops")),
    );
    await using fetcher = testFetcher();
    const error = await fetcher.response(server.url("/"));
    assert.deepEqual([error.body.length, error.truncated], [1024 * 1024, "length"]);
    const robots = await fetcher.response(server.url("/robots.txt"), { purpose: "robots" });
    assert.deepEqual([robots.body.length, robots.truncated], [512 * 1024, "length"]);
  });

  it("with an answer that nobody asked for harms no request", async () => {
    await using server = await rawServer((socket) => {
      socket.write(answer("first"));
      setTimeout(() => socket.write(answer("unasked")), 10);
    });
    await using fetcher = testFetcher();
    assert.equal(text((await fetcher.response(server.url("/1"))).body), "first");
    await until(() => server.open.size === 0);
    assert.equal(text((await fetcher.response(server.url("/2"))).body), "first");
  });
});

describe("an abort", () => {
  const stages = {
    "while waiting for a connection": { path: "/never", ahead: true },
    "before the answer": { path: "/never", ahead: false },
    "within the body": { path: "/endless", ahead: false },
  };
  for (const [when, { path, ahead }] of Object.entries(stages)) {
    it(`${when} ends the fetch and closes what it used`, async () => {
      await using server = await rawServer((socket, head) => {
        if (head.startsWith("GET /endless")) socket.write("HTTP/1.1 200 OK\r\n\r\nx");
        if (head.startsWith("GET /quick")) socket.write(answer());
      });
      await using fetcher = testFetcher({ connectionsPerHost: 1 });
      const first = new AbortController();
      const pending = ahead ? fetcher.get(server.url("/never"), {}, first.signal) : null;
      const abort = new AbortController();
      const fetching = fetcher.get(server.url(path), {}, abort.signal);
      await until(() => server.heads.length === 1);
      abort.abort();
      const result = await fetching;
      assert.equal(result.kind, "failure");
      assert.deepEqual(result.kind === "failure" && [result.cause, result.detail], ["timeout", "aborted"]);
      first.abort();
      await pending;
      await until(() => server.open.size === 0);
      assert.equal((await fetcher.response(server.url("/quick"))).status, 200);
    });
  }

  it("while connecting ends the fetch and the attempt, and those who wait go on", async () => {
    await using server = await rawServer(() => {});
    await using fetcher = testFetcher({ connectionsPerHost: 1, connectMs: 1_000 });
    const href = server.url().replace("http:", "https:");
    const abort = new AbortController();
    const fetching = fetcher.get(href, {}, abort.signal);
    const waiting = fetcher.failure(href);
    await until(() => server.accepted === 1);
    abort.abort();
    const result = await fetching;
    assert.deepEqual(result.kind === "failure" && result.detail, "aborted");
    assert.match((await waiting).detail, /not connected/);
    await until(() => server.accepted === 2 && server.open.size === 0);
  });

  it("before it begins sends nothing", async () => {
    await using server = await rawServer((socket) => socket.write(answer()));
    await using fetcher = testFetcher();
    const result = await fetcher.get(server.url(), {}, AbortSignal.abort());
    assert.equal(result.kind === "failure" && result.detail, "aborted");
    assert.equal(server.accepted, 0);
  });

  it("after the end does nothing, and leaves no listener behind", async () => {
    await using server = await rawServer((socket) => socket.write(answer()));
    await using fetcher = testFetcher();
    const abort = new AbortController();
    const { signal } = abort;
    await fetcher.get(server.url(), {}, signal);
    assert.equal(getEventListeners(signal, "abort").length, 0);
    abort.abort();
    assert.equal((await fetcher.response(server.url())).status, 200);
    assert.equal(server.accepted, 1);
  });
});
