import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { listenForSignals } from "../../../src/app/cli/signals.ts";
import { testShell } from "../shell.ts";

function listening() {
  const shell = testShell();
  const said: string[] = [];
  const stops = listenForSignals(shell.signals, shell.clock, (line) => said.push(line));
  return { shell, said, stops };
}

describe("signals", () => {
  it("stop cleanly once, at once twice, and without asking thrice", () => {
    const { shell, said, stops } = listening();
    shell.send("SIGINT");
    assert.deepEqual([stops.signal.aborted, stops.hardSignal.aborted, said.length], [true, false, 1]);
    shell.time += 1_000;
    shell.send("SIGINT");
    assert.deepEqual([stops.hardSignal.aborted, said.length, shell.exits.length], [true, 2, 0]);
    shell.time += 1_000;
    shell.send("SIGINT");
    assert.deepEqual(shell.exits, [130]);
  });
  it("that come together are one: a terminal and npm both pass on Ctrl-C", () => {
    const { shell, stops } = listening();
    shell.send("SIGINT");
    shell.time += 5;
    shell.send("SIGINT");
    assert.equal(stops.hardSignal.aborted, false);
  });
  it("are remembered by the first of them", () => {
    const { shell, stops } = listening();
    assert.equal(stops.received(), null);
    shell.send("SIGTERM");
    shell.time += 1_000;
    shell.send("SIGINT");
    assert.equal(stops.received(), "SIGTERM");
  });
  it("are not listened to any more when it is over", () => {
    const { shell, stops } = listening();
    stops[Symbol.dispose]();
    assert.equal(shell.send("SIGINT") + shell.send("SIGTERM") + shell.send("SIGHUP"), 0);
  });
});
