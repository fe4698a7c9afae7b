/** A thread that reads and syncs for the control thread changes nothing but who stands still. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { HostKey } from "../../../src/model/host.ts";
import type { Lease, Verdict } from "../../../src/model/lease.ts";
import type { Href } from "../../../src/model/url.ts";
import type { Backend } from "../../../src/ports/frontier.ts";
import { ActiveHost, Waiting } from "../../../src/store/embedded/active-host.ts";
import { openEmbedded } from "../../../src/store/embedded/backend.ts";
import { DISK_PACE, DiskThread } from "../../../src/store/embedded/disk-thread.ts";
import { Heads } from "../../../src/store/embedded/heads.ts";
import { SCHEMA } from "../../../src/store/embedded/schema.ts";
import { UrlReader } from "../../../src/store/embedded/url-reader.ts";
import { UrlStates } from "../../../src/store/embedded/url-states.ts";
import { ended, settled, TestClock, url } from "../../conformance/frontier-world.ts";

const clock = new TestClock();
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "trawl-disk-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function commit(backend: Backend, leases: readonly Lease[], verdict: (lease: Lease) => Verdict): Promise<void> {
  const parts = leases.map((lease) => settled(lease, verdict(lease), clock.time));
  await backend.commit({ settled: parts, hosts: [], robots: [], marks: [] });
}

describe("the thread for the disk", () => {
  it("brings the log into the file while the crawl goes on, and the log begins anew", async () => {
    await using backend = openEmbedded(dir, { clock, disk: { logPages: 200 } });
    using reader = new DatabaseSync(join(dir, "state.db"), { readOnly: true });
    const log = () => reader.prepare("PRAGMA wal_checkpoint(NOOP)").get() as Record<"log" | "checkpointed", number>;
    let made = 0;
    const add = () => backend.add(Array.from({ length: 100 }, () => url("a", String(made++))));
    while (log().checkpointed === 0) {
      if (log().log < 400)
        await add(); // it is asked for by now, and SQLite does not do it by itself yet
      else await setTimeout(10);
    }
    const longest = log().log;
    for (let i = 0; log().log >= longest; i++) {
      assert.ok(i < 3_000, "the log begins anew");
      await add();
      await setTimeout(1); // the thread's answer comes in
    }
    assert.equal(await backend.add([url("a", "0")]), 0);
    assert.equal((await backend.pending()).queued, made);
  });

  it("reads what is leased next, as it is when it is leased", async () => {
    await using backend = openEmbedded(dir, { clock, disk: { logPages: 1, newest: 0 } });
    const hosts = Array.from({ length: 40 }, (_, i) => `h${i}`);
    await backend.add(hosts.flatMap((host) => [1, 2, 3, 4, 5, 6].map((n) => url(host, String(n)))));
    const hrefs: string[] = [];
    for (let leases = await backend.lease(40); leases.length > 0; leases = await backend.lease(40)) {
      hrefs.push(...leases.map((lease) => lease.url.href));
      await commit(backend, leases, ({ url: { id, href, hops } }) =>
        id % 3 === 0 && hops === 0 ? { kind: "follow", href: `${href}/` as Href, hops: 1 } : ended(),
      );
      if (hrefs.length % 80 === 0) await setTimeout(5); // some answers come in, some are late
    }
    const ids = hosts.flatMap((_, host) => [1, 2, 3, 4, 5, 6].map((n) => host * 6 + n));
    const expected = ids.flatMap((id) => {
      const href = `http://h${Math.floor((id - 1) / 6)}/${((id - 1) % 6) + 1}`;
      return id % 3 === 0 ? [href, `${href}/`] : [href];
    });
    assert.deepEqual(hrefs.sort(), expected.sort());
  });

  it("gives what it has read without a look at the file; what has changed since it was asked for is read again", async () => {
    {
      await using backend = openEmbedded(dir, { clock });
      await backend.add([url("a", "1")]);
    }
    using db = new DatabaseSync(join(dir, "state.db"));
    using empty = new DatabaseSync(":memory:");
    empty.exec(SCHEMA);
    await using thread = new DiskThread(join(dir, "state.db"));
    const answered = async (count: number) => {
      for (let i = 0; answers < count; i++) {
        assert.ok(i < 3_000, "it answers");
        await setTimeout(10);
      }
    };
    let answers = 0;
    thread.hear(() => answers++);
    thread.ask({ kind: "checkpoint" });
    const host = new ActiveHost(1, "http://a" as HostKey, 0, 0, new Waiting());
    host.push(1, 0);
    const states = new UrlStates();
    states.admit(1, 0);
    const heads = new Heads(thread, new UrlReader(empty), { ...DISK_PACE, newest: 0 });
    heads.readAhead([host], 2, states);
    await answered(2);
    assert.equal(heads.take([{ id: 1, host }])[0]!.href, "http://a/1");
    heads.readAhead([host], 2, states);
    db.exec("UPDATE url SET href = 'http://a/1/'");
    heads.forget(1);
    heads.readAhead([host], 2, states);
    await answered(4);
    assert.equal(heads.take([{ id: 1, host }])[0]!.href, "http://a/1/");
  });
});
