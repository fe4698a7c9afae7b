/** The fake web in a process of its own, so that its work does not slow what is tested. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Rule } from "./behaviour.ts";
import { type LogEntry, readLog } from "./log.ts";
import type { FakeWebOptions } from "./options.ts";
import { originOf } from "./page.ts";
import { type Site, site } from "./site.ts";

/** The one line that serve.ts prints when it is ready. */
export interface Ready {
  readonly port: number;
  readonly dnsPort: number;
  readonly dns: string;
  readonly addresses: readonly string[];
  readonly allowNet: string;
  readonly seeds: readonly string[];
  readonly log: string | null;
}

export type Order =
  | { readonly kind: "behave"; readonly rule: Rule }
  | { readonly kind: "flush" }
  | { readonly kind: "close" };

export interface SpawnedWeb extends Ready, AsyncDisposable {
  /** The same content, computed here: what is reachable, what robots.txt says. */
  readonly site: Site;
  origin(host: number | string): string;
  behave(rule: Rule): Promise<void>;
  /** The log up to now; requests under way are not in it. */
  entries(): Promise<LogEntry[]>;
}

export async function spawnFakeWeb(options: FakeWebOptions = {}): Promise<SpawnedWeb> {
  const dir = await mkdtemp(join(tmpdir(), "fake-web-"));
  const logFile = options.logFile ?? join(dir, "log.jsonl");
  const args = ["--options", JSON.stringify({ ...options, logFile })];
  const child = fork(join(import.meta.dirname, "serve.ts"), args, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const exited = once(child, "exit");
  const answered = async (): Promise<unknown> => {
    const [answer] = await Promise.race([
      once(child, "message"),
      exited.then(([code]) => Promise.reject(new Error(`the fake web ended with code ${code}`))),
    ]);
    return answer;
  };
  // One order at a time: answers carry no number.
  let turn: Promise<unknown> = answered();
  const order = (what: Order): Promise<unknown> => {
    turn = turn.then(() => {
      child.send(what);
      return answered();
    });
    return turn;
  };
  let ready: Ready;
  try {
    ready = (await turn) as Ready;
  } catch (cause) {
    await rm(dir, { recursive: true });
    throw cause;
  }
  child.stdout?.resume();
  return {
    ...ready,
    site: site(options, ready.port),
    origin: (host) => originOf(host, ready.port),
    async behave(rule) {
      await order({ kind: "behave", rule });
    },
    async entries() {
      await order({ kind: "flush" });
      return readLog(logFile);
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.send({ kind: "close" } satisfies Order);
      await exited;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
