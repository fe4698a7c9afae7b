/** Whether a reader's time grows faster than its input: words said again and again, four times as often each time. */
import fc from "fast-check";
import type { Target } from "./target.ts";

/** Characters; each four times the one before. */
const SIZES = [16_384, 65_536, 262_144, 1_048_576] as const;
/** A linear reader takes four times as long, a quadratic one sixteen times. */
const MOST_RATIO = 8;
/** Below this, in microseconds of CPU, times say nothing. */
const TOO_SHORT = 50_000;
/** Beyond this nobody waits for what four times as much would take. */
const LONG_ENOUGH = 1_000_000;

/** Sentences about what grows too fast; none when all is well. `units` are taken from the target's words and put together at random. */
export async function tooFast(target: Target, units: number, seed: number): Promise<string[]> {
  const found: string[] = [];
  for (const [lead, unit, tail] of patterns(target, units, seed)) {
    const textOf = (size: number) => lead + unit.repeat(Math.ceil(size / unit.length)) + tail;
    const timeOf = (size: number) => cpuOf(() => target.check(textOf(size)));
    let before = Number.POSITIVE_INFINITY;
    for (const size of SIZES) {
      let time = await timeOf(size);
      // What looks bad is looked at again: the machine may have been busy.
      for (let again = 0; again < 3 && isTooFast(before, time); again++) {
        before = Math.max(before, await timeOf(size / 4));
        time = Math.min(time, await timeOf(size));
      }
      if (isTooFast(before, time)) {
        const took = `${Math.round(before / 1000)} ms for ${size / 4}, ${Math.round(time / 1000)} ms for ${size} characters`;
        found.push(
          `${target.name}: ${JSON.stringify(lead)}, ${JSON.stringify(unit)} again and again, ${JSON.stringify(tail)} took ${took}`,
        );
        break;
      }
      if (time > LONG_ENOUGH) break;
      before = time;
    }
  }
  return found;
}

const isTooFast = (before: number, time: number): boolean =>
  time >= TOO_SHORT && time > MOST_RATIO * Math.max(before, 4_000);

function patterns({ words }: Target, units: number, seed: number): [lead: string, unit: string, tail: string][] {
  const word = fc.constantFrom(...words);
  const some = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
  const lead = fc.oneof(fc.constant(""), some);
  const mixed = fc.sample(fc.tuple(lead, some, lead), { seed, numRuns: Math.max(0, units - words.length) });
  return [...words.map((one): [string, string, string] => ["", one, ""]), ...mixed].filter(([, unit]) => unit !== "");
}

/** Microseconds that this thread has worked. */
async function cpuOf(run: () => void | Promise<void>): Promise<number> {
  const before = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
