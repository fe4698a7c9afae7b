import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type HostAgain, NEVER_AGAIN } from "../../src/model/host.ts";
import { askedHow, hostAfter, type Looked, tellingApart } from "../../src/policy/conditional.ts";
import { random } from "../web/random.ts";

const RULES = { wholeEvery: 10 };
const page = { etag: '"a"', lastModified: null, unread: 0, checks: 40 };
const first = (urlId: number) => ({ urlId, attempt: 1 });
const ids = Array.from({ length: 200 }, (_, n) => n + 1);

describe("asking again", () => {
  it("sends whatever validators there are, and asks plainly where there is none", () => {
    assert.equal(askedHow(page, first(1), null, RULES), "conditional");
    assert.equal(askedHow({ ...page, etag: 'W/"a"' }, first(1), null, RULES), "conditional");
    assert.equal(askedHow({ ...page, etag: null, lastModified: "yesterday" }, first(1), null, RULES), "conditional");
    assert.equal(askedHow({ ...page, etag: null }, first(1), null, RULES), "plain");
  });

  it("asks for the whole about every tenth time, not for all pages in the same", () => {
    const turns = ids.map((id) => {
      let unread = 0;
      while (askedHow({ ...page, unread }, first(id), null, RULES) === "conditional") unread++;
      return unread + 1;
    });
    const mean = turns.reduce((sum, turn) => sum + turn, 0) / turns.length;
    assert.ok(Math.abs(mean - 10) < 0.5, `every ${mean}th`);
    assert.ok(Math.min(...turns) >= 8 && Math.max(...turns) <= 13);
    assert.ok(new Set(turns).size > 3);
  });

  it("asks for the whole at a second attempt, whatever the first has failed by", () => {
    for (const attempt of [2, 3]) assert.equal(askedHow(page, { urlId: 1, attempt }, null, RULES), "whole");
  });

  it("goes by no field that is empty or stands for any content", () => {
    for (const etag of ["", "*"])
      assert.deepEqual(tellingApart({ etag, lastModified: "" }), { etag: null, lastModified: null });
    for (const etag of ['""', "W/*", "bare"]) assert.equal(tellingApart({ etag, lastModified: null }).etag, etag);
  });

  it("asks for the whole of one page in ten at the first look, of another at the next, until it was asked for whole once", () => {
    const turns = ids.map((id) => {
      let looks = 0;
      while (askedHow({ ...page, unread: looks, checks: looks }, first(id), null, RULES) === "conditional") looks++;
      return looks + 1;
    });
    for (let turn = 1; turn <= 10; turn++) {
      const share = turns.filter((one) => one === turn).length / turns.length;
      assert.ok(share > 0.05 && share < 0.15, `${share} at look ${turn}`);
    }
  });

  it("always asks for the whole when told to, and of a host that lies", () => {
    for (const id of ids) assert.equal(askedHow(page, first(id), null, { wholeEvery: 1 }), "whole");
    assert.equal(askedHow(page, first(1), { ...NEVER_AGAIN, liar: true }, RULES), "whole");
  });
});

const A = { etag: '"a"', lastModified: null };
const B = { etag: '"b"', lastModified: null };

describe("a host that says that nothing has changed", () => {
  it("lies when a page has changed and its validator has not", () => {
    const whole = (more: Partial<Looked>): HostAgain =>
      hostAfter(NEVER_AGAIN, { asked: "whole", changed: true, before: A, now: A, ...more });
    assert.ok(whole({}).liar);
    assert.ok(!whole({ changed: false }).liar);
    assert.ok(!whole({ now: B }).liar);
    const dated = { etag: null, lastModified: "Thu, 01 Jan 2026 00:00:00 GMT" };
    assert.ok(whole({ before: dated, now: dated }).liar);
    // It goes by the tag, where there is one.
    assert.ok(!whole({ before: { ...dated, etag: '"a"' }, now: { ...dated, etag: '"b"' } }).liar);
  });

  it("lies when whoever asks for the whole finds changes and nobody else does", () => {
    let host: HostAgain = NEVER_AGAIN;
    let changes = 0;
    for (let n = 1; !host.liar && n < 1_000; n++) {
      const whole = n % 10 === 0;
      if (whole) changes++;
      host = hostAfter(host, { asked: whole ? "whole" : "conditional", changed: whole, before: A, now: whole ? B : A });
    }
    assert.ok(host.liar);
    assert.ok(changes <= 6, `after ${changes} changes`);
  });

  it("is believed while changes are found as often by either, for ten thousand changes", () => {
    const draw = random(7, "an honest host");
    for (const rate of [0.02, 0.3, 0.9]) {
      let host: HostAgain = NEVER_AGAIN;
      for (let changes = 0; changes < 10_000; ) {
        const changed = draw.chance(rate);
        if (changed) changes++;
        const asked = draw.chance(0.1) ? "whole" : "conditional";
        host = hostAfter(host, { asked, changed, before: A, now: changed ? B : A });
      }
      assert.ok(!host.liar, `at ${rate}`);
    }
  });

  it("is caught although it was honest for years", () => {
    let host: HostAgain = NEVER_AGAIN;
    for (let n = 1; n <= 10_000; n++)
      host = hostAfter(host, {
        asked: n % 10 === 0 ? "whole" : "conditional",
        changed: n % 3 === 0,
        before: A,
        now: B,
      });
    assert.ok(!host.liar);
    for (let changes = 0; changes < 8; changes++)
      host = hostAfter(host, { asked: "whole", changed: true, before: A, now: B });
    assert.ok(host.liar);
  });
});
