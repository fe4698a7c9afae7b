import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { workDisplay } from "../../../src/app/cli/work-display.ts";

function display(isTTY: boolean, env: Record<string, string> = {}) {
  const written: string[] = [];
  let time = 0;
  const clock = { now: () => time, sleep: async () => {} };
  const screen = { isTTY, columns: 24, write: (text: string) => written.push(text) };
  const shown = workDisplay(screen, { clock, env }, (done, total) => `Read ${done} of ${total ?? "?"}`);
  return {
    at(ms: number, done: number, total: number | null) {
      time = ms;
      shown.at(done, total);
      return written.splice(0);
    },
    end() {
      shown.end();
      return written.splice(0);
    },
  };
}

describe("the progress of a piece of work", () => {
  it("is silent for a second, then redrawn in place on a terminal, and taken away", () => {
    const shown = display(true);
    assert.deepEqual(shown.at(999, 1, 8), []);
    assert.deepEqual(shown.at(1_000, 2, 8), ["\rRead 2 of 8 (25 %)\x1b[K"]);
    assert.deepEqual(shown.at(1_100, 3, 8), [], "not more often than the eye follows");
    assert.deepEqual(shown.at(1_200, 4, null), ["\rRead 4 of ?\x1b[K"]);
    assert.deepEqual(shown.at(2_000, 123_456_789, 1e9), ["\rRead 123456789 of 10000\x1b[K"], "cut to the width");
    assert.deepEqual(shown.end(), ["\r\x1b[K"]);
    assert.deepEqual(shown.end(), []);
  });
  it("is a line every ten seconds elsewhere", () => {
    for (const shown of [display(false), display(true, { TERM: "dumb" })]) {
      assert.deepEqual(shown.at(9_999, 1, 2), []);
      assert.deepEqual(shown.at(10_000, 1, 2), ["Read 1 of 2 (50 %)\n"]);
      assert.deepEqual(shown.at(15_000, 1, 2), []);
      assert.deepEqual(shown.at(20_000, 9, 2), ["Read 9 of 2 (100 %)\n"]);
      assert.deepEqual(shown.end(), []);
    }
  });
  it("leaves no trace of work that took no time", () => {
    const shown = display(true);
    shown.at(500, 1, 2);
    assert.deepEqual(shown.end(), []);
  });
});
