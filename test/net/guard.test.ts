/** The address guard: only global unicast passes, however the address is dressed. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { addressGuard, literalAddress, parseCidr } from "../../src/net/guard.ts";

const guard = addressGuard([]);

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ["0.0.0.0", /this host/],
  ["0.1.2.3", /this network/],
  ["10.0.0.1", /private/],
  ["100.64.0.1", /shared/],
  ["100.127.255.255", /shared/],
  ["100.100.100.200", /metadata/],
  ["127.0.0.1", /loopback/],
  ["127.255.255.254", /loopback/],
  ["168.63.129.16", /metadata/],
  ["169.254.1.1", /link-local/],
  ["169.254.169.254", /metadata/],
  ["172.16.0.1", /private/],
  ["172.31.255.255", /private/],
  ["192.0.0.1", /continuity/],
  ["192.0.0.192", /protocol/],
  ["192.0.2.1", /documentation/],
  ["192.88.99.1", /6to4/],
  ["192.88.99.2", /6a44/],
  ["192.168.1.1", /private/],
  ["198.18.0.1", /benchmarking/],
  ["198.19.255.255", /benchmarking/],
  ["198.51.100.1", /documentation/],
  ["203.0.113.9", /documentation/],
  ["224.0.0.1", /multicast/],
  ["239.255.255.255", /multicast/],
  ["240.0.0.1", /reserved/],
  ["255.255.255.255", /broadcast/],
  ["::", /unspecified/],
  ["::1", /loopback/],
  ["::127.0.0.1", /not allocated/],
  ["::ffff:10.0.0.1", /mapped/],
  ["::ffff:a00:1", /mapped/],
  ["::ffff:8.8.8.8", /mapped/],
  ["::ffff:0:10.0.0.1", /not allocated/],
  ["64:ff9b::10.0.0.1", /private/],
  ["64:ff9b::a9fe:a9fe", /metadata/],
  ["64:ff9b:1::8.8.8.8", /translation/],
  ["100::1", /discard/],
  ["100:0:0:1::1", /dummy/],
  ["2001::1", /Teredo/],
  ["2001:0:53aa:64c:0:0:f5ff:fffe", /Teredo/],
  ["2001:2::1", /benchmarking/],
  ["2001:10::1", /ORCHID/],
  ["2001:db8::1", /documentation/],
  ["2002:7f00:1::1", /6to4/],
  ["2002:808:808::1", /6to4/],
  ["3fff::1", /documentation/],
  ["3fff:fff::1", /documentation/],
  ["4000::1", /not allocated/],
  ["5f00::1", /segment routing/],
  ["fc00::1", /unique local/],
  ["fd12:3456::1", /unique local/],
  ["fd00:ec2::254", /metadata/],
  ["fe80::1", /link-local/],
  ["fe80::1%eth0", /zone id/],
  ["2606:4700::1111%eth0", /zone id/],
  ["fec0::1", /site-local/],
  ["ff02::1", /multicast/],
  // Forms that the system would look up as names, and so reach loopback behind the guard's back.
  ["127.1", /not an address/],
  ["0x7f.0.0.1", /not an address/],
  ["0177.0.0.1", /not an address/],
  ["2130706433", /not an address/],
  ["[::1]", /not an address/],
  ["localhost", /not an address/],
  ["", /not an address/],
];

const PASSING = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "168.63.129.15",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.0.9",
  "192.0.1.1",
  "192.167.255.255",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2000::1",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2606:4700:4700::1111",
  "3ffe:ffff::1",
  "64:ff9b::8.8.8.8",
];

describe("the address guard", () => {
  for (const [address, reason] of REFUSED) {
    it(`refuses ${address || "an empty text"} and says why`, () => assert.match(guard(address) ?? "passed", reason));
  }
  for (const address of PASSING) it(`lets ${address} pass`, () => assert.equal(guard(address), null));

  it("says the same when asked again", () => {
    assert.equal(guard("10.0.0.1"), guard("10.0.0.1"));
    assert.equal(guard("8.8.8.8"), guard("8.8.8.8"));
  });

  it("never throws, whatever the text", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.ipV4Extended(), fc.ipV6()), (text) => void guard(text)));
  });

  it("judges an IPv4 address translated by NAT64 as the address itself, and a mapped one never better", () => {
    fc.assert(
      fc.property(fc.ipV4(), (v4) => {
        assert.equal(guard(`64:ff9b::${v4}`), guard(v4));
        assert.notEqual(guard(`::ffff:${v4}`), null);
      }),
    );
  });
});

describe("an address guard with opened ranges", () => {
  it("lets exactly those pass", () => {
    const opened = addressGuard(["127.0.0.1", "10.1.2.3/8", "fd00::/8"]);
    assert.equal(opened("127.0.0.1"), null);
    assert.match(opened("127.0.0.2") ?? "", /loopback/);
    assert.equal(opened("10.200.0.1"), null);
    assert.equal(opened("fd12::1"), null);
    assert.match(opened("fc00::1") ?? "", /unique local/);
    assert.match(opened("192.168.0.1") ?? "", /private/);
  });

  it("opens the mapped and the translated form of an opened IPv4 address, and no other", () => {
    const opened = addressGuard(["10.0.0.0/8"]);
    assert.equal(opened("::ffff:10.0.0.1"), null);
    assert.equal(opened("64:ff9b::10.0.0.1"), null);
    assert.match(opened("::ffff:127.0.0.1") ?? "", /mapped/);
  });

  it("does not take ::/0 for IPv4", () => {
    assert.match(addressGuard(["::/0"])("127.0.0.1") ?? "", /loopback/);
    assert.equal(addressGuard(["0.0.0.0/0"])("127.0.0.1"), null);
  });

  it("throws when it is made with a range that does not parse", () => {
    assert.throws(() => addressGuard(["10.0.0.0/33"]), /10\.0\.0\.0\/33/);
  });
});

describe("parseCidr", () => {
  for (const text of ["10.0.0.0/8", "0.0.0.0/0", "127.0.0.1", "::1", "fd00::/8", "::/0", "::1/128"]) {
    it(`takes ${text}`, () => assert.equal(parseCidr(text).ok, true));
  }
  for (const text of [
    "",
    "x",
    "10/8",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "::1/129",
    "127.1",
    "fe80::1%eth0",
    "1.2.3.4/8.0",
    "10.0.0.0/ 8",
  ]) {
    it(`refuses ${JSON.stringify(text)} in a sentence that names it`, () => {
      const result = parseCidr(text);
      assert.equal(result.ok, false);
      assert.ok(!result.ok && result.error.includes(`"${text}"`));
    });
  }
});

describe("literalAddress", () => {
  const host = (url: string): string => new URL(url).hostname;
  it("knows IP literals in every form that a URL may write them", () => {
    assert.equal(literalAddress(host("http://127.1/")), "127.0.0.1");
    assert.equal(literalAddress(host("http://0x7f.1/")), "127.0.0.1");
    assert.equal(literalAddress(host("http://2130706433/")), "127.0.0.1");
    assert.equal(literalAddress(host("http://0177.0.0.01/")), "127.0.0.1");
    assert.equal(literalAddress(host("http://１２７.0.0.1/")), "127.0.0.1");
    assert.equal(literalAddress(host("http://[::FFFF:10.0.0.1]/")), "::ffff:a00:1");
    assert.equal(literalAddress(host("http://[0:0::1]:22/")), "::1");
    assert.equal(literalAddress("::1"), "::1");
  });
  it("knows the names of loopback", () => {
    for (const name of ["localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.localhost."]) {
      assert.equal(literalAddress(name), "127.0.0.1", name);
    }
  });
  it("knows no other name", () => {
    for (const name of [
      "example.com",
      "localhost.example.com",
      "notlocalhost",
      "127.0.0.1.example",
      "[x]",
      "",
      "[::1",
    ]) {
      assert.equal(literalAddress(name), null, name);
    }
  });
});
