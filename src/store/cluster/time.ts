/** What time it is where a crawl is kept: the clocks of its crawlers agree with that to a few seconds, one's own may not. */
import { type Clock, systemClock } from "../../base/clock.ts";
import type { Connection } from "./connection.ts";
import { crawlKey } from "./facts.ts";

/** The time of the master that has the crawl's own keys. */
export async function clusterClock(connection: Connection, name: string): Promise<Clock> {
  const [seconds, micros] = (await connection.command(crawlKey(name), ["TIME"])) as [string, string];
  const ahead = Number(seconds) * 1_000 + Number(micros) / 1_000 - systemClock.now();
  return { now: () => systemClock.now() + ahead, sleep: (ms, signal) => systemClock.sleep(ms, signal) };
}
