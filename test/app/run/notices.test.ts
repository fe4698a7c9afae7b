import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withNotices } from "../../../src/app/run/sending.ts";
import { silentLog } from "../../../src/base/log.ts";

function told() {
  const lines: string[] = [];
  const events: string[] = [];
  const log = withNotices(silentLog, {
    signal: new AbortController().signal,
    onNotice: (line) => lines.push(line),
    onEvent: (level, _, event) => events.push(`${level} ${event}`),
  });
  return { log, lines, events };
}

describe("what people are told of the log", () => {
  it("is said once, however many notice it, and once when it is over", () => {
    const { log, lines } = told();
    for (let thread = 0; thread < 3; thread++) log.warn({ store: "s3://b", error: "s3://b answers 503" }, "store-away");
    for (let thread = 0; thread < 3; thread++) log.warn({ store: "s3://b", ms: 5 }, "store-back");
    assert.deepEqual(lines, ["s3://b answers 503; the crawl waits for it, nothing is lost", "s3://b is there again"]);
  });

  it("tells a frontier that does not answer from a part of it that moves, and from one that is full", () => {
    const { log, lines } = told();
    log.warn({ error: "CLUSTERDOWN The cluster is down" }, "frontier-away");
    log.warn({ ms: 5 }, "frontier-back");
    log.warn({ error: "TRYAGAIN the slot is on its way to another master" }, "frontier-away");
    log.warn({ ms: 5 }, "frontier-back");
    log.warn({ error: "OOM" }, "frontier-full");
    assert.deepEqual(
      lines.filter((line) => !line.endsWith("again")),
      [
        "the frontier does not answer (CLUSTERDOWN The cluster is down); the crawl waits for it, nothing is lost",
        "a part of the frontier is on its way to another Redis master; the crawl waits for it, nothing is lost",
        "a Redis master has no memory left; give it more (maxmemory): the crawl waits for it, nothing is lost",
      ],
    );
  });

  it("is not all of it; but who counts hears all that is not for debugging", () => {
    const { log, lines, events } = told();
    log.debug({}, "small");
    log.info({}, "members");
    log.warn({}, "host-backs-off");
    log.error({}, "disk");
    assert.deepEqual([lines, events], [[], ["info members", "warn host-backs-off", "error disk"]]);
  });
});
