import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RequestEntry } from "./log.ts";
import { deniedRequests, requestsBeforeRobots, requestsTooSoon, smallestGap, smallestGaps } from "./politeness.ts";

function request(
  host: string,
  startedAt: number,
  endedAt: number | null,
  rest: Partial<RequestEntry> = {},
): RequestEntry {
  return {
    kind: "request",
    connection: 1,
    method: "GET",
    host,
    address: "127.0.1.1",
    path: "/",
    agent: "trawlbot/1",
    startedAt,
    endedAt,
    status: 200,
    page: null,
    ...rest,
  };
}

describe("gaps", () => {
  it("run from the end of one request to the start of the next", () => {
    const { hosts } = smallestGaps([request("a", 0, 100), request("a", 1100, 1200), request("a", 1900, 2000)]);
    assert.equal(hosts.get("a")!.ms, 700);
  });
  it("are negative where requests overlap, even behind a shorter one", () => {
    const { hosts } = smallestGaps([request("a", 0, 5000), request("a", 6, 7), request("a", 1000, 1100)]);
    assert.equal(hosts.get("a")!.ms, -4994);
    assert.equal(smallestGaps([request("a", 0, null), request("a", 9e9, null)]).hosts.get("a")!.ms, -Infinity);
  });
  it("are kept for an address over all its hosts", () => {
    const log = [request("a", 0, 10), request("b", 15, 20), request("c", 16, 20, { address: "127.0.1.2" })];
    const { hosts, addresses } = smallestGaps(log);
    assert.equal(hosts.size, 0);
    assert.deepEqual(
      [...addresses].map(([name, gap]) => [name, gap.ms]),
      [["127.0.1.1", 5]],
    );
    assert.equal(smallestGap(addresses)!.after.host, "b");
    assert.equal(smallestGap(hosts), null);
  });
});

describe("requests that should not have been made", () => {
  it("are those that robots.txt denies to the agent", () => {
    const rules = new Map([["a", [{ agents: ["*"], disallow: ["/private/"] }]]]);
    const log = [
      request("a", 0, 1, { path: "/private/x" }),
      request("a", 2, 3),
      request("b", 0, 1, { path: "/private/x" }),
    ];
    assert.deepEqual(deniedRequests(log, rules), [log[0]]);
  });
  it("are those before robots.txt was answered", () => {
    const robots = request("a", 10, 20, { path: "/robots.txt" });
    const log = [request("a", 5, 6), robots, request("a", 15, 16), request("a", 21, 22), request("b", 1, 2)];
    assert.deepEqual(requestsBeforeRobots(log), [log[0], log[2], log[4]]);
  });
  it("are those while a 429 or 503 stands", () => {
    const log = [
      request("a", 0, 10, { status: 429 }),
      request("a", 500, 510),
      request("a", 1011, 1020),
      request("b", 20, 30),
    ];
    assert.deepEqual(requestsTooSoon(log, 1000), [log[1]]);
  });
});
