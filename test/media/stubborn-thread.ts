/** A thread of the kind that `Apart` starts, which does not do what it should. */
import { parentPort } from "node:worker_threads";

parentPort!.on("message", ({ job }: { job: { body: Uint8Array } }) => {
  const what = Buffer.from(job.body).toString();
  if (what === "hangs") for (;;);
  if (what === "swells") swell();
  if (what === "dies") process.exit(3);
  if (what === "throws") throw new Error("of itself");
  parentPort!.postMessage({ ok: true, value: what });
});

/** A map that doubles as it grows, and a list beside it: 170 MiB are left of them when the garbage has been collected; kept for ever. */
function swell(): never {
  const list = new Array<number>(8_000_000).fill(0);
  const held = new Map<number, number>([[-1, list.length]]);
  for (let i = 0; i < 2_500_000; i++) held.set(i, i);
  for (;;) held.get(1);
}
