/** The way to a crawl that crawlers share: the cluster that has its frontier, and what all of them have alike. */

import { Facts } from "../../store/cluster/crawl/facts.ts";
import { Connection, type ConnectionOptions } from "../../store/cluster/redis/connection.ts";
import { parseFrontier } from "../config/frontier.ts";

/** Who only looks does not wait for a cluster that is away as a crawl does, in ms. */
const PATIENCE_MS = 5_000;

/** By what `--frontier` says, which has been checked. @throws ClusterError */
export function openFrontier(frontier: string, options: Omit<ConnectionOptions, "nodes"> = {}): Promise<Connection> {
  const address = parseFrontier(frontier);
  if (!address.ok) throw new Error(`${frontier} ${address.error}`);
  return Connection.open({ ...address.value, patienceMs: PATIENCE_MS, ...options });
}

/** The name of the fact. */
export const CONFIG = "config";

/** What its crawlers have alike, unchecked; null when nobody has begun the crawl yet. @throws ClusterError */
export async function readSharedConfig(connection: Connection, name: string): Promise<Record<string, unknown> | null> {
  const kept = await new Facts(connection, name).fact(CONFIG);
  return kept === null ? null : (JSON.parse(kept) as Record<string, unknown>);
}
