/** A shell for tests: a directory of its own, output kept as text, a clock and signals that the test owns. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Shell } from "../../src/app/cli/command.ts";

export interface TestShell extends Shell, Disposable {
  readonly out: () => string;
  /** What `out` gives, as bytes. */
  readonly bytes: () => Buffer;
  readonly err: () => string;
  time: number;
  stdin: string;
  /** Delivers a signal to whoever listens; how many did. */
  send(signal: NodeJS.Signals): number;
  readonly exits: number[];
}

export function testShell(): TestShell {
  const cwd = mkdtempSync(join(tmpdir(), "trawl-app-"));
  const out: Buffer[] = [];
  const err: string[] = [];
  const listeners = new Map<string, Set<(signal: NodeJS.Signals) => void>>();
  const exits: number[] = [];
  const shell: TestShell = {
    cwd,
    env: {},
    time: 1_000_000,
    stdin: "",
    exits,
    clock: {
      now: () => shell.time,
      // Time stands still unless the test moves it: only an abort ends a sleep.
      sleep: (_ms, signal) =>
        new Promise((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true })),
    },
    stdout: { write: (text) => out.push(Buffer.from(text)) },
    stderr: { write: (text) => err.push(text) },
    out: () => Buffer.concat(out).toString(),
    bytes: () => Buffer.concat(out),
    err: () => err.join(""),
    readStdin: async () => shell.stdin,
    signals: {
      on(signal, listener) {
        if (!listeners.has(signal)) listeners.set(signal, new Set());
        listeners.get(signal)!.add(listener);
      },
      off: (signal, listener) => listeners.get(signal)?.delete(listener),
      exit: (code) => exits.push(code),
    },
    send(signal) {
      const all = [...(listeners.get(signal) ?? [])];
      for (const listener of all) listener(signal);
      return all.length;
    },
    [Symbol.dispose]: () => rmSync(cwd, { recursive: true, force: true }),
  };
  return shell;
}
