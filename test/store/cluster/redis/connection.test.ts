/** The way to a Redis Cluster: what it refuses at the start, waits for later on, and what stands when it says so. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../../../src/base/clock.ts";
import { silentLog } from "../../../../src/base/log.ts";
import { type HostKey, newHostState } from "../../../../src/model/host.ts";
import type { RobotsCopy } from "../../../../src/model/robots-copy.ts";
import type { Href } from "../../../../src/model/url.ts";
import { ownersOf } from "../../../../src/policy/rendezvous.ts";
import type { Commit } from "../../../../src/ports/frontier.ts";
import { openCluster } from "../../../../src/store/cluster/backend.ts";
import { openMembers } from "../../../../src/store/cluster/crew/members.ts";
import { mustBeFit } from "../../../../src/store/cluster/redis/checks.ts";
import { Connection, type ConnectionOptions } from "../../../../src/store/cluster/redis/connection.ts";
import { shardOf } from "../../../../src/store/cluster/shards/shard-of.ts";
import { ended, settled, TestClock, url } from "../../../conformance/frontier-world.ts";
import { findCommand, need } from "../../../services/command.ts";
import { type RedisNode, redisCluster } from "../../../services/redis-cluster.ts";
import { type ClusterBench, clusterBench } from "../store.ts";

let bench: ClusterBench;
before(async () => {
  bench = await clusterBench();
});
after(() => bench[Symbol.asyncDispose]());

const connect = (more: Partial<ConnectionOptions> = {}) => Connection.open({ nodes: bench.redis.nodes, ...more });

function journal() {
  const said: string[] = [];
  return { said, log: { warn: (facts: object, event: string) => void said.push(`${event} ${JSON.stringify(facts)}`) } };
}

let crawls = 0;
const openCrawl = (connection: Connection, name = `connection-${++crawls}`, owner = "") =>
  openCluster(connection, { name, owner, clock: new TestClock(), blobs: bench.blobs(name), shards: 8, joins: true });

/** The same, with some of its methods changed. */
const changed = (connection: Connection, methods: Partial<Connection>): Connection =>
  new Proxy(connection, {
    get(target, property) {
      const value = Reflect.get(methods, property) ?? Reflect.get(target, property, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

/** As masters that die do. */
async function breakConnections(connection: Connection, masters: readonly RedisNode[]): Promise<void> {
  const { epoch } = connection;
  for (const node of masters) await bench.redis.ask(node, "CLIENT", "KILL", "TYPE", "normal");
  while (connection.epoch === epoch) await sleep(10);
}

function robotsCopy(host: HostKey, fetchedAt: number): RobotsCopy {
  const nothing = { id: 0, failure: null, capture: null } as const;
  const href = `${host}/robots.txt` as Href;
  return { ...nothing, host, href, fetchedAt, expiresAt: 1e15, access: "rules", status: 200, body: "" };
}

/** So many that each shard has some. */
const everywhere = (path: string) => Array.from({ length: 60 }, (_, n) => url(`h${n}.test`, path));

async function setEverywhere(setting: string, value: string): Promise<void> {
  for (const node of bench.redis.nodes) await bench.redis.ask(node, "CONFIG", "SET", setting, value);
}

/** Replicas, or masters, as things are. */
async function nodesThatAre(role: "master" | "slave"): Promise<RedisNode[]> {
  const roles = await Promise.all(bench.redis.nodes.map((node) => bench.redis.ask(node, "ROLE")));
  return bench.redis.nodes.filter((_, nth) => roles[nth]!.startsWith(role));
}

/** A Redis as it is when nobody tells it anything else. */
async function redisAlone(...settings: readonly string[]): Promise<RedisNode & AsyncDisposable> {
  const server = await need("Redis", ["redis-server"], () => findCommand("redis-server"));
  const dir = await mkdtemp(join(tmpdir(), "redis-alone-"));
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  taken.close();
  await once(taken, "close");
  const words = ["--port", String(port), "--bind", "127.0.0.1", "--dir", dir, "--save", "", ...settings];
  const child = spawn(server, words, { stdio: "ignore" });
  const node = { host: "127.0.0.1", port };
  while ((await bench.redis.ask(node, "PING").catch(() => "")) !== "PONG") await sleep(20);
  return {
    ...node,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await once(child, "exit");
      await rm(dir, { recursive: true, force: true });
    },
  };
}

describe("a cluster", () => {
  const refusal = async (setting: string, wrong: string, right: string, message: RegExp) => {
    const node = bench.redis.nodes[0]!;
    await bench.redis.ask(node, "CONFIG", "SET", setting, wrong);
    try {
      await assert.rejects(connect(), { code: "frontier-refused", message });
    } finally {
      await bench.redis.ask(node, "CONFIG", "SET", setting, right);
    }
  };

  it("is refused when it throws keys away", () =>
    refusal(
      "maxmemory-policy",
      "allkeys-lru",
      "noeviction",
      /throws keys away .*\(maxmemory-policy allkeys-lru\); set maxmemory-policy noeviction$/,
    ));

  it("is refused when it keeps no log", () =>
    refusal("appendonly", "no", "yes", /keeps no log .*\(appendonly no\); set appendonly yes$/));

  it("is refused when it is too old", () => {
    const info = "redis_version:6.2.14\r\ncluster_enabled:1\r\n";
    assert.throws(() => mustBeFit("10.0.0.1:6379", info), {
      code: "frontier-refused",
      message: "Redis at 10.0.0.1:6379 is version 6.2.14; a crawl needs version 7 or newer, or Valkey",
    });
  });

  it("is looked at by whatever clock, and crawled by one that agrees with its own", async () => {
    const late = { ...systemClock, now: () => Date.now() - 75_000 };
    await using connection = await connect({ clock: late });
    assert.ok(Math.abs(connection.time.now() - Date.now()) < 5_000);
    const member = { name: "x", id: "late", clock: late, log: silentLog, shards: 8, divide: ownersOf };
    await assert.rejects(openMembers(connection, member), {
      code: "frontier-refused",
      message: /^the clock of this machine is 7\d\.\d s behind that of Redis; set both by a time server \(NTP\)$/,
    });
  });

  it("is not waited for without end where a master says nothing, and has no replica: it is named", async () => {
    await using cluster = await redisCluster({ replicas: 0 });
    const [silent, other] = cluster.nodes;
    cluster.pause(silent!);
    await assert.rejects(Connection.open({ nodes: [other!], patienceMs: 500 }), {
      code: "frontier-away",
      message: `the Redis Cluster is not whole: no answer from its master ${silent!.host}:${silent!.port} (slots 0 to 5460); start it again, or wait until a replica has taken its place`,
    });
    cluster.resume(silent!);
  });

  it("is told from a Redis that is alone", async () => {
    await using alone = await redisAlone();
    await assert.rejects(Connection.open({ nodes: [alone] }), {
      code: "frontier-refused",
      message: /^Redis at 127\.0\.0\.1:\d+ is no part of a cluster; start it with cluster-enabled yes/,
    });
  });

  it("is told from nodes of which nobody has made one yet", async () => {
    await using unmade = await redisAlone("--cluster-enabled", "yes", "--cluster-port", "0");
    await assert.rejects(Connection.open({ nodes: [unmade] }), {
      code: "frontier-away",
      message: /^the nodes of Redis are no cluster yet, .* make one of them with redis-cli --cluster create$/,
    });
  });

  it("is asked for in words when nobody answers", async () => {
    await assert.rejects(Connection.open({ nodes: [{ host: "127.0.0.1", port: 1 }] }), {
      code: "frontier-away",
      message: /^no Redis Cluster answers at 127\.0\.0\.1:1 \(connect ECONNREFUSED 127\.0\.0\.1:1\)/,
    });
  });
});

/** The replica of a master, which hears nothing any more, and will not hear it later either. */
async function deafReplica(master: RedisNode): Promise<RedisNode> {
  const others = await nodesThatAre("slave");
  const follows = await Promise.all(others.map((node) => bench.redis.ask(node, "ROLE")));
  const replica = others[follows.findIndex((role) => role.includes(`\n${master.port}\n`))]!;
  bench.redis.pause(replica);
  // More than the system holds for a process that does not read: what comes then dies with the master.
  const junk = "x".repeat(2 ** 20);
  for (let nth = 0; nth < 96; nth++) {
    const key = `junk{${nth}}`;
    await bench.connection.command(key, ["SET", key, junk]);
  }
  return replica;
}

async function giveWay(master: RedisNode, replica: RedisNode): Promise<void> {
  const killed = bench.redis.kill(master);
  await sleep(100);
  bench.redis.resume(replica);
  await killed;
}

describe("a call", () => {
  it("waits while a cluster has no memory left, has done nothing then, and is done when it has", async () => {
    const { said, log } = journal();
    await using patient = await connect({ patienceMs: Number.POSITIVE_INFINITY, log });
    await using impatient = await connect({ patienceMs: 300 });
    const name = `connection-${++crawls}`;
    const backend = await openCrawl(patient, name);
    await backend.add(everywhere("1"));
    const inbox = `trawl:{${name}}:inbox`;
    for (let nth = 0; nth < 2; nth++) await patient.run("post", inbox, ["{}"]);
    const [, number] = (await patient.run("collect", inbox, ["0", "1", "", ""])) as [number, string];
    await setEverywhere("maxmemory", "1mb");
    let adding: Promise<number>;
    try {
      await assert.rejects(impatient.run("collect", inbox, ["0", "1", number, "admitted"]), { code: "frontier-full" });
      assert.equal(await patient.command(inbox, ["ZCARD", `${inbox}:due`]), 2, "it has taken none away");
      adding = backend.add(everywhere("2"));
      while (said.length === 0) await sleep(50);
      assert.match(said[0]!, /^frontier-full .*OOM command not allowed/);
    } finally {
      await setEverywhere("maxmemory", "0");
    }
    assert.equal(await adding, 60);
    const { queued, leased } = await backend.pending();
    assert.deepEqual([queued, leased], [120, 0]);
    assert.match(said[1]!, /^frontier-back /);
  });

  it("brings the functions along where a master has none: it is new, or was emptied", async () => {
    const backend = await openCrawl(bench.connection);
    await backend.add(everywhere("1"));
    for (const node of await nodesThatAre("master")) await bench.redis.ask(node, "FUNCTION", "FLUSH");
    assert.equal(await backend.add(everywhere("2")), 60);
    const { queued } = await backend.pending();
    assert.equal(queued, 120);
  });

  it("waits for a cluster that is away altogether, for as long as it takes, and the log says it once", async () => {
    const { said, log } = journal();
    await using patient = await connect({ patienceMs: Number.POSITIVE_INFINITY, log });
    const backend = await openCrawl(patient);
    for (const node of bench.redis.nodes) await bench.redis.ask(node, "SHUTDOWN").catch(() => "");
    const adding = backend.add(everywhere("1"));
    while (said.length === 0) await sleep(50);
    assert.match(said[0]!, /^frontier-away /);
    await Promise.all(bench.redis.nodes.map((node) => bench.redis.start(node)));
    assert.equal(await adding, 60);
    assert.match(said.slice(1).join(), /^frontier-back \{"ms":\d+\}$/);
  });

  it("is made again before it is acknowledged, when a master dies and its replica had it not", async () => {
    const backend = await openCrawl(bench.connection);
    await backend.add(everywhere("0"));
    const master = (await nodesThatAre("master"))[0]!;
    const replica = await deafReplica(master);
    const adding = backend.add(everywhere("1"));
    const leasing = backend.lease(60);
    await sleep(500);
    await giveWay(master, replica);
    assert.equal(await adding, 60);
    const leases = await leasing;
    const now = new TestClock().now();
    const visits = leases.map((lease) => settled(lease, ended(), now));
    const { current } = await backend.commit({ settled: visits, hosts: [], robots: [], marks: [] });
    assert.deepEqual([leases.length, new Set(current)], [60, new Set([true])]);
    const { queued, leased } = await (await openCrawl(bench.connection, `connection-${crawls}`)).pending();
    assert.deepEqual([queued, leased], [60, 0]);
    await bench.redis.start(master);
  });

  it("that is made again takes nothing back of what was said later", async () => {
    await using connection = await connect();
    const keys = Array.from({ length: 30 }, (_, n) => `order-${n}`); // so that each master has some
    const set = (value: string) => Promise.all(keys.map((key) => connection.command(key, ["HSET", key, "a", value])));
    await set("1");
    await breakConnections(connection, await nodesThatAre("master"));
    await set("2");
    await connection.replicated();
    assert.deepEqual(
      new Set(await Promise.all(keys.map((key) => connection.command(key, ["HGET", key, "a"])))),
      new Set(["2"]),
    );
  });

  it("that settles and is made again says nothing of a host that another crawler has said something of since", async () => {
    const name = `connection-${++crawls}`;
    const held = Promise.withResolvers<void>();
    const clock = { ...systemClock, sleep: () => held.promise };
    await using slow = await connect({ clock, patienceMs: Number.POSITIVE_INFINITY });
    await using otherConnection = await connect({ replicas: 0 });
    // Nobody has leased there: its robots.txt is where that of other hosts was redirected to.
    const { host } = url("moved.test", "1");
    const said = (requests: number): Commit => ({
      settled: [],
      hosts: [{ ...newHostState(host), requests }],
      robots: [robotsCopy(host, requests)],
      marks: [],
    });
    const other = await openCrawl(otherConnection, name, "other");
    const shard = `trawl:{${name}:${shardOf(host, 8)}}`;
    const masters = await nodesThatAre("master");
    const asked = await Promise.all(masters.map((node) => bench.redis.ask(node, "GET", shard)));
    const master = masters[asked.findIndex((answer) => !answer.startsWith("MOVED"))]!;
    const deaf = Promise.withResolvers<RedisNode>();
    const run: Connection["run"] = async (verb, ...call) => {
      if (verb === "settle") deaf.resolve(await deafReplica(master));
      return slow.run(verb, ...call);
    };
    const one = await openCrawl(changed(slow, { run }), name, "one");
    const committing = one.commit(said(1));
    const replica = await deaf.promise;
    try {
      while ((await other.host(host))?.requests !== 1) await sleep(20);
      await giveWay(master, replica);
      assert.equal(await other.host(host), null, "it is lost");
      await other.commit(said(2));
      held.resolve();
      await committing;
    } finally {
      held.resolve();
      await bench.redis.start(master);
    }
    assert.equal((await other.host(host))?.requests, 2);
    assert.equal((await other.robots(host))?.fetchedAt, 2);
    assert.equal((await other.robotsReached(host))?.fetchedAt, 2);
  });

  it("is confirmed by who is master now, when the one that answered it gives way and says nothing of it", async () => {
    await using connection = await connect({ patienceMs: 10_000 });
    const keys = Array.from({ length: 30 }, (_, n) => `gives-way-${n}`); // so that each master has some
    for (const key of keys) await connection.command(key, ["HSET", key, "a", "1"]);
    await connection.replicated();
    const replica = (await nodesThatAre("slave"))[0]!;
    for (const key of keys) await connection.command(key, ["HSET", key, "a", "2"]);
    // A replica that has just begun to follow refuses, or gives up after five seconds: it is told again.
    for (let nth = 0; !(await bench.redis.ask(replica, "ROLE")).startsWith("master"); nth++) {
      if (nth % 50 === 0) await bench.redis.ask(replica, "CLUSTER", "FAILOVER");
      await sleep(20);
    }
    await connection.replicated();
    assert.deepEqual(
      new Set(await Promise.all(keys.map((key) => connection.command(key, ["HGET", key, "a"])))),
      new Set(["2"]),
    );
  });

  it("ends when patience is taken from it, or the connection is closed", async () => {
    const patient = await connect({ patienceMs: Number.POSITIVE_INFINITY });
    const replicas = await nodesThatAre("slave");
    for (const replica of replicas) bench.redis.pause(replica);
    try {
      await patient.command("key", ["HSET", "key", "a", "1"]);
      const waiting = patient.replicated();
      await sleep(200);
      patient.limitPatience(0);
      await assert.rejects(waiting, { code: "frontier-away", message: /replicas of .* do not keep up/ });
    } finally {
      for (const replica of replicas) bench.redis.resume(replica);
    }
    await patient[Symbol.asyncDispose]();
    await assert.rejects(patient.command("key", ["GET", "key"]), { code: "frontier-away", message: /was closed$/ });
  });
});
