import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { crawlersSay, crawlersTable, mastersSay } from "../../../src/app/inspect/crawlers.ts";

const NOW = 1_000_000_000;
const standing = {
  machine: "m1",
  startedAt: NOW - 90_000,
  pins: [],
  shards: 40,
  pages: 1_234,
  pagesPerSecond: 12.34,
  leases: 7,
  asked: 1_000,
  met: 719,
};
const AT_WORK = { id: "aa", heardAt: NOW - 900, standing };
const PINNED = {
  id: "bb",
  heardAt: NOW - 9_000,
  standing: { ...standing, machine: "machine-2", pins: ["https://huge.test"], pages: 3, asked: 0, met: 0 },
};
const STARTING = { id: "cc", heardAt: NOW, standing: null };

describe("who is at a crawl", () => {
  it("is told in a line: how many, how fast together, and how many links they know themselves", () => {
    assert.equal(crawlersSay([AT_WORK]), "1 crawler, 12.3 pages/s; 71 % of links known without asking Redis");
    assert.equal(
      crawlersSay([AT_WORK, PINNED, STARTING]),
      "3 crawlers, 24.7 pages/s; 71 % of links known without asking Redis",
    );
    assert.equal(crawlersSay([STARTING]), "1 crawler");
  });

  it("is told one by one: who is silent, who has only just come, who is there for one host", () => {
    assert.deepEqual(crawlersTable([], NOW), []);
    assert.deepEqual(crawlersTable([AT_WORK], NOW), [
      "  crawler  machine      up  pages     now  leases  shards  links known",
      "  aa       m1       1m 30s  1,234  12.3/s       7      40         71 %",
    ]);
    assert.deepEqual(crawlersTable([AT_WORK, PINNED, STARTING], NOW), [
      "  crawler  machine         up  pages           now  leases  shards  links known  there for",
      "  aa       m1          1m 30s  1,234        12.3/s       7      40         71 %",
      "  bb       machine-2   1m 30s      3  silent 9.0 s       7      40               https://huge.test",
      "  cc       (starting)",
    ]);
  });
});

describe("the masters of a frontier", () => {
  const master = { address: "10.0.0.1:7001", usedBytes: 6_000_000, mostBytes: 10_000_000, replicas: 1, moving: 0 };
  it("are told by what they have in use, and the fullest of them", () => {
    const other = { ...master, address: "10.0.0.2:7001", usedBytes: 7_000_000 };
    assert.deepEqual(mastersSay([master, other]), [
      "2 masters, 13.0 MB in use; the fullest has 70 % of its 10.0 MB (10.0.0.2:7001)",
    ]);
    assert.deepEqual(mastersSay([{ ...master, mostBytes: null }]), [
      "1 master, 6.0 MB in use; no limit is set (maxmemory)",
    ]);
  });
  it("are told by name where they have no replica; and how many slots move", () => {
    assert.deepEqual(mastersSay([{ ...master, replicas: 0, moving: 2 }]).slice(1), [
      "without a replica: 10.0.0.1:7001",
      "2 slots on the way to another master",
    ]);
  });
});
