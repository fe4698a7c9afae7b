/** What was recorded is told as it was. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NO_HISTORY } from "../../../src/model/history.ts";
import { type HostKey, newHostState } from "../../../src/model/host.ts";
import type { RobotsCopy } from "../../../src/model/robots-copy.ts";
import type { Href } from "../../../src/model/url.ts";
import { pageInfo } from "../../model/page.ts";
import { type Begin, ended, recordOf, settled, url } from "../frontier-world.ts";

const A = "http://a.test" as HostKey;
const PAGE = pageInfo({ linksFound: 12 });
const LESSON = ["/calendar/{date}", 0, 2, 8, 3, 41] as const;

export function records(begin: Begin): void {
  describe("records", () => {
    it("gives back a visit as it was recorded", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a.test", "1")]);
      const lease = await world.leaseOne();
      const visit = {
        ...recordOf(lease, "fetched", 123.5),
        endedAt: 456.75,
        detail: "a detail",
        redirectTo: "http://a.test/x" as Href,
        etag: 'W/"1"',
        lastModified: "Thu, 01 Jan 1970 00:00:00 GMT",
        robotsId: 4,
        duplicateOf: 2 ** 32 - 1,
        nearDuplicateOf: 5,
        capture: {
          response: { file: "x-1.warc.gz", offset: 2 ** 33, length: 99 },
          at: 124,
          digest: "sha1:ABC",
          truncated: "length",
        },
        page: {
          ...PAGE,
          title: "Žluťoučký 🐎",
          description: "",
          noindex: true,
          simhash: "8123456789abcdef",
        },
      } as const;
      await world.settle(lease, ended(), { record: visit });
      assert.deepEqual((await backend.byId(1))?.visit, visit);
      assert.deepEqual(await Array.fromAsync(backend.captures()), [visit]);
      await world.reopen();
      assert.deepEqual((await world.backend.byId(1))?.visit, visit);
    });

    it("lists the contents that were new, and whole, for those that come later to be compared with", async () => {
      const world = await begin();
      const { backend } = world;
      const simhash = "8123456789abcdef";
      const page = { ...PAGE, simhash };
      const capture = { response: { file: "x", offset: 1, length: 9 }, at: 1, digest: "sha1:A", truncated: null };
      const changes = [
        { page, capture },
        { page, capture, duplicateOf: 1 },
        { page, capture: { ...capture, digest: "sha1:B" }, nearDuplicateOf: 1 },
        { page: PAGE, capture: { ...capture, digest: "sha1:C" } },
        { page, capture: { ...capture, truncated: "length" } },
        { page, capture, bytes: 0 },
        { page: null, capture },
        { page: null, capture: null },
        { page, capture, end: "http-4xx" },
        // What a page has become since is compared with others, not they with it.
        { page, capture: { ...capture, digest: "sha1:D" }, history: { ...NO_HISTORY, checks: 1 } },
        { page, capture: { ...capture, digest: "sha1:E" }, history: NO_HISTORY },
      ] as const;
      await backend.add(changes.map((_, nth) => url(`${nth}.test`, "/")));
      for (const change of changes) {
        const lease = await world.leaseOne();
        await world.settle(lease, ended(), { record: { ...recordOf(lease, "fetched", 1), ...change } });
      }
      const expected = [
        { urlId: 1, digest: "sha1:A", simhash },
        { urlId: 3, digest: "sha1:B", simhash: null },
        { urlId: 4, digest: "sha1:C", simhash: null },
        { urlId: 11, digest: "sha1:E", simhash },
      ];
      assert.deepEqual(await Array.fromAsync(backend.contents()), expected);
      await world.reopen();
      assert.deepEqual(await Array.fromAsync(world.backend.contents()), expected);
    });

    it("finds a URL by fingerprint and by id, with its state and its latest visit", async () => {
      const world = await begin();
      const { backend } = world;
      const [first, second] = [url("a.test", "1"), url("a.test", "2")];
      await backend.add([first, second]);
      assert.equal((await backend.find(first))?.state, "queued");
      const lease = await world.leaseOne();
      assert.equal((await backend.byId(1))?.state, "leased");
      await world.settle(lease, { kind: "retry", at: world.clock.time, reason: "timeout" });
      assert.equal((await backend.byId(1))?.visit?.end, "retry");
      await world.settle(await world.leaseOne(), ended("dns"));
      assert.equal((await backend.byId(1))?.state, "ended");
      assert.equal((await backend.byId(1))?.visit?.end, "dns");
      assert.equal((await backend.byId(1))?.visit?.attempt, 2);
      assert.equal(await backend.find({ fpHi: 1, fpLo: 1 }), null);
      assert.equal(await backend.find({ host: first.host, fpHi: 1, fpLo: 1 }), null);
      assert.equal((await backend.find({ fpHi: second.fpHi, fpLo: second.fpLo }))?.id, 2);
      assert.deepEqual(await backend.idsOf([second, url("a.test", "none"), first]), [2, null, 1]);
      const { host, fpHi, fpLo } = second;
      assert.deepEqual(await backend.nameOf(2), { host, fpHi, fpLo });
      assert.equal(await backend.nameOf(99), null);
      assert.equal(await backend.byId(99), null);
    });

    it("streams URLs in order of admission, from any id, ended ones only if asked", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add(Array.from({ length: 1201 }, (_, i) => url(`h${i % 7}.test`, String(i))));
      const leases = await backend.lease(5);
      await world.commit({ settled: leases.map((lease) => settled(lease, ended(), 1)) });
      assert.deepEqual(
        (await Array.fromAsync(backend.urls())).map(({ id }) => id),
        Array.from({ length: 1201 }, (_, i) => i + 1),
      );
      assert.equal((await Array.fromAsync(backend.urls({ afterId: 1000 })))[0]?.id, 1001);
      const done = await Array.fromAsync(backend.urls({ endedOnly: true }));
      assert.deepEqual(
        done.map(({ id }) => id),
        leases.map(({ url: { id } }) => id),
      );
      assert.ok(done.every(({ visit }) => visit?.end === "fetched"));
      assert.deepEqual(await Array.fromAsync(backend.urls({ endedOnly: true, afterId: 5 })), []);
    });

    it("keeps host states, the latest of each", async () => {
      const world = await begin();
      const { backend } = world;
      assert.equal(await backend.host(A), null);
      await backend.add([url("a.test", "1")]);
      assert.equal(await backend.host(A), null);
      const state = {
        ...newHostState(A),
        readyAt: 5.5,
        slowed: true,
        address: "192.0.2.7",
        requests: 3,
        smoothedMs: 1.25,
        lessons: { ...{ budget: 12, pages: 40, first: 7, useful: 3, copied: 0, mirrors: null }, patterns: [LESSON] },
      };
      await world.commit({
        hosts: [{ ...state, requests: 1 }, state, { ...newHostState("http://z" as HostKey), dead: "dns" }],
      });
      assert.deepEqual(await backend.host(A), state);
      await world.crash();
      assert.deepEqual(await world.backend.host(A), state);
      assert.equal((await world.backend.host("http://z" as HostKey))?.dead, "dns");
    });

    it("names the hosts with most requests, and what is pending there", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a", "1"), url("b", "2"), url("b", "3"), url("c", "4")]);
      const state = (host: string, requests: number) => ({ ...newHostState(`http://${host}` as HostKey), requests });
      await world.settle(await world.leaseOne(), ended());
      await world.commit({ hosts: [state("a", 2), state("b", 7)] });
      assert.deepEqual(await backend.topHosts(2), [
        { host: "http://b", requests: 7, pending: 2 },
        { host: "http://a", requests: 2, pending: 0 },
      ]);
      assert.equal((await backend.topHosts(9)).length, 3);
    });

    it("keeps every copy of a robots.txt and answers with the newest", async () => {
      const world = await begin();
      const { backend } = world;
      assert.equal(await backend.robots(A), null);
      const copy: RobotsCopy = {
        id: 0,
        host: A,
        fetchedAt: 1.5,
        expiresAt: 2,
        access: "rules",
        status: 200,
        failure: null,
        body: "User-agent: *\nDisallow: /ž\n",
        href: "http://a.test/robots.txt" as Href,
        capture: { response: { file: "f", offset: 0, length: 7 }, at: 1.5, digest: "sha1:X", truncated: null },
      };
      const failed: RobotsCopy = {
        ...copy,
        access: "unreachable",
        status: 0,
        failure: "dns",
        body: "",
        capture: null,
      };
      const { robotsIds } = await world.commit({ robots: [copy, failed, { ...copy, host: "http://b" as HostKey }] });
      assert.deepEqual(robotsIds, [1, 2, 3]);
      await world.crash();
      assert.deepEqual(await world.backend.robots(A), { ...failed, id: 2 });
      assert.deepEqual(await world.backend.robotsReached(A), { ...copy, id: 1 });
      assert.deepEqual((await world.commit({ robots: [copy] })).robotsIds, [4]);
      assert.equal((await world.backend.robots(A))?.id, 4);
      assert.deepEqual(await Array.fromAsync(world.backend.robotsCopies()), [
        { ...copy, id: 1 },
        { ...failed, id: 2 },
        { ...copy, host: "http://b" as HostKey, id: 3 },
        { ...copy, id: 4 },
      ]);
    });

    it("tells every request that was made, visits and others, in order of their start", async () => {
      const world = await begin();
      const { backend } = world;
      await backend.add([url("a", "1"), url("b", "2")]);
      const [one, two] = await backend.lease(2);
      const at = (startedAt: number) => ({ startedAt, endedAt: startedAt + 5, status: 200 });
      const robots = { host: "http://c" as HostKey, href: "http://c/robots.txt" as Href, address: "192.0.2.9" };
      await world.commit({
        settled: [
          settled(one!, ended(), 0, { record: { ...recordOf(one!, "fetched", 0), ...at(30) } }),
          settled(two!, ended("dns"), 0, { record: { ...recordOf(two!, "dns", 0), address: null } }),
        ],
        requests: [
          { ...robots, ...at(40) },
          { ...robots, ...at(10), status: null },
        ],
      });
      await world.crash();
      const visit = { host: "http://a" as HostKey, href: "http://a/1" as Href, address: "192.0.2.1" };
      assert.deepEqual(await Array.fromAsync(world.backend.requests()), [
        { ...robots, ...at(10), status: null },
        { ...visit, ...at(30) },
        { ...robots, ...at(40) },
      ]);
    });

    it("tells all that ended in one way, with the detail, and what is dropped and then wanted no longer", async () => {
      const world = await begin();
      const { backend } = world;
      const trap = (detail: string) => ({ reason: "trap", detail }) as const;
      await backend.add([
        { ...url("a", "1"), drop: trap("calendar: 2051/03") },
        url("a", "2"),
        { ...url("a", "3"), drop: trap("facets: a b") },
        { ...url("a", "4"), drop: { reason: "scope" } },
      ]);
      await backend.add([url("a", "3")]);
      const [lease] = await backend.lease(1);
      const end = { kind: "end", end: "trap", detail: "feedback: /{n}", dropped: true } as const;
      const record = { ...recordOf(lease!, "trap", 0), detail: "feedback: /{n}", attempt: 0 };
      await world.commit({ settled: [settled(lease!, end, 0, { record })] });
      await world.crash();
      assert.deepEqual(await Array.fromAsync(world.backend.endedAs("trap")), [
        { href: "http://a/1", detail: "calendar: 2051/03" },
        { href: lease!.url.href, detail: "feedback: /{n}" },
      ]);
      assert.deepEqual(await Array.fromAsync(world.backend.endedAs("scope")), [{ href: "http://a/4", detail: null }]);
      assert.deepEqual(await Array.fromAsync(world.backend.endedAs("dns")), []);
    });

    it("keeps marks by file and facts by name, the latest of each", async () => {
      const world = await begin();
      const { backend } = world;
      await world.commit({
        marks: [
          { file: "a", bytes: 2 ** 40 },
          { file: "b", bytes: 1 },
          { file: "b", bytes: 2 },
        ],
      });
      await backend.setFact("startedAt", "1");
      await backend.setFact("startedAt", "2");
      await world.crash();
      assert.deepEqual(Object.fromEntries(await world.backend.marks()), { a: 2 ** 40, b: 2 });
      assert.equal(await world.backend.fact("startedAt"), "2");
      assert.equal(await world.backend.fact("none"), null);
    });
  });
}
