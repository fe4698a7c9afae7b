/** Redis' own client, made so that it follows a fail-over, and notices a node that says nothing any longer. */
import { systemClock } from "../../../base/clock.ts";
import { ALONE } from "./checks.ts";
import { ClusterError, isShutOut } from "./errors.ts";

export interface ClusterAddress {
  readonly host: string;
  readonly port: number;
}

export interface ClusterAccess {
  /** Some nodes of the cluster; the others are found by them. */
  readonly nodes: readonly ClusterAddress[];
  /** Null, or left out: nobody is asked who he is. An empty user is Redis' own. */
  readonly credentials?: { readonly user: string; readonly password: string } | null;
  readonly tls?: boolean;
}

export type Client = Awaited<ReturnType<typeof make>>;

/** Once a master does not answer, it is asked so soon who has taken its place, in ms. */
const LOOK_ROUND_MS = 200;
const CONNECT_MS = 5_000;
/** Nodes are spoken to at least so often, in ms, and one that has said nothing for so long is hung up on. */
const PING_MS = 2_000;
const SILENT_MS = 8_000;

async function make({ nodes, credentials = null, tls = false }: ClusterAccess) {
  const { createCluster } = await import("@redis/client").catch((cause) => {
    const words = "a frontier in Redis needs its client: install it with npm install @redis/client";
    throw new ClusterError("missing", words, cause);
  });
  const socket = { connectTimeout: CONNECT_MS, socketTimeout: SILENT_MS, ...(tls && ({ tls } as const)) };
  return createCluster({
    rootNodes: nodes.map(({ host, port }) => ({ socket: { ...socket, host, port } })),
    defaults: {
      socket: { ...socket, reconnectStrategy: () => LOOK_ROUND_MS },
      pingInterval: PING_MS,
      ...(credentials !== null && {
        password: credentials.password,
        ...(credentials.user !== "" && { username: credentials.user }),
      }),
    },
    topologyRefreshOnReconnectionAttemptStrategy: LOOK_ROUND_MS,
  });
}

/**
 * @throws ClusterError with what the last of the nodes said, where none can be spoken to; or with the masters that say nothing
 * within `withinMs`, or some more where nodes hang: the client would wait for them without end.
 */
export async function connect(access: ClusterAccess, withinMs: number): Promise<Client> {
  const client = await make(access);
  let said = "";
  client.on("error", ({ message }: Error) => {
    said = message; // later on each call says for itself what it met
  });
  const answered = new AbortController();
  const silence = async (): Promise<void> => {
    await systemClock.sleep(withinMs, answered.signal);
    // One of the nodes may hang that were named, and another is asked next.
    if (client.masters.length === 0) await systemClock.sleep(SILENT_MS + PING_MS, answered.signal);
    if (!answered.signal.aborted) throw isIncomplete(client) ?? new Error("no answer from any of them");
  };
  try {
    await Promise.race([client.connect(), silence()]);
    return client;
  } catch (cause) {
    client.destroy();
    if (cause instanceof ClusterError) throw cause;
    throw refusal(access, said === "" ? (cause as Error).message : said, cause);
  } finally {
    answered.abort();
  }
}

/** What is said of a cluster some of whose masters say nothing; null where none of them is known. */
function isIncomplete({ slots, masters }: Client): ClusterError | null {
  const silent = masters.filter(({ client }) => !client?.isReady);
  if (silent.length === 0) return null;
  const names = silent.map(({ address }) => {
    const own = [...slots.keys()].filter((slot) => slots[slot]?.master.address === address);
    return `${address} (slots ${own[0]} to ${own.at(-1)})`;
  });
  const words = `the Redis Cluster is not whole: no answer from its master ${names.join(", ")}`;
  return new ClusterError("away", `${words}; start it again, or wait until a replica has taken its place`);
}

function refusal({ nodes }: ClusterAccess, said: string, cause: unknown): ClusterError {
  const names = nodes.map(({ host, port }) => `${host}:${port}`).join(", ");
  if (/cluster support disabled/i.test(said)) return new ClusterError("refused", `Redis at ${names} ${ALONE}`, cause);
  if (isShutOut(said))
    return new ClusterError(
      "refused",
      `Redis at ${names} lets nobody in (${said}); give its user and password, redis://USER:PASSWORD@HOST:PORT`,
      cause,
    );
  const words = `no Redis Cluster answers at ${names} (${said}); check that it runs with cluster-enabled yes`;
  return new ClusterError("away", words, cause);
}
