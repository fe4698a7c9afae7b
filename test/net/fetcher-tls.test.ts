/** The fetcher over TLS: whom it trusts, what it says when it does not, and HTTP/2. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import { type AddressInfo, createServer } from "node:net";
import { before, describe, it } from "node:test";
import tls, { type TLSSocket } from "node:tls";
import { answer, rawServer, testFetcher, text, until } from "./raw-server.ts";

const pem = (name: string): Buffer => readFileSync(new URL(`certificates/${name}.pem`, import.meta.url));
const identity = (name: string) => ({ cert: pem(name), key: pem("site.key") });

before(() => tls.setDefaultCACertificates([pem("authority").toString()]));

describe("over TLS", () => {
  it("a page comes from the pinned address, and its name is asked for and checked", async () => {
    const names: unknown[] = [];
    await using server = await rawServer((socket) => {
      names.push((socket as TLSSocket).servername);
      socket.write(answer("secret"));
    }, identity("site"));
    await using fetcher = testFetcher();
    assert.equal(text((await fetcher.response(server.url())).body), "secret");
    assert.equal(text((await fetcher.response(server.url("/2"))).body), "secret");
    assert.deepEqual(names, ["site.test", "site.test"]);
    assert.equal(server.accepted, 1);
  });

  it("a literal address needs no name", async () => {
    await using server = await rawServer((socket) => socket.write(answer("by number")), identity("site"));
    await using fetcher = testFetcher();
    assert.equal(text((await fetcher.response(`https://127.0.0.1:${server.port}/`)).body), "by number");
  });

  it("a second connection resumes the session of the first", async () => {
    const resumed: boolean[] = [];
    await using server = await rawServer((socket) => {
      resumed.push((socket as TLSSocket).isSessionReused());
      socket.write(answer("x"));
      setTimeout(() => socket.end(), 10);
    }, identity("site"));
    await using fetcher = testFetcher();
    for (let i = 0; i < 2; i++) {
      await fetcher.response(server.url());
      await until(() => server.open.size === 0);
    }
    assert.deepEqual(resumed, [false, true]);
  });

  for (const [certificate, code] of [
    ["expired", /^the certificate has expired \(CERT_HAS_EXPIRED\)$/],
    ["other", /^the certificate is for another name \(ERR_TLS_CERT_ALTNAME_INVALID\): Host: site\.test\..*other\.test/],
    ["self-signed", /^the certificate is self-signed \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/],
  ] as const) {
    it(`a certificate that is ${certificate} is a TLS failure in words and with its code, and no request is sent`, async () => {
      await using server = await rawServer((socket) => socket.write(answer()), identity(certificate));
      await using fetcher = testFetcher();
      const failure = await fetcher.failure(server.url());
      assert.equal(failure.cause, "tls");
      assert.match(failure.detail, code);
      assert.deepEqual(server.heads, []);
      await until(() => server.open.size === 0);
    });

    it(`a certificate that is ${certificate} is taken when told so`, async () => {
      await using server = await rawServer((socket) => socket.write(answer()), identity(certificate));
      await using fetcher = testFetcher({ insecure: true });
      assert.equal((await fetcher.response(server.url())).status, 200);
    });
  }

  it("a server that speaks plain HTTP is a TLS failure", async () => {
    await using fetcher = testFetcher();
    const talker = createServer((socket) => void socket.on("error", () => {}).end(answer())).listen(0, "127.0.0.1");
    await once(talker, "listening");
    const failure = await fetcher.failure(`https://site.test:${(talker.address() as AddressInfo).port}/`);
    assert.equal(failure.cause, "tls");
    assert.match(failure.detail, /does not speak TLS/);
    talker.close();
  });

  it("a server that hangs up during the handshake is a TLS failure", async () => {
    const rude = createServer((socket) => void socket.on("error", () => {}).once("data", () => socket.destroy()));
    rude.listen(0, "127.0.0.1");
    await once(rude, "listening");
    await using fetcher = testFetcher();
    const failure = await fetcher.failure(`https://site.test:${(rude.address() as AddressInfo).port}/`);
    assert.equal(failure.cause, "tls", failure.detail);
    assert.match(failure.detail, /hung up during the handshake/);
    rude.close();
  });

  it("and spoken to in plain HTTP, a TLS server is a failure", async () => {
    await using server = await rawServer(() => {}, identity("site"));
    await using fetcher = testFetcher();
    const failure = await fetcher.failure(server.url().replace("https:", "http:"));
    assert.ok(failure.cause === "protocol" || failure.cause === "closed", failure.cause);
  });
});

describe("over HTTP/2, when it is allowed", () => {
  it("many requests share one connection, and answers are as over HTTP/1", async () => {
    let sessions = 0;
    const server = createSecureServer({ ...identity("site"), allowHTTP1: true });
    server.on("session", () => sessions++);
    server.on("stream", (stream, head) => {
      const path = head[":path"];
      if (path === "/never") return;
      stream.respond({ ":status": 200, "content-type": "text/html", "set-cookie": ["a=1", "b=2"] });
      if (path === "/endless") stream.write("x");
      else if (path === "/long") stream.end("x".repeat(5_000));
      else stream.end(`you asked for ${path}`);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const base = `https://site.test:${(server.address() as AddressInfo).port}`;
    {
      await using fetcher = testFetcher({ http2: true, connectionsPerHost: 2 });
      const pages = await Promise.all(Array.from({ length: 30 }, (_, i) => fetcher.response(`${base}/${i}`)));
      for (const [i, page] of pages.entries()) {
        assert.deepEqual([page.httpVersion, page.status, text(page.body)], ["2", 200, `you asked for /${i}`]);
      }
      const cookies = pages[0]!.rawHeaders.filter((_, i, all) => all[i - 1] === "set-cookie");
      assert.deepEqual(cookies, ["a=1", "b=2"]);
      await using limited = testFetcher({ http2: true, firstByteMs: 1_500, totalMs: 3_000, maxBodyBytes: 1_000 });
      const [never, endless, long] = await Promise.all([
        limited.failure(`${base}/never`),
        limited.response(`${base}/endless`),
        limited.response(`${base}/long`),
      ]);
      assert.equal(never.cause, "timeout");
      assert.deepEqual([endless.truncated, text(endless.body)], ["time", "x"]);
      assert.deepEqual([long.truncated, long.body.length], ["length", 1_000]);
      assert.equal((await limited.response(`${base}/after`)).status, 200);
      // Two for the first fetcher, which asks twice before it knows that one will do, and as many as asked at once for the other.
      assert.ok(sessions <= 5, `${sessions} sessions`);
    }
    server.close();
  });

  it("a server that knows only HTTP/1.1 is spoken to in it", async () => {
    await using server = await rawServer((socket) => socket.write(answer()), identity("site"));
    await using fetcher = testFetcher({ http2: true });
    assert.equal((await fetcher.response(server.url())).httpVersion, "1.1");
  });
});
