/** Active hosts are found by their names, as a map finds them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { HostKey } from "../../../src/model/host.ts";
import { ActiveHost, Waiting } from "../../../src/store/embedded/active-host.ts";
import { ActiveHosts } from "../../../src/store/embedded/active-hosts.ts";

describe("active hosts", () => {
  const waiting = new Waiting();
  const nameOf = (n: number) => `http://h${n}` as HostKey;
  const made = (n: number) => new ActiveHost(n, nameOf(n), 0, 0, waiting);
  /** As a link has it: equal, and another string. */
  const named = (n: number) => Buffer.from(nameOf(n)).toString() as HostKey;

  it("are found by name and by number until they are taken out", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ n: fc.nat(400), out: fc.boolean() }), { maxLength: 600 }), (steps) => {
        const hosts = new ActiveHosts();
        const model = new Map<number, ActiveHost>();
        for (const { n, out } of steps) {
          const there = model.get(n);
          assert.equal(hosts.find(named(n)), there);
          if (there === undefined) {
            const host = made(n);
            model.set(n, host);
            hosts.add(host);
          } else if (out) {
            model.delete(n);
            hosts.delete(there);
          }
          assert.equal(hosts.size, model.size);
        }
        for (const host of model.values()) assert.equal(hosts.hostOf(host.number), host);
        assert.deepEqual(new Set(hosts), new Set(model.values()));
        for (let n = 0; n <= 400; n++) assert.equal(hosts.find(named(n)), model.get(n));
      }),
    );
  });

  it("are found when they are many, and when half of them have gone", () => {
    const hosts = new ActiveHosts();
    const all = Array.from({ length: 20_000 }, (_, n) => made(n));
    for (const host of all) hosts.add(host);
    for (const host of all) if (host.id % 2 === 1) hosts.delete(host);
    for (const host of all) assert.equal(hosts.find(named(host.id)), host.id % 2 === 1 ? undefined : host);
    assert.equal(hosts.size, 10_000);
  });
});
