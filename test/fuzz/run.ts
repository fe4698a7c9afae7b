/**
 * The long form: `npm run fuzz -- [INPUTS] [--seed N] [--from N] [TARGET...]`. Inputs come in batches, each with a seed of
 * its own that is told when something is found; `--seed S --from N` goes on behind the first N. Throws, hangs (a batch of
 * a thousand that makes no progress for two minutes) and times that grow faster than inputs are faults; the exit code is 1 when there are any.
 */
import { once } from "node:events";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import fc from "fast-check";
import { BODY_TARGETS } from "./body-targets.ts";
import { tooFast } from "./growth.ts";
import { inputs, type Target } from "./target.ts";
import { TEXT_TARGETS } from "./text-targets.ts";
import { TREE_TARGET } from "./tree-target.ts";

const TARGETS = [...TEXT_TARGETS, ...BODY_TARGETS, TREE_TARGET];
const BATCH = 1_000;
const HANGS_AFTER_MS = 120_000;
/** Ways to grow that are tried on each reader. */
const PATTERNS_MOST = 300;

interface Work {
  readonly name: string;
  readonly seed: number;
  readonly from: number;
  readonly count: number;
  /** [0]: inputs begun in the batch under way; [1]: the batch. */
  readonly at: SharedArrayBuffer;
}

if (isMainThread) process.exitCode = await main();
else await work(workerData as Work);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seed: { type: "string" }, from: { type: "string", default: "0" } },
  });
  const count = positionals.find((word) => /^\d+$/.test(word)) ?? "10000";
  const names = positionals.filter((word) => !/^\d+$/.test(word));
  const unknown = names.find((name) => !TARGETS.some((target) => target.name === name));
  if (unknown !== undefined) {
    console.error(`no target is called ${unknown}; there are ${TARGETS.map(({ name }) => name).join(", ")}`);
    return 2;
  }
  const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
  console.log(`seed ${seed}, ${count} inputs for each reader`);
  let faults = 0;
  for (const { name } of TARGETS) {
    if (names.length > 0 && !names.includes(name)) continue;
    faults += await fuzz({ name, seed, from: Number(values.from), count: Number(count) });
  }
  console.log(faults === 0 ? "nothing found" : `${faults} found`);
  return faults === 0 ? 0 : 1;
}

async function fuzz(order: Omit<Work, "at">): Promise<number> {
  const at = new SharedArrayBuffer(8);
  const cells = new Int32Array(at);
  const worker = new Worker(new URL(import.meta.url), { workerData: { ...order, at } });
  const started = Date.now();
  let found = 0;
  let last = -1;
  let since = Date.now();
  worker.on("message", (text: string) => {
    found++;
    console.log(text);
  });
  const watch = setInterval(() => {
    const now = Atomics.load(cells, 0) + Atomics.load(cells, 1) * BATCH;
    if (now !== last) [last, since] = [now, Date.now()];
    else if (Date.now() - since > HANGS_AFTER_MS) {
      const seed = order.seed + Atomics.load(cells, 1);
      console.log(
        `${order.name}: hangs at input ${Atomics.load(cells, 0)} of seed ${seed}: ${hanging(order.name, seed, Atomics.load(cells, 0))}`,
      );
      found++;
      void worker.terminate();
    }
  }, 1_000);
  worker.on("error", (error) => {
    found++;
    console.log(`${order.name}: ${error.stack}`);
  });
  await once(worker, "exit");
  clearInterval(watch);
  console.log(
    `${order.name.padEnd(12)} ${found === 0 ? "ok" : `${found} found`}, ${Math.round((Date.now() - started) / 1000)} s`,
  );
  return found;
}

function hanging(name: string, seed: number, nth: number): string {
  return JSON.stringify(
    fc
      .sample(inputs(targetOf(name)), { seed, numRuns: nth })
      .at(-1)
      ?.slice(0, 2_000),
  );
}

function targetOf(name: string): Target {
  return TARGETS.find((target) => target.name === name)!;
}

async function work({ name, seed, from, count, at }: Work): Promise<void> {
  const target = targetOf(name);
  const cells = new Int32Array(at);
  for (let done = from; done < count; done += BATCH) {
    const batch = Math.floor(done / BATCH);
    Atomics.store(cells, 1, batch);
    Atomics.store(cells, 0, 0);
    const property = fc.asyncProperty(inputs(target), async (input) => {
      Atomics.add(cells, 0, 1);
      await target.check(input);
    });
    const run = await fc.check(property, { seed: seed + batch, numRuns: Math.min(BATCH, count - done) });
    if (run.failed) {
      const error =
        run.errorInstance instanceof Error
          ? run.errorInstance.stack?.split("\n").slice(0, 4).join("\n    ")
          : String(run.errorInstance);
      parentPort!.postMessage(
        `${name}: seed ${seed + batch}, ${JSON.stringify(run.counterexample?.[0])}\n    ${error}`,
      );
    }
  }
  Atomics.store(cells, 1, Math.ceil(count / BATCH));
  if (target.mayGrow) return;
  const patterns = Math.min(Math.ceil(count / 100), PATTERNS_MOST);
  for (const sentence of await tooFast({ ...target, check: counted(target, cells) }, patterns, seed))
    parentPort!.postMessage(sentence);
}

/** Growing inputs are progress too. */
function counted(target: Target, cells: Int32Array): Target["check"] {
  return (input) => {
    Atomics.add(cells, 0, 1);
    return target.check(input);
  };
}
