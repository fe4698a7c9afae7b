/** What a process costs, seen from outside: by GNU time, that is, by what the kernel tells of it when it has ended. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findCommand, need } from "../test/services/command.ts";

export interface Cost {
  /** User and system time of the process, all its threads, and the children it waited for; in ms, by 10. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The largest resident size, in bytes. */
  readonly peakBytes: number;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that mean it worked; 0 alone. */
  readonly fine?: readonly number[];
}

/** Runs a command in `dir`, its output dropped. Throws when it fails: a crawl that broke off is no measurement. */
export async function measured({ program, args, env, fine = [0] }: Command, dir: string): Promise<Cost> {
  const time = await need("GNU time", ["time"], () => findCommand("time"));
  const report = join(dir, "cost.txt");
  const began = performance.now();
  const child = spawn(time, ["--quiet", "--format=%U %S %M", `--output=${report}`, program, ...args], {
    cwd: dir,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-2000);
  });
  const [code] = (await once(child, "close")) as [number | null];
  const wallMs = performance.now() - began;
  if (code === null || !fine.includes(code)) throw new Error(`${program} ended with code ${code}: ${said.trim()}`);
  const [user, system, kilobytes] = (await readFile(report, "utf8")).trim().split(" ").map(Number);
  return { cpuMs: (user! + system!) * 1000, wallMs, peakBytes: kilobytes! * 1024 };
}
