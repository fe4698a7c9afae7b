/** What must hold of each master before a crawl is given to it, and what one would want to know. From the answer to INFO. */
import { ClusterError } from "./errors.ts";

/** Lists as large as an entry of the layout may be kept as such in Redis 7 and Valkey, and not before. */
const OLDEST = 7;

/** A master, for people to look at. */
export interface MasterStanding {
  readonly address: string;
  readonly usedBytes: number;
  /** Its maxmemory; null when none is set. */
  readonly mostBytes: number | null;
  /** How many follow it. */
  readonly replicas: number;
  /** Slots that are on their way to another master. */
  readonly moving: number;
}

/** @throws ClusterError "refused" where what it is given could be lost, or not be understood. */
export function mustBeFit(address: string, info: string): void {
  const is = (field: string): string => fieldOf(info, field);
  const refuse = (words: string) => {
    throw new ClusterError("refused", `Redis at ${address} ${words}`);
  };
  const version = is("redis_version");
  if (Number.parseInt(version, 10) < OLDEST)
    refuse(`is version ${version}; a crawl needs version ${OLDEST} or newer, or Valkey`);
  if (is("cluster_enabled") !== "1") refuse(ALONE);
  const policy = is("maxmemory_policy");
  if (policy !== "noeviction")
    refuse(`throws keys away when its memory is full (maxmemory-policy ${policy}); set maxmemory-policy noeviction`);
  if (is("aof_enabled") !== "1") refuse("keeps no log of what it was given (appendonly no); set appendonly yes");
}

export const ALONE = "is no part of a cluster; start it with cluster-enabled yes, and make a cluster of some of them";

export const UNMADE =
  "the nodes of Redis are no cluster yet, none of them has a slot; make one of them with redis-cli --cluster create";

/** How many replicas follow it. */
export const replicasIn = (info: string): number => info.match(/^slave\d+:.*state=online/gm)?.length ?? 0;

/** From the answers to INFO and to CLUSTER NODES. */
export function masterIn(address: string, info: string, nodes: string): MasterStanding {
  const most = Number(fieldOf(info, "maxmemory"));
  return {
    address,
    usedBytes: Number(fieldOf(info, "used_memory")),
    mostBytes: most === 0 ? null : most,
    replicas: replicasIn(info),
    moving: nodes.match(/\[\d+->-/g)?.length ?? 0,
  };
}

const fieldOf = (info: string, field: string): string =>
  new RegExp(`^${field}:(.*)$`, "m").exec(info)?.[1]?.trim() ?? "";
