import assert from "node:assert/strict";
import { Resolver } from "node:dns/promises";
import { describe, it } from "node:test";
import { type FakeWeb, fakeWeb } from "./fake-web.ts";

function resolver(web: FakeWeb): Resolver {
  const made = new Resolver({ timeout: 300, tries: 1 });
  made.setServers([web.dns]);
  return made;
}

const fails = (code: string) => (error: NodeJS.ErrnoException) => error.code === code;

describe("the fake names", () => {
  it("resolve to the addresses that the hosts are spread over, with a time to live", async () => {
    await using web = await fakeWeb({ hosts: 4, addresses: 3, ttl: 7 });
    const asked = resolver(web);
    const found = [];
    for (let host = 0; host < 4; host++) found.push(...(await asked.resolve4(`h${host}.test`, { ttl: true })));
    assert.deepEqual(
      found,
      ["127.0.1.1", "127.0.1.2", "127.0.1.3", "127.0.1.1"].map((address) => ({ address, ttl: 7 })),
    );
    await assert.rejects(asked.resolve6("h0.test"), fails("ENODATA"));
    await assert.rejects(asked.resolve4("h4.test"), fails("ENOTFOUND"));
    await assert.rejects(asked.resolve4("example.com"), fails("ENOTFOUND"));
    assert.deepEqual(
      web.log.entries
        .filter((entry) => entry.kind === "dns")
        .map((entry) => `${entry.name} ${entry.answer}`)
        .slice(-2),
      ["h4.test NXDOMAIN", "example.com NXDOMAIN"],
    );
  });

  it("lie, fail and keep silent as they are told", async () => {
    await using web = await fakeWeb({
      gallery: true,
      names: {
        "six.test": { kind: "addresses", addresses: ["2001:db8::1", "@"] },
        "spinning.test": { kind: "turns", turns: [["@"], ["127.0.0.1"]] },
      },
    });
    const asked = resolver(web);
    assert.deepEqual(await asked.resolve4("loopback.test"), ["127.0.0.1"]);
    assert.deepEqual(await asked.resolve4("private.odd.test"), ["10.0.0.1"]);
    assert.deepEqual(await asked.resolve4("mixed.odd.test"), ["127.0.1.1", "10.0.0.1"]);
    assert.deepEqual(await asked.resolve4("alias.odd.test"), ["127.0.1.1"]);
    assert.deepEqual(await asked.resolve4("slow-name.odd.test"), ["127.0.1.1"]);
    assert.deepEqual(await asked.resolve4("spinning.test"), ["127.0.1.1"]);
    assert.deepEqual(await asked.resolve4("spinning.test"), ["127.0.0.1"]);
    assert.deepEqual(await asked.resolve4("six.test"), ["127.0.1.1"]);
    assert.deepEqual(await asked.resolve6("six.test"), ["2001:db8::1"]);
    await assert.rejects(asked.resolve4("nxdomain.odd.test"), fails("ENOTFOUND"));
    await assert.rejects(asked.resolve4("servfail.odd.test"), fails("ESERVFAIL"));
    await assert.rejects(asked.resolve4("servfail-once.odd.test"), fails("ESERVFAIL"));
    assert.deepEqual(await asked.resolve4("servfail-once.odd.test"), ["127.0.1.1"]);
    await assert.rejects(asked.resolve4("no-address.odd.test"), fails("ENODATA"));
    await assert.rejects(asked.resolve4("silent-name.odd.test"), fails("ETIMEOUT"));
  });
});
