/** Commands that look at a crawl which crawlers share, and ask something of it, from anywhere. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { main } from "../../../src/app/cli/main.ts";
import { configFrom, sharedConfig } from "../../../src/app/config/config.ts";
import { CONFIG } from "../../../src/app/place/shared-crawl.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { directoryBlobs } from "../../../src/blobs/directory.ts";
import { archiveKey } from "../../../src/blobs/segments.ts";
import type { ArchiveMark } from "../../../src/model/capture.ts";
import type { HostKey } from "../../../src/model/host.ts";
import { openCluster } from "../../../src/store/cluster/backend.ts";
import { Facts, STARTED_AT } from "../../../src/store/cluster/crawl/facts.ts";
import { openMembers } from "../../../src/store/cluster/crew/members.ts";
import { Connection } from "../../../src/store/cluster/redis/connection.ts";
import { shardOf } from "../../../src/store/cluster/shards/shard-of.ts";
import { openArchive } from "../../../src/warc/archive.ts";
import { type RedisCluster, redisCluster } from "../../services/redis-cluster.ts";
import { exchange, note } from "../../warc/fixtures.ts";
import { type TestShell, testShell } from "../shell.ts";
import { PAGES, visitSmall } from "../small-crawl.ts";

const NAME = "small";
const SHARDS = 3;

let redis: RedisCluster;
let connection: Connection;
let dir: string;
let frontier: string;

/** A crawl as its crawlers leave it; the archive file has gone up whole, or in `pieces`. */
before(async () => {
  redis = await redisCluster();
  connection = await Connection.open({ nodes: redis.nodes });
  dir = mkdtempSync(join(tmpdir(), "trawl-shared-"));
  frontier = `redis://${redis.nodes.map(({ host, port }) => `${host}:${port}`).join(",")}`;
  await begin(NAME, false);
});
after(async () => {
  await connection?.[Symbol.asyncDispose]();
  await redis?.[Symbol.asyncDispose]();
  if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
});

async function begin(name: string, pieces: boolean): Promise<void> {
  using shell = testShell();
  const store = join(dir, name);
  const input = { seeds: PAGES[0]!.url, dir: join(shell.cwd, "x"), store, shards: SHARDS, frontier, name };
  const { config } = await configFrom(input, "crawl()", shell);
  const facts = new Facts(connection, name);
  await facts.settle(CONFIG, JSON.stringify(sharedConfig(config)));
  await facts.setFact(STARTED_AT, String(systemClock.now()));
  await using blobs = directoryBlobs(store);
  const options = { name, shards: SHARDS, hostConcurrency: PAGES.length, clock: systemClock, blobs };
  await using backend = await openCluster(connection, options);
  const folder = join(shell.cwd, "archive");
  await visitSmall(backend, folder, { clock: systemClock, time: systemClock.now() }, PAGES);
  const [file] = readdirSync(folder);
  const bytes = readFileSync(join(folder, file!));
  const key = file!.replace(/\.open$/, "");
  if (!pieces) return blobs.put(archiveKey(key), bytes);
  const half = Math.floor(bytes.length / 2);
  await blobs.put(`segments/${key}/${"0".padStart(16, "0")}`, bytes.subarray(0, half));
  await blobs.put(`segments/${key}/${String(half).padStart(16, "0")}`, bytes.subarray(half));
}

/** Responses that were archived at these times, committed to their last byte, and settled by nobody; and some bytes more. */
async function written(name: string, file: string, times: readonly number[]): Promise<void> {
  using shell = testShell();
  const folder = join(shell.cwd, "archive");
  const archive = await openArchive({
    dir: folder,
    clock: systemClock,
    info: { software: "trawl/test", robots: "obey" },
  });
  for (const startedAt of times) archive.append(exchange({ startedAt, endedAt: startedAt + 20 }), note);
  const [{ bytes }] = (await archive.sync()) as [ArchiveMark];
  const [growing] = readdirSync(folder);
  await using blobs = directoryBlobs(join(dir, name));
  const whole = Buffer.concat([readFileSync(join(folder, growing!)).subarray(0, bytes), Buffer.from("more")]);
  await blobs.put(`segments/${file}/${"0".padStart(16, "0")}`, whole);
  await archive[Symbol.asyncDispose]();
  const options = { name, shards: SHARDS, joins: true, clock: systemClock, blobs };
  await using backend = await openCluster(connection, options);
  await backend.commit({ settled: [], hosts: [], robots: [], marks: [{ file, bytes }] });
}

async function run(shell: TestShell, command: string, ...more: string[]): Promise<string> {
  const code = await main([command, "--frontier", frontier, "--name", NAME, ...more], shell);
  assert.equal(code, 0, shell.err());
  return shell.out();
}

describe("a crawl that crawlers share", () => {
  it("is named by --frontier and --name in the place of a directory", async () => {
    using shell = testShell();
    const out = await run(shell, "status");
    assert.equal(out.split("\n")[0], `${NAME} in ${frontier}`);
    assert.match(out, /state {4}stopped/);
    assert.match(out, /pages {4}3 fetched, 1 failed/);
    assert.match(out, /to do {4}1 queued, 0 to retry, on 1 host/);
  });

  it("is not to be had under another name, nor where no cluster is", async () => {
    using shell = testShell();
    assert.equal(await main(["status", "--frontier", frontier, "--name", "other"], shell), 2);
    assert.equal(shell.err(), `trawl: there is no crawl other in ${frontier}; look at --name and --frontier\n`);
    using away = testShell();
    assert.equal(await main(["status", "--frontier", "redis://127.0.0.1:1", "--name", NAME], away), 3);
    assert.match(away.err(), /^trawl: no Redis Cluster answers at 127\.0\.0\.1:1 .*\n$/);
  });

  it("is told of by what is due in all its shards, and by what its masters have in use", async () => {
    await begin("due", false);
    using shell = testShell();
    {
      await using blobs = directoryBlobs(join(dir, "due"));
      const options = { name: "due", shards: SHARDS, clock: systemClock, blobs, joins: true };
      await using backend = await openCluster(connection, options);
      const ids: number[] = [];
      for await (const { id } of backend.urls({ endedOnly: true })) ids.push(id);
      const dueAt = (nth: number): number => shell.time + [0, 3_600_000, 100 * 3_600_000][nth % 3]!;
      await backend.schedule(ids.slice(0, 3).map((id, nth) => ({ id, dueAt: dueAt(nth) })));
    }
    assert.equal(await main(["status", "--frontier", frontier, "--name", "due"], shell), 0, shell.err());
    assert.match(shell.out(), /^ {2}due {6}1 to be visited again now, 2 within a day$/m);
    assert.match(shell.out(), /^ {2}redis {4}3 masters, [\d.]+ MB in use; no limit is set \(maxmemory\)$/m);
  });

  it("is reported on, explained and exported as one in a directory", async () => {
    using shell = testShell();
    assert.match(await run(shell, "report"), /requests {3}4 to 2 hosts on 1 address, /);
    using explaining = testShell();
    const says = await run(explaining, "explain", PAGES[3]!.url);
    assert.match(says, new RegExp(`^by ${NAME} in redis:`, "m"));
    assert.match(says, /end +http-4xx: /);
    using exporting = testShell();
    const rows = (await run(exporting, "export", "--to", "-"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const ends = Object.fromEntries(rows.map(({ url, end }) => [url, end]));
    assert.deepEqual(ends, {
      ...Object.fromEntries(PAGES.map(({ url, end = "fetched" }) => [url, end])),
      "https://a.test/later": null,
    });
  });

  it("gives what its archive holds from the store, and as one file to replay", async () => {
    using shell = testShell();
    assert.equal(await run(shell, "get", PAGES[1]!.url), PAGES[1]!.body);
    using exporting = testShell();
    await run(exporting, "export", "--to", "x.wacz", "--quiet");
  });

  it("is verified in the store, also while its files are there in pieces", async () => {
    using shell = testShell();
    assert.match(await run(shell, "verify"), /1 file read from .*\nSound\.\n$/);
    await begin("pieces", true);
    using again = testShell();
    assert.equal(await main(["verify", "--frontier", frontier, "--name", "pieces"], again), 0, again.out());
    assert.match(again.out(), /archive {2}1 file, [\d.]+ kB, 9 records: /);
  });

  it("holds what its crawlers have written and not settled yet against nobody", async () => {
    const name = "under-way";
    await begin(name, false);
    const id = "abcdef";
    const now = systemClock.now();
    await written(name, `trawl-20261201000000000-${id}_0-00000.warc.gz`, [now, now - 3_600_000]);
    const says = async () => {
      using shell = testShell();
      shell.time = systemClock.now();
      assert.equal(await main(["verify", "--frontier", frontier, "--name", name], shell), 0, shell.out());
      return shell.out().match(/^ {2}(running|note ) .*(response|commit).*$/gm);
    };
    const behind =
      /^ {2}note {5}trawl-20261201000000000-abcdef_0-00000.warc.gz ends with 4 B that no commit speaks of$/;
    {
      await using _member = await openMembers(connection, {
        ...{ name, id, shards: SHARDS, clock: systemClock, log: silentLog },
        divide: () => [id, id, id],
      });
      // What was written before any open lease began is settled by nobody.
      assert.deepEqual(await says(), [
        "  running  1 response written, and not settled yet",
        "  note     1 response in the archive that the state does not speak of",
      ]);
    }
    const [unclaimed, bytes] = (await says()) ?? [];
    assert.equal(unclaimed, "  note     2 responses in the archive that the state does not speak of");
    assert.match(bytes!, behind);
  });

  it("is told to have in its store what nothing points to", async () => {
    const name = "left-over";
    await begin(name, false);
    await using blobs = directoryBlobs(join(dir, name));
    const zeros = "0".padStart(16, "0");
    await blobs.put(`urls/${shardOf("https://a.test" as HostKey, SHARDS)}/mx4mvf8y-abc-1`, Buffer.from("rows"));
    await blobs.put(`segments/trawl-20261201000000000-abc_0-00000.warc.gz/${zeros}`, Buffer.from("more"));
    using shell = testShell();
    assert.equal(await main(["verify", "--frontier", frontier, "--name", name], shell), 0, shell.out());
    assert.match(
      shell.out(),
      /note {5}2 objects \(8 B\) in the store that nothing points to; crawlers take them away$/m,
    );
  });

  it("is damaged when its store has not what the state speaks of", async () => {
    await begin("damaged", false);
    rmSync(join(dir, "damaged", "archive"), { recursive: true });
    using shell = testShell();
    assert.equal(await main(["verify", "--frontier", frontier, "--name", "damaged"], shell), 3);
    assert.match(shell.out(), /FAULT +archive file .* is gone/);
  });

  it("takes URLs, and a pause, that every crawler finds", async () => {
    using shell = testShell();
    assert.match(
      await run(shell, "pause"),
      /is paused; trawl resume --frontier redis:\S+ --name small lets it go on\.\n$/,
    );
    using looking = testShell();
    assert.match(await run(looking, "status"), /paused {3}until trawl resume/);
    using again = testShell();
    assert.match(await run(again, "resume"), /is no longer paused\.\n$/);
    using adding = testShell();
    assert.match(await run(adding, "add", "https://a.test/more"), /^1 URL for small in redis:.*\n$/);
  });
});
