/** What people ask of a crawl reaches it whole, once, in order; and nothing that they get wrong stops it. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { spoolInbox, spoolSlot } from "../../../src/app/dir/spool.ts";
import { silentLog } from "../../../src/base/log.ts";
import { TestClock } from "../../conformance/frontier-world.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "trawl-spool-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const clock = new TestClock();
const inSpool = () => readdirSync(join(dir, "spool"));

/** An inbox that remembers what it was given to admit. */
function inbox(fault?: (point: string) => void) {
  const admitted: (readonly [string, number | null])[] = [];
  const warnings: string[] = [];
  const box = spoolInbox({
    dir,
    clock,
    log: { ...silentLog, warn: (_, event) => void warnings.push(event) },
    admit: async (urls, priority) => admitted.push(...urls.map((url) => [url, priority] as const)),
    ...(fault === undefined ? {} : { fault }),
  });
  return { box, admitted, warnings };
}

describe("the spool", () => {
  it("hands over what was added, in order, with its priority, and is empty then", async () => {
    await spoolSlot(dir).add({ urls: ["http://a.test/1", "http://a.test/2"], priority: null }, 1000);
    await spoolSlot(dir).add({ urls: ["http://a.test/3"], priority: 5 }, 2000);
    const { box, admitted } = inbox();
    assert.equal(await box.look(true), false);
    assert.deepEqual(admitted, [
      ["http://a.test/1", null],
      ["http://a.test/2", null],
      ["http://a.test/3", 5],
    ]);
    assert.deepEqual(inSpool(), []);
  });

  it("is looked into now and then, and at once when the crawl is about to end", async () => {
    const { box, admitted } = inbox();
    await box.look(false);
    await spoolSlot(dir).add({ urls: ["http://a.test/1"], priority: null }, 1);
    await box.look(false);
    assert.equal(admitted.length, 0);
    clock.time += 1_000;
    await box.look(false);
    assert.equal(admitted.length, 1);
    await spoolSlot(dir).add({ urls: ["http://a.test/2"], priority: null }, 1);
    await box.look(true);
    assert.equal(admitted.length, 2);
  });

  it("hands over again what a crash left between admission and removal", async () => {
    await spoolSlot(dir).add({ urls: ["http://a.test/1"], priority: null }, 1);
    const first = inbox(() => {
      throw new Error("killed");
    });
    await assert.rejects(first.box.look(true), /killed/);
    assert.equal(inSpool().length, 1);
    const second = inbox();
    await second.box.look(true);
    assert.equal(second.admitted.length, 1);
    assert.deepEqual(inSpool(), []);
  });

  it("leaves half-written files alone, and puts aside what it cannot read", async () => {
    mkdirSync(join(dir, "spool"));
    const name = "000000000000001-1-abcdef01.json";
    writeFileSync(join(dir, "spool", `${name}.77.tmp`), '{"urls":["http://a.test/');
    for (const [i, text] of [
      "{",
      '"x"',
      '{"urls":[7],"priority":null}',
      '{"urls":["http://a.test/"],"priority":99}',
    ].entries())
      writeFileSync(join(dir, "spool", name.replace("1-1", `1-${i + 2}`)), text);
    const { box, admitted, warnings } = inbox();
    await box.look(true);
    await box.look(true);
    assert.deepEqual(admitted, []);
    assert.equal(warnings.length, 4);
    assert.equal(inSpool().filter((one) => one.endsWith(".bad")).length, 4);
    assert.equal(inSpool().length, 5);
  });

  it("says whether the crawl is paused, to those who ask from outside too", async () => {
    const { box } = inbox();
    assert.equal(await spoolSlot(dir).isPaused(), false);
    assert.equal(await spoolSlot(dir).setPaused(true), true);
    assert.equal(await spoolSlot(dir).setPaused(true), false);
    assert.equal(await spoolSlot(dir).isPaused(), true);
    assert.equal(await box.look(true), true);
    assert.equal(await spoolSlot(dir).setPaused(false), true);
    assert.equal(await box.look(true), false);
  });
});
