import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { main } from "../../../../src/app/cli/main.ts";
import { pacesOf, rememberPace } from "../../../../src/app/inspect/report/paces.ts";
import { hashText } from "../../../../src/base/hash.ts";
import type { HostKey } from "../../../../src/model/host.ts";
import type { Href } from "../../../../src/model/url.ts";
import { openEmbedded } from "../../../../src/store/embedded/backend.ts";
import { type TestShell, testShell } from "../../shell.ts";
import { smallCrawl } from "../../small-crawl.ts";

async function run(shell: TestShell, ...argv: string[]): Promise<string> {
  assert.equal(await main(argv, shell), 0, shell.err());
  return shell.out();
}

describe("trawl report", () => {
  it("states the smallest gap of hosts and addresses, and that nothing was broken", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    await using backend = openEmbedded(dir, { clock: shell.clock });
    await rememberPace(backend, { delay: 900, hostConcurrency: 1 }, shell.time);
    const lines = (await run(shell, "report", dir)).split("\n");
    assert.deepEqual(lines.slice(0, 8), [
      dir,
      "  requests   4 to 2 hosts on 1 address, robots.txt included",
      "  promised   900 ms between requests to one host, and to one address",
      "  hosts      smallest gap 980 ms, https://a.test",
      "  addresses  smallest gap 980 ms, 192.0.2.1",
      "  breaches   none",
      "  lost       no URL by being taken for another (--seen exact)",
      "  budgets    nobody over budget (--budget 10,000, --domain-budget 100,000)",
    ]);
  });

  it("names a breach that was planted, to programs too", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    {
      await using backend = openEmbedded(dir, { clock: shell.clock });
      await rememberPace(backend, { delay: 900, hostConcurrency: 1 }, shell.time);
    }
    {
      const state = new DatabaseSync(join(dir, "state.db"));
      state.exec("UPDATE visit SET started_at = started_at - 400 WHERE href = 'https://a.test/style.css'");
      state.close();
    }
    const said = await run(shell, "report", dir);
    assert.match(said, /breaches {3}2\n/);
    assert.match(
      said,
      /BREACH {5}https:\/\/a\.test was asked for https:\/\/a\.test\/style\.css 580 ms after https:\/\/a\.test\/two\?b=1&a=2 \(900 ms promised\)/,
    );
    using other = testShell();
    const report = JSON.parse(await run(other, "report", dir, "--json"));
    assert.equal(report.breaches, 2);
    assert.deepEqual(
      report.firstBreaches.map(({ of, name }: { of: string; name: string }) => [of, name]),
      [
        ["host", "https://a.test"],
        ["address", "192.0.2.1"],
      ],
    );
  });

  it("counts what was left out as a trap by its rule, with the first of each", async () => {
    using shell = testShell();
    const dir = await smallCrawl(shell);
    {
      await using backend = openEmbedded(dir, { clock: shell.clock });
      const drop = (path: string, detail: string) => {
        const [fpHi, fpLo] = hashText(path);
        const href = `https://a.test${path}` as Href;
        const host = "https://a.test" as HostKey;
        const found = { depth: 1, hops: 0, via: 1, source: "link", priority: 2 } as const;
        return { href, host, fpHi, fpLo, ...found, drop: { reason: "trap", detail } } as const;
      };
      await backend.add([
        drop("/calendar/2051/03", "calendar: 2051/03"),
        drop("/calendar/2051/04", "calendar: 2051/04"),
        drop("/p/7", "feedback: /p/{n}"),
        ...Array.from({ length: 3 }, (_, i) => drop(`/q/${i}`, "feedback: /q/{n}")),
      ]);
    }
    const lines = (await run(shell, "report", dir)).split("\n");
    assert.deepEqual(lines.slice(lines.indexOf("Left out as traps, by rule, with the first of each:") + 1, -1), [
      "  3  feedback: /q/{n}  https://a.test/q/0",
      "  2  calendar          https://a.test/calendar/2051/03",
      "  1  feedback: /p/{n}  https://a.test/p/7",
    ]);
  });

  it("says in one sentence that there is no crawl", async () => {
    using shell = testShell();
    assert.equal(await main(["report", "nowhere"], shell), 2);
    assert.match(shell.err(), /^trawl: there is no directory .*nowhere.*\n$/);
  });
});

describe("the delay in force", () => {
  it("is kept from run to run, once for each change", async () => {
    const facts = new Map<string, string>();
    const state = {
      fact: async (name: string) => facts.get(name) ?? null,
      setFact: async (name: string, value: string) => void facts.set(name, value),
    };
    assert.deepEqual(await pacesOf(state, { delay: 7, hostConcurrency: 1 }), [{ from: 0, gapMs: 7, atOnce: 1 }]);
    for (const [now, delay, hostConcurrency] of [
      [10, 1000, 1],
      [20, 1000, 1],
      [30, 1000, 4],
    ] as const)
      await rememberPace(state, { delay, hostConcurrency }, now);
    assert.deepEqual(await pacesOf(state, { delay: 7, hostConcurrency: 1 }), [
      { from: 0, gapMs: 1000, atOnce: 1 },
      { from: 30, gapMs: 250, atOnce: 4 },
    ]);
  });
});
