import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { progressDisplay } from "../../../src/app/cli/progress-display.ts";
import { STARTED, stats } from "../stats.ts";

function screen(isTTY: boolean, columns = 80) {
  const writes: string[] = [];
  return { isTTY, columns, writes, write: (text: string) => writes.push(text) };
}

/** What a terminal shows after these writes: enough of one for what the display uses. */
function shown(writes: readonly string[]): string[] {
  const lines: string[] = [""];
  let row = 0;
  let column = 0;
  for (const [token] of writes.join("").matchAll(/\x1b\[(\d*)([A-Za-z])|[\s\S]/g)) {
    const code = /\x1b\[(\d*)([A-Za-z])/.exec(token);
    if (code === null) {
      if (token === "\n") {
        row++;
        column = 0;
        lines[row] ??= "";
      } else if (token === "\r") column = 0;
      else {
        lines[row] = lines[row]!.slice(0, column).padEnd(column) + token + lines[row]!.slice(column + 1);
        column++;
      }
    } else if (code[2] === "A") row -= Number(code[1]);
    else if (code[2] === "K") lines[row] = lines[row]!.slice(0, column);
    else if (code[2] === "J") {
      lines[row] = lines[row]!.slice(0, column);
      lines.length = row + 1;
    }
  }
  return lines;
}

const visible = (writes: readonly string[]): string[] => shown(writes).filter((line) => line !== "");

describe("on a terminal", () => {
  it("the status is redrawn in place, and a shorter one leaves nothing of a longer one", () => {
    const tty = screen(true);
    const display = progressDisplay(tty, { quiet: false, env: {} });
    const waiting = { host: "http://a.test", until: STARTED, cause: "backoff", detail: "" } as never;
    display.show(stats({ fetched: 1_234_567, waiting }));
    assert.equal(visible(tty.writes).length, 4);
    display.show(stats({ at: STARTED + 60_000, fetched: 5 }));
    const lines = visible(tty.writes);
    assert.equal(lines.length, 3);
    assert.match(lines[0]!, /^5 pages · 9\.8\/s now, 8\.2\/s mean · 12\.4 MB · 3 failed$/);
  });
  it("each drawing is a single write", () => {
    const tty = screen(true);
    const display = progressDisplay(tty, { quiet: false, env: {} });
    display.show(stats());
    display.show(stats({ at: STARTED + 60_000 }));
    assert.equal(tty.writes.length, 2);
  });
  it("snapshots that come too fast are let go", () => {
    const tty = screen(true);
    const display = progressDisplay(tty, { quiet: false, env: {} });
    display.show(stats());
    display.show(stats({ at: STARTED + 50_050 }));
    assert.equal(tty.writes.length, 1);
  });
  it("what is said stays above the status", () => {
    const tty = screen(true);
    const display = progressDisplay(tty, { quiet: false, env: {} });
    display.show(stats());
    display.say("hello");
    display.say("world");
    const lines = visible(tty.writes);
    assert.deepEqual(lines.slice(0, 2), ["hello", "world"]);
    assert.equal(lines.length, 5);
  });
  it("nothing of the status is left at the end, and what is said then is plain", () => {
    const tty = screen(true);
    const display = progressDisplay(tty, { quiet: false, env: {} });
    display.show(stats());
    display.end();
    display.show(stats({ at: STARTED + 90_000 }));
    display.say("bye");
    assert.deepEqual(visible(tty.writes), ["bye"]);
  });
  it("colour is left out when NO_COLOR is set", () => {
    const colour = /\x1b\[\d*m/;
    for (const [env, wanted] of [
      [{}, true],
      [{ NO_COLOR: "1" }, false],
    ] as const) {
      const tty = screen(true);
      progressDisplay(tty, { quiet: false, env }).show(stats());
      assert.equal(colour.test(tty.writes.join("")), wanted);
    }
  });
  it("a dumb terminal gets plain lines", () => {
    const tty = screen(true);
    progressDisplay(tty, { quiet: false, env: { TERM: "dumb" } }).show(stats());
    assert.doesNotMatch(tty.writes.join(""), /\x1b/);
  });
});

describe("where there is no terminal", () => {
  it("a line comes every ten seconds", () => {
    const pipe = screen(false);
    const display = progressDisplay(pipe, { quiet: false, env: {} });
    for (let ms = 0; ms <= 30_000; ms += 200) display.show(stats({ at: STARTED + ms }));
    assert.equal(pipe.writes.length, 3);
    assert.match(pipe.writes[0]!, /^\[10 s\] 412 pages, .*\n$/);
  });
});

describe("when quiet", () => {
  it("nothing is written", () => {
    const tty = screen(true);
    const display = progressDisplay(tty, { quiet: true, env: {} });
    display.show(stats());
    display.say("hello");
    display.end();
    assert.deepEqual(tty.writes, []);
  });
});
