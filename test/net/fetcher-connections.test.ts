/** The connections of the fetcher against real sockets: which are kept, which are replaced, and when they are let go. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answer, rawServer, testFetcher, text, until } from "./raw-server.ts";

describe("connections", () => {
  it("are kept and used again", async () => {
    await using server = await rawServer((socket) => socket.write(answer()));
    await using fetcher = testFetcher();
    for (let i = 0; i < 5; i++) await fetcher.response(server.url(`/${i}`));
    assert.equal(server.accepted, 1);
  });

  it("are not used again when the server says close", async () => {
    await using server = await rawServer((socket) => socket.write(answer("x", "Connection: close\r\n")));
    await using fetcher = testFetcher();
    for (let i = 0; i < 3; i++) assert.equal(text((await fetcher.response(server.url(`/${i}`))).body), "x");
    assert.equal(server.accepted, 3);
  });

  it("are as many as allowed, and the rest waits its turn", async () => {
    await using server = await rawServer((socket) => setTimeout(() => socket.write(answer()), 10));
    await using fetcher = testFetcher({ connectionsPerHost: 3 });
    await Promise.all(Array.from({ length: 20 }, (_, i) => fetcher.response(server.url(`/${i}`))));
    assert.equal(server.accepted, 3);
    assert.equal(new Set(server.heads.map((head) => head.split(" ")[1])).size, 20);
  });

  it("that the server closed just as a request was sent are replaced, once", async () => {
    await using server = await rawServer((socket, _, nth) => {
      if (nth === 1) socket.write(answer());
      else socket.resetAndDestroy();
    });
    await using fetcher = testFetcher();
    await fetcher.response(server.url("/first"));
    const page = await fetcher.response(server.url("/second"));
    assert.equal(page.status, 200);
    assert.deepEqual(
      server.heads.map((head) => head.split(" ")[1]),
      ["/first", "/second", "/second"],
    );
  });

  it("that were closed politely while a request was on its way are replaced as well", async () => {
    await using server = await rawServer((socket, _, nth) => {
      if (nth === 1) socket.write(answer());
      else socket.end();
    });
    await using fetcher = testFetcher();
    await fetcher.response(server.url("/first"));
    assert.equal((await fetcher.response(server.url("/second"))).status, 200);
  });

  it("that were closed while idle are opened again", async () => {
    await using server = await rawServer((socket) => socket.write(answer()));
    await using fetcher = testFetcher();
    for (let i = 0; i < 3; i++) {
      await fetcher.response(server.url());
      for (const socket of server.open) i === 1 ? socket.resetAndDestroy() : socket.end();
      await until(() => server.open.size === 0);
    }
    assert.equal(server.accepted, 3);
  });

  it("that break on a fresh connection are a failure, not tried again", async () => {
    await using server = await rawServer((socket) => socket.resetAndDestroy());
    await using fetcher = testFetcher();
    const failure = await fetcher.failure(server.url());
    assert.equal(failure.cause, "closed");
    assert.equal(server.heads.length, 1);
  });

  it("that break a second time are a failure", async () => {
    let good = true;
    await using server = await rawServer((socket) => {
      if (good) socket.write(answer());
      else socket.resetAndDestroy();
    });
    await using fetcher = testFetcher();
    await fetcher.response(server.url());
    good = false;
    assert.equal((await fetcher.failure(server.url())).cause, "closed");
    assert.equal(server.heads.length, 3);
  });

  it("are let go for the least recently used origin when there are too many", async () => {
    await using one = await rawServer((socket) => socket.write(answer()));
    await using two = await rawServer((socket) => socket.write(answer()));
    await using three = await rawServer((socket) => socket.write(answer()));
    await using fetcher = testFetcher({ maxHosts: 2 });
    for (const server of [one, two, one, three]) await fetcher.response(server.url());
    await until(() => two.open.size === 0);
    assert.deepEqual([one.open.size, three.open.size], [1, 1]);
  });

  it("in use are never let go, even when there are too many", async () => {
    await using one = await rawServer((socket) => setTimeout(() => socket.write(answer("one")), 30));
    await using two = await rawServer((socket) => setTimeout(() => socket.write(answer("two")), 30));
    await using fetcher = testFetcher({ maxHosts: 1 });
    const pages = await Promise.all([fetcher.response(one.url()), fetcher.response(two.url())]);
    assert.deepEqual(
      pages.map((page) => text(page.body)),
      ["one", "two"],
    );
    await fetcher.response(two.url());
    await until(() => one.open.size === 0);
    assert.equal(two.accepted, 1);
  });

  it("are all closed with the fetcher, and what is under way ends", async () => {
    await using server = await rawServer((socket, head) => {
      if (head.startsWith("GET /quick")) socket.write(answer());
    });
    const fetcher = testFetcher();
    await fetcher.response(server.url("/quick"));
    const pending = fetcher.failure(server.url("/never"));
    await until(() => server.heads.length === 2);
    await fetcher[Symbol.asyncDispose]();
    assert.deepEqual([(await pending).cause, (await pending).detail], ["timeout", "aborted"]);
    await until(() => server.open.size === 0);
    assert.equal((await fetcher.failure(server.url())).detail, "aborted");
  });
});
