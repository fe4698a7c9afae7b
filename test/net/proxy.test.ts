/** The fetcher by way of proxies: where it connects, what the proxy is told, and what becomes of a proxy's faults. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import { type AddressInfo, createServer } from "node:net";
import { before, describe, it } from "node:test";
import tls from "node:tls";
import fc from "fast-check";
import type { FetcherOptions } from "../../src/net/fetcher.ts";
import { type ProxyServer, parseProxy, unreachable } from "../../src/net/proxy.ts";
import { httpProxy, socksProxy, type TestProxy, type TestProxyOptions } from "./proxies.ts";
import { answer, rawServer, testFetcher, text, until } from "./raw-server.ts";

const pem = (name: string): Buffer => readFileSync(new URL(`certificates/${name}.pem`, import.meta.url));
const identity = (name: string) => ({ cert: pem(name), key: pem("site.key") });

function proxyAt(url: string): ProxyServer {
  const parsed = parseProxy(url);
  assert.ok(parsed.ok);
  return parsed.value;
}

const KINDS: readonly (readonly [string, (options?: TestProxyOptions) => Promise<TestProxy>])[] = [
  ["http", httpProxy],
  ["https", (options) => httpProxy({ ...options, tls: identity("site") })],
  ["socks5", socksProxy],
];

before(() => tls.setDefaultCACertificates([pem("authority").toString()]));

for (const [kind, start] of KINDS)
  describe(`a proxy spoken to by ${kind}`, () => {
    const fetcherVia = (proxy: TestProxy, more: Partial<FetcherOptions> = {}, credentials = "") =>
      testFetcher({ proxy: proxyAt(`${kind}://${credentials}127.0.0.1:${proxy.port}`), ...more });
    const word = kind === "socks5" ? "SOCKS" : "CONNECT";

    it("is led to the checked address, not to a name", async () => {
      await using server = await rawServer((socket) => socket.write(answer("through")));
      await using proxy = await start();
      await using fetcher = fetcherVia(proxy);
      const page = await fetcher.response(server.url());
      assert.equal(text(page.body), "through");
      assert.equal(page.address, "127.0.0.1");
      assert.deepEqual(proxy.asked, [`${word} 127.0.0.1:${server.port}`]);
      assert.deepEqual(server.heads, [page.requestHead]);
    });

    it("carries TLS whose certificate is checked against the target's name", async () => {
      await using server = await rawServer((socket) => socket.write(answer("secret")), identity("site"));
      await using other = await rawServer((socket) => socket.write(answer()), identity("other"));
      await using proxy = await start();
      await using fetcher = fetcherVia(proxy);
      assert.equal(text((await fetcher.response(server.url())).body), "secret");
      const failure = await fetcher.failure(other.url());
      assert.deepEqual([failure.cause, /another name/.test(failure.detail)], ["tls", true]);
    });

    it("is used again for the next request without being asked again", async () => {
      await using server = await rawServer((socket) => socket.write(answer()));
      await using proxy = await start();
      await using fetcher = fetcherVia(proxy);
      for (let i = 0; i < 3; i++) await fetcher.response(server.url(`/${i}`));
      assert.deepEqual([proxy.asked.length, server.accepted], [1, 1]);
    });

    it("gets user and password, which no server sees and no archive", async () => {
      await using server = await rawServer((socket) => socket.write(answer()));
      await using proxy = await start({ credentials: "me:p@ss" });
      await using fetcher = fetcherVia(proxy, {}, "me:p%40ss@");
      const page = await fetcher.response(server.url());
      assert.doesNotMatch(server.heads[0]! + page.requestHead, /proxy-auth/i);
    });

    it("that is not content with user and password is a failure to connect that says so", async () => {
      await using server = await rawServer((socket) => socket.write(answer()));
      await using proxy = await start({ credentials: "me:right" });
      for (const credentials of ["", "me:hunter2@"]) {
        await using fetcher = fetcherVia(proxy, {}, credentials);
        const failure = await fetcher.failure(server.url());
        assert.equal(failure.cause, "connect");
        assert.match(failure.detail, /user (and|or) a? ?password/);
        assert.doesNotMatch(failure.detail, /hunter2/);
      }
      assert.equal(server.accepted, 0);
    });

    it("that says no, or cannot reach the target, is a failure to connect", async () => {
      await using server = await rawServer((socket) => socket.write(answer()));
      await using refusing = await start({ refuses: true });
      await using fetcher = fetcherVia(refusing);
      const refused = await fetcher.failure(server.url());
      assert.deepEqual([refused.cause, /403|not allowed/.test(refused.detail)], ["connect", true], refused.detail);
      await using proxy = await start();
      await using second = fetcherVia(proxy);
      const gone = await second.failure("http://site.test:1/");
      assert.deepEqual([gone.cause, /502|refused/.test(gone.detail)], ["connect", true], gone.detail);
    });

    it("is told nothing of an address that the guard refuses", async () => {
      await using proxy = await start();
      await using fetcher = fetcherVia(proxy, { guard: () => "no" });
      assert.equal((await fetcher.failure("http://site.test/")).cause, "refused-address");
      assert.deepEqual(proxy.asked, []);
    });

    it("looks names up when told so", async () => {
      await using server = await rawServer((socket) => socket.write(answer("by name")));
      await using secure = await rawServer((socket) => socket.write(answer("by name")), identity("site"));
      await using proxy = await start({ credentials: "me:right" });
      await using fetcher = fetcherVia(proxy, { proxyLooksUp: true, guard: () => null }, "me:right@");
      const page = await fetcher.response(server.url("/a?b"), { address: "site.test" });
      assert.equal(text(page.body), "by name");
      assert.match(page.requestHead, /^GET \/a\?b HTTP/);
      assert.match(server.heads[0]!, /^GET \/a\?b HTTP/);
      assert.doesNotMatch(page.requestHead, /proxy/);
      await fetcher.response(secure.url(), { address: "site.test" });
      assert.deepEqual(proxy.asked, [
        kind === "socks5" ? `SOCKS site.test:${server.port}` : `GET http://site.test:${server.port}/a?b`,
        `${word} site.test:${secure.port}`,
      ]);
    });

    it("that nobody runs is a failure to connect that names it", async () => {
      const proxy = await start();
      await proxy[Symbol.asyncDispose]();
      await using fetcher = fetcherVia(proxy, {}, "me:secret@");
      const failure = await fetcher.failure("http://site.test:1/");
      assert.equal(failure.cause, "connect");
      assert.match(
        failure.detail,
        new RegExp(`proxy ${kind}://127.0.0.1:${proxy.port} cannot be reached: ECONNREFUSED`),
      );
      assert.match((await unreachable(proxyAt(`${kind}://127.0.0.1:${proxy.port}`), 1_000))!, /ECONNREFUSED/);
    });

    it("that takes connections and says nothing is given up at the deadline", async () => {
      await using silent = await rawServer(() => {});
      await using fetcher = testFetcher({ proxy: proxyAt(`${kind}://127.0.0.1:${silent.port}`), connectMs: 100 });
      const failure = await fetcher.failure("http://site.test:1/");
      assert.deepEqual([failure.cause, failure.detail], ["timeout", "not connected within 100 ms"]);
      await until(() => silent.open.size === 0);
    });

    it("that talks nonsense, or hangs up, is a failure to connect", async () => {
      for (const words of ["SSH-2.0-OpenSSH_9.2\r\n", ""]) {
        const rude = createServer((socket) => void socket.on("error", () => {}).once("data", () => socket.end(words)));
        rude.listen(0, "127.0.0.1");
        await once(rude, "listening");
        await using fetcher = testFetcher({
          proxy: proxyAt(`${kind}://127.0.0.1:${(rude.address() as AddressInfo).port}`),
          connectMs: 2_000,
        });
        const failure = await fetcher.failure("http://site.test:1/");
        assert.equal(failure.cause, "connect", failure.detail);
        rude.close();
      }
    });
  });

describe("a proxy", () => {
  it("carries HTTP/2", async () => {
    const server = createSecureServer(identity("site"), (_, response) => void response.end("two"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    {
      await using proxy = await httpProxy();
      await using fetcher = testFetcher({ proxy: proxyAt(`http://127.0.0.1:${proxy.port}`), http2: true });
      const page = await fetcher.response(`https://site.test:${(server.address() as AddressInfo).port}/`);
      assert.deepEqual([page.httpVersion, text(page.body)], ["2", "two"]);
    }
    server.close();
  });

  it("is led to an IPv6 address as SOCKS 5 writes it", async () => {
    await using proxy = await socksProxy({ refuses: true });
    await using fetcher = testFetcher({ proxy: proxyAt(`socks5://127.0.0.1:${proxy.port}`), guard: () => null });
    for (const address of ["2606:4700::1111", "64:ff9b::192.0.2.33", "::1"])
      await fetcher.failure("http://site.test:80/", { address });
    assert.deepEqual(proxy.asked, [
      "SOCKS 26064700000000000000000000001111:80",
      "SOCKS 0064ff9b0000000000000000c0000221:80",
      "SOCKS 00000000000000000000000000000001:80",
    ]);
  });
});

describe("parseProxy", () => {
  it("reads scheme, host, port and credentials", () => {
    assert.deepEqual(parseProxy("http://proxy.example"), {
      ok: true,
      value: { kind: "http", host: "proxy.example", port: 80, credentials: null, looksUp: false },
    });
    assert.deepEqual(parseProxy("socks5h://a%3Ab:c%40d@[::1]:9050"), {
      ok: true,
      value: {
        kind: "socks5",
        host: "::1",
        port: 9050,
        credentials: { user: "a:b", password: "c@d" },
        looksUp: true,
      },
    });
    assert.equal((parseProxy("https://p:444/") as { value: ProxyServer }).value.port, 444);
    assert.equal((parseProxy("socks5://p") as { value: ProxyServer }).value.port, 1080);
  });

  for (const bad of [
    "",
    "proxy:3128",
    "ftp://p",
    "httph://p",
    "socks4://p",
    "http://p/path",
    "http://p/?q",
    "http://%:x@p",
  ])
    it(`refuses "${bad}"`, () => assert.equal(parseProxy(bad).ok, false));

  it("never throws", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.webUrl()), (word) => void parseProxy(word)));
  });
});
