import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { silentLog } from "../../src/base/log.ts";
import { ThreadVisitors } from "../../src/crawl/threads.ts";
import type { Errand } from "../../src/model/visited.ts";

/** A visit thread that sends its errands back as they came, and with them what it was told of the visits before. */
const ECHO = `
  const { parentPort } = require("node:worker_threads");
  parentPort.on("message", ({ kind, errands }) => {
    if (kind === "close") {
      parentPort.postMessage({ kind: "closed" });
      parentPort.close();
    } else {
      const marks = errands.map(({ lease }) => ({ file: String(lease.previous), bytes: 0 }));
      parentPort.postMessage({ kind: "sealed", sealed: { visits: errands.slice(0, 2), unasked: errands.slice(2), marks } });
    }
  });
  parentPort.postMessage({ kind: "ready" });
`;

const errand = (token: number, previous: object | null): Errand =>
  ({ lease: { token, previous, url: { host: "http://a.test" } } }) as unknown as Errand;

describe("visit threads", () => {
  it("are not sent the record of the visit before, which is there again when the visit is back", async () => {
    await using visitors = new ThreadVisitors([new Worker(ECHO, { eval: true })], 8, async () => null, silentLog);
    await visitors.ready();
    const errands = [errand(1, null), errand(2, { urlId: 7, end: "fetched" }), errand(3, { urlId: 8, end: "fetched" })];
    visitors.give(errands);
    const [sealed] = await visitors.take();
    assert.deepEqual(
      sealed!.marks.map(({ file }) => file),
      ["null", "null", "null"],
    );
    assert.deepEqual(
      [...sealed!.visits, ...sealed!.unasked].map(({ lease }) => lease),
      errands.map(({ lease }) => lease),
    );
  });
});
