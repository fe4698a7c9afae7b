import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { Apart } from "../../src/media/apart.ts";

const entry = new URL("./stubborn-thread.ts", import.meta.url);

/** A clock whose sleepers wake when they are told. */
function clockOnCall() {
  const sleepers: (() => void)[] = [];
  return {
    now: () => 0,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        sleepers.push(resolve);
        signal?.addEventListener("abort", () => resolve());
      }),
    wake: () => {
      for (const resolve of sleepers.splice(0)) resolve();
    },
  };
}

const job = (what: string) => ({ body: new Uint8Array(Buffer.from(what)), withText: true });

describe("Apart", () => {
  it("does one job after the other, in order", async () => {
    await using apart = new Apart({ clock: clockOnCall(), entry });
    const done: string[] = [];
    const answers = ["a", "b", "c"].map((what) => apart.run("pdf", job(what)).finally(() => done.push(what)));
    assert.deepEqual(await Promise.all(answers), [
      { ok: true, value: "a" },
      { ok: true, value: "b" },
      { ok: true, value: "c" },
    ]);
    assert.deepEqual(done, ["a", "b", "c"]);
  });
  it("ends a job that takes too long, though it blocks its thread, and does the next", async () => {
    const clock = clockOnCall();
    await using apart = new Apart({ clock, deadlineMs: 5_000, entry });
    const hangs = apart.run("pdf", job("hangs"));
    const next = apart.run("pdf", job("next"));
    await new Promise(setImmediate);
    clock.wake();
    assert.deepEqual(await hangs, { ok: false, error: "it took longer than 5 s" });
    assert.deepEqual(await next, { ok: true, value: "next" });
  });
  it("ends a job that takes too much memory, in whatever steps, and does the next", async () => {
    await using apart = new Apart({ clock: systemClock, memoryMiB: 64, entry });
    assert.deepEqual(await apart.run("pdf", job("swells")), { ok: false, error: "it took more than 64 MiB of memory" });
    assert.deepEqual(await apart.run("pdf", job("next")), { ok: true, value: "next" });
  });
  it("survives a thread that dies of its job", async () => {
    await using apart = new Apart({ clock: clockOnCall(), entry });
    assert.deepEqual(await apart.run("pdf", job("throws")), { ok: false, error: "of itself" });
    assert.deepEqual(await apart.run("pdf", job("dies")), { ok: false, error: "its thread ended by itself" });
    assert.deepEqual(await apart.run("pdf", job("next")), { ok: true, value: "next" });
  });
  it("ends with what is being done, and refuses what comes later", async () => {
    const apart = new Apart({ clock: clockOnCall(), entry });
    const open = [apart.run("pdf", job("hangs")), apart.run("pdf", job("waits"))];
    await new Promise(setImmediate);
    await apart[Symbol.asyncDispose]();
    const stopped = { ok: false, error: "the crawl was stopped before it was read" };
    assert.deepEqual(await Promise.all(open), [stopped, stopped]);
    assert.deepEqual(await apart.run("pdf", job("late")), stopped);
  });
});
