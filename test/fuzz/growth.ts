/** Whether a reader's time grows faster than its input: words said again and again, four times as often each time. */
import fc from "fast-check";
import type { Target } from "./target.ts";

/** Characters; each four times the one before. */
const SIZES = [16_384, 65_536, 262_144, 1_048_576] as const;
/** A linear reader takes four times as long, a quadratic one sixteen times. */
const MOST_RATIO = 8;
/** Below this, in microseconds of CPU, times say nothing. */
const TOO_SHORT = 50_000;

/** Sentences about what grows too fast; none when all is well. `units` are taken from the target's words and put together at random. */
export async function tooFast(target: Target, units: number, seed: number): Promise<string[]> {
  const found: string[] = [];
  for (const [lead, unit] of patterns(target, units, seed)) {
    const times: number[] = [];
    for (const size of SIZES) {
      const text = lead + unit.repeat(Math.ceil(size / unit.length));
      times.push(await cpuOf(() => target.check(text)));
      if (times.at(-1)! < TOO_SHORT) continue;
      // What looks bad is looked at again: the machine may have been busy.
      if (ratio(times) > MOST_RATIO)
        times[times.length - 1] = Math.min(times.at(-1)!, await cpuOf(() => target.check(text)));
      if (ratio(times) <= MOST_RATIO) continue;
      const took = times.map((time) => `${Math.round(time / 1000)} ms`).join(", ");
      found.push(`${target.name}: ${JSON.stringify(lead)} and ${JSON.stringify(unit)} again and again took ${took}`);
      break;
    }
  }
  return found;
}

const ratio = (times: readonly number[]): number =>
  times.length < 2 ? 0 : times.at(-1)! / Math.max(times.at(-2)!, 4_000);

function patterns({ words }: Target, units: number, seed: number): [lead: string, unit: string][] {
  const word = fc.constantFrom(...words);
  const some = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
  const lead = fc.oneof(fc.constant(""), some);
  const mixed = fc.sample(fc.tuple(lead, some), { seed, numRuns: Math.max(0, units - words.length) });
  return [...words.map((one): [string, string] => ["", one]), ...mixed].filter(([, unit]) => unit !== "");
}

/** Microseconds that this thread has worked. */
async function cpuOf(run: () => void | Promise<void>): Promise<number> {
  const before = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
