/**
 * A process that crawls without a network and kills itself, as `kill -9` would, at the n-th step of its writes; with a
 * third argument at the n-th of the steps of that name.
 * Prints what was acknowledged, a line each: "add COUNT", "end ID" for every settled URL, "back ID" for each queued again.
 */
import { writeSync } from "node:fs";
import { openEmbedded } from "../../../src/store/embedded/backend.ts";
import { ended, settled, TestClock, url } from "../../conformance/frontier-world.ts";

const [dir, steps, only] = process.argv.slice(2) as [string, string, string?];
let left = Number(steps);
const clock = new TestClock();
const backend = openEmbedded(dir, {
  clock,
  snapshots: only === "snapshot" ? { every: 100, bytesAtOnce: 4000 } : {},
  disk: { logPages: 20, newest: 0 },
  fault(point) {
    if ((only === undefined || point === only) && left-- === 0) process.kill(process.pid, "SIGKILL");
  },
});
const say = (line: string) => writeSync(1, `${line}\n`);

let made = 0;
const fresh = (count: number) => Array.from({ length: count }, () => url(`h${made % 3}`, String(made++)));
say(`add ${await backend.add(fresh(150))}`);
for (;;) {
  clock.time += 10;
  const leases = await backend.lease(3);
  const parts = leases.map((lease) =>
    settled(lease, ended(), clock.time, {
      links: fresh(only === undefined ? 60 : only === "revisit" ? 1 : 3),
      dueAt: clock.time + 99,
    }),
  );
  const { admitted } = await backend.commit({
    settled: parts,
    hosts: [],
    robots: [],
    marks: [{ file: "a", bytes: made }],
  });
  say(`add ${admitted}`);
  await new Promise(setImmediate); // lets a snapshot be put in place
  for (const { url } of leases) say(`end ${url.id}`);
  if (only !== "revisit") continue;
  // All of these come back, and half of those that came back before.
  const back = leases.filter(({ previous, url }) => previous === null || url.id % 2 === 0);
  await backend.revisit(back.map(({ url }) => ({ id: url.id, priority: url.id % 3 })));
  for (const { url } of back) say(`back ${url.id}`);
}
