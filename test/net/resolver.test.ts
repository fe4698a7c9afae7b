/** DNS against a real server on loopback, with a clock that the test owns. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Answer, decode, encode } from "dns-packet";
import type { Clock } from "../../src/base/clock.ts";
import { parseHosts } from "../../src/net/hosts-file.ts";
import { dnsResolver, type ResolverOptions } from "../../src/net/resolver.ts";

type Said = readonly Answer[] | "nxdomain" | "servfail" | "silence";

interface Server extends AsyncDisposable {
  readonly servers: readonly string[];
  /** Every question as "TYPE name", in order. */
  readonly asked: string[];
  say: (type: string, name: string) => Said;
}

async function server(say: Server["say"]): Promise<Server> {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  const self = { asked, say, servers: [] as string[], [Symbol.asyncDispose]: async () => void socket.close() };
  socket.on("message", (message, from) => {
    const query = decode(message);
    const { type, name } = query.questions![0]!;
    asked.push(`${type} ${name}`);
    const said = self.say(type, name);
    if (said === "silence") return;
    const rcode = said === "nxdomain" ? 3 : said === "servfail" ? 2 : 0;
    const answers = typeof said === "string" ? [] : [...said];
    const reply = { type: "response", id: query.id!, flags: 0x180 | rcode, questions: query.questions!, answers };
    socket.send(encode(reply as never), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  self.servers = [`127.0.0.1:${(socket.address() as AddressInfo).port}`];
  return self;
}

const a = (name: string, data: string, ttl = 300): Answer => ({ type: "A", name, data, ttl });
const aaaa = (name: string, data: string, ttl = 300): Answer => ({ type: "AAAA", name, data, ttl });

/** Time stands still but for `time`; sleepers wake only when their signal aborts. */
function ownClock(): Clock & { time: number } {
  return {
    time: 1_000_000,
    now() {
      return this.time;
    },
    sleep: (_ms, signal) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve())),
  };
}

const quick = { timeoutMs: 200, tries: 1 } satisfies Partial<ResolverOptions>;

describe("the resolver", () => {
  it("gives all addresses of both families, IPv4 first, each once", async () => {
    await using dns = await server((type, name) =>
      type === "A" ? [a(name, "192.0.2.1"), a(name, "192.0.2.2"), a(name, "192.0.2.1")] : [aaaa(name, "2001:db8::1")],
    );
    const resolver = dnsResolver({ clock: ownClock(), servers: dns.servers });
    assert.deepEqual(await resolver.resolve("both.test"), {
      ok: true,
      value: ["192.0.2.1", "192.0.2.2", "2001:db8::1"],
    });
  });

  it("follows aliases", async () => {
    await using dns = await server((type, name) =>
      type === "A"
        ? [
            { type: "CNAME", name, data: "b.test", ttl: 300 },
            { type: "CNAME", name: "b.test", data: "c.test", ttl: 300 },
            a("c.test", "192.0.2.7"),
          ]
        : [],
    );
    const resolver = dnsResolver({ clock: ownClock(), servers: dns.servers });
    assert.deepEqual(await resolver.resolve("a.test"), { ok: true, value: ["192.0.2.7"] });
  });

  it("asks once for many who wait for one name, in any spelling", async () => {
    await using dns = await server((type, name) => (type === "A" ? [a(name, "192.0.2.1")] : []));
    const resolver = dnsResolver({ clock: ownClock(), servers: dns.servers });
    const all = await Promise.all(["x.test", "X.Test", "x.test.", "x.test"].map((name) => resolver.resolve(name)));
    for (const answer of all) assert.deepEqual(answer, { ok: true, value: ["192.0.2.1"] });
    assert.deepEqual(dns.asked.sort(), ["A x.test", "AAAA x.test"]);
  });

  it("keeps an answer as long as its shortest TTL, then asks again", async () => {
    await using dns = await server((type, name) =>
      type === "A" ? [a(name, "192.0.2.1", 300), a(name, "192.0.2.2", 100)] : [aaaa(name, "2001:db8::1", 200)],
    );
    const clock = ownClock();
    const resolver = dnsResolver({ clock, servers: dns.servers });
    await resolver.resolve("ttl.test");
    clock.time += 99_999;
    await resolver.resolve("ttl.test");
    assert.equal(dns.asked.length, 2);
    clock.time += 1;
    await resolver.resolve("ttl.test");
    assert.equal(dns.asked.length, 4);
  });

  it("bounds the TTL from below and above", async () => {
    await using dns = await server((type, name) =>
      type === "A" ? [a(name, "192.0.2.1", name === "zero.test" ? 0 : 2 ** 31 - 1)] : [],
    );
    const clock = ownClock();
    const resolver = dnsResolver({ clock, servers: dns.servers, minTtlMs: 5_000, maxTtlMs: 60_000 });
    const count = async (name: string) => {
      await resolver.resolve(name);
      return dns.asked.filter((line) => line.endsWith(name)).length;
    };
    assert.deepEqual([await count("zero.test"), await count("long.test")], [2, 2]);
    clock.time += 4_999;
    assert.deepEqual([await count("zero.test"), await count("long.test")], [2, 2]);
    clock.time += 1;
    assert.deepEqual([await count("zero.test"), await count("long.test")], [4, 2]);
    clock.time += 55_000;
    assert.deepEqual([await count("zero.test"), await count("long.test")], [6, 4]);
  });

  it("remembers that a name is not there, or has no address, for a while", async () => {
    await using dns = await server((_, name) => (name === "gone.test" ? "nxdomain" : []));
    const clock = ownClock();
    const resolver = dnsResolver({ clock, servers: dns.servers, negativeTtlMs: 10_000 });
    for (const [name, detail] of [
      ["gone.test", "ENOTFOUND"],
      ["empty.test", "ENODATA"],
    ] as const) {
      dns.asked.length = 0;
      assert.deepEqual(await resolver.resolve(name), { ok: false, error: { kind: "none", detail } });
      clock.time += 9_999;
      await resolver.resolve(name);
      assert.equal(dns.asked.length, 2);
      clock.time += 1;
      await resolver.resolve(name);
      assert.equal(dns.asked.length, 4);
    }
  });

  it("tells a server's failure from a missing name, and asks again soon", async () => {
    await using dns = await server(() => "servfail");
    const clock = ownClock();
    const resolver = dnsResolver({ clock, servers: dns.servers, ...quick });
    const first = await resolver.resolve("fail.test");
    assert.deepEqual(first, { ok: false, error: { kind: "failed", detail: "ESERVFAIL" } });
    const before = dns.asked.length;
    await resolver.resolve("fail.test");
    assert.equal(dns.asked.length, before);
    clock.time += 1_000;
    dns.say = (type, name) => (type === "A" ? [a(name, "192.0.2.1")] : []);
    assert.deepEqual(await resolver.resolve("fail.test"), { ok: true, value: ["192.0.2.1"] });
  });

  it("ends when no server answers", async () => {
    await using dns = await server(() => "silence");
    const resolver = dnsResolver({ clock: ownClock(), servers: dns.servers, ...quick });
    const answer = await resolver.resolve("silent.test");
    assert.deepEqual(answer, { ok: false, error: { kind: "failed", detail: "ETIMEOUT" } });
  });

  it("takes one family when the other fails", async () => {
    await using dns = await server((type, name) => (type === "A" ? "servfail" : [aaaa(name, "2001:db8::1")]));
    const resolver = dnsResolver({ clock: ownClock(), servers: dns.servers, ...quick });
    assert.deepEqual(await resolver.resolve("six.test"), { ok: true, value: ["2001:db8::1"] });
  });

  it("does not say that a name has no address when half of the question failed", async () => {
    await using dns = await server((type) => (type === "A" ? [] : "servfail"));
    const resolver = dnsResolver({ clock: ownClock(), servers: dns.servers, ...quick });
    const answer = await resolver.resolve("half.test");
    assert.equal(!answer.ok && answer.error.kind, "failed");
  });

  it("gives the old answer while servers fail, for a day at most", async () => {
    await using dns = await server((type, name) => (type === "A" ? [a(name, "192.0.2.1", 60)] : []));
    const clock = ownClock();
    const resolver = dnsResolver({ clock, servers: dns.servers, ...quick });
    await resolver.resolve("stale.test");
    dns.say = () => "servfail";
    clock.time += 61_000;
    assert.deepEqual(await resolver.resolve("stale.test"), { ok: true, value: ["192.0.2.1"] });
    const asked = dns.asked.length;
    clock.time += 29_999;
    assert.deepEqual(await resolver.resolve("stale.test"), { ok: true, value: ["192.0.2.1"] });
    assert.equal(dns.asked.length, asked, "the stale answer stands for 30 s");
    clock.time += 86_400_000;
    assert.equal((await resolver.resolve("stale.test")).ok, false);
  });

  it("does not keep an old answer for a name that is gone", async () => {
    await using dns = await server((type, name) => (type === "A" ? [a(name, "192.0.2.1", 60)] : []));
    const clock = ownClock();
    const resolver = dnsResolver({ clock, servers: dns.servers });
    await resolver.resolve("left.test");
    dns.say = () => "nxdomain";
    clock.time += 61_000;
    assert.equal((await resolver.resolve("left.test")).ok, false);
  });

  it("forgets the name least recently asked for when the cache is full", async () => {
    await using dns = await server((type, name) => (type === "A" ? [a(name, "192.0.2.1")] : []));
    const resolver = dnsResolver({ clock: ownClock(), servers: dns.servers, cacheSize: 2 });
    for (const name of ["one.test", "two.test", "one.test", "three.test"]) await resolver.resolve(name);
    dns.asked.length = 0;
    await resolver.resolve("one.test");
    assert.deepEqual(dns.asked, []);
    await resolver.resolve("two.test");
    assert.equal(dns.asked.length, 2);
  });

  it("answers IP literals and the names of loopback itself", async () => {
    await using dns = await server(() => "nxdomain");
    const resolver = dnsResolver({ clock: ownClock(), servers: dns.servers });
    assert.deepEqual(await resolver.resolve("192.0.2.1"), { ok: true, value: ["192.0.2.1"] });
    assert.deepEqual(await resolver.resolve("[2001:db8::1]"), { ok: true, value: ["2001:db8::1"] });
    assert.deepEqual(await resolver.resolve("2001:db8::1"), { ok: true, value: ["2001:db8::1"] });
    assert.deepEqual(await resolver.resolve("localhost"), { ok: true, value: ["127.0.0.1", "::1"] });
    assert.deepEqual(await resolver.resolve("a.localhost"), { ok: true, value: ["127.0.0.1", "::1"] });
    assert.deepEqual(dns.asked, []);
  });

  it("takes any text for a name without throwing", async () => {
    await using dns = await server(() => "nxdomain");
    const resolver = dnsResolver({ clock: ownClock(), servers: dns.servers, ...quick });
    for (const name of ["", ".", "a..b", "x".repeat(64), `${"x.".repeat(200)}y`, "[x", "a b", "ü", "a\0b", "%"]) {
      const answer = await resolver.resolve(name);
      assert.equal(answer.ok, false, JSON.stringify(name));
    }
  });

  it("reads the hosts file when no servers are given", async () => {
    const dir = await mkdtemp(join(tmpdir(), "trawl-hosts-"));
    try {
      const hostsFile = join(dir, "hosts");
      await writeFile(hostsFile, "192.0.2.9 intranet wiki # ours\n");
      const resolver = dnsResolver({ clock: ownClock(), hostsFile });
      assert.deepEqual(await resolver.resolve("WIKI"), { ok: true, value: ["192.0.2.9"] });
      assert.deepEqual(await resolver.resolve("intranet."), { ok: true, value: ["192.0.2.9"] });
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  it("throws when a server is not an address", () => {
    assert.throws(() => dnsResolver({ clock: ownClock(), servers: ["dns.example"] }));
  });
});

describe("the hosts file", () => {
  it("joins the lines of a name, IPv4 first, and skips what is not an entry", () => {
    const hosts = parseHosts("# c\n::1 a b\n\n127.0.0.1\ta  # x\nnonsense a\n 192.0.2.1 A.\r\n127.0.0.1 a\n");
    assert.deepEqual(hosts.get("a"), ["127.0.0.1", "192.0.2.1", "::1"]);
    assert.deepEqual(hosts.get("b"), ["::1"]);
    assert.equal(hosts.size, 2);
  });
});
