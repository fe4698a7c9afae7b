import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CreateBucketCommand, GetObjectCommand } from "@aws-sdk/client-s3";
import { verify } from "../../src/app/inspect/verify/verify.ts";
import { openDirectory } from "../../src/app/place/directory.ts";
import { s3Blobs } from "../../src/blobs/s3.ts";
import type { Blobs } from "../../src/ports/blobs.ts";
import { type Asked, type Front, front } from "../services/front.ts";
import { type ObjectStore, objectStore, plainClient } from "../services/object-store.ts";
import { redisCluster } from "../services/redis-cluster.ts";
import { type SpawnedWeb, spawnFakeWeb } from "../web/spawn.ts";
import { frontierOf } from "./sides.ts";
import { ask, canonical, fetchedIn, type Run, startTrawl, type TempDir, tempDir, trawl } from "./trawl.ts";

let web: SpawnedWeb;
let store: ObjectStore;
let between: Front;
let client: Awaited<ReturnType<typeof plainClient>>;
let dir: TempDir;
let pages: ReadonlySet<string>;
let places = 0;

before(async () => {
  web = await spawnFakeWeb({ hosts: 6, pagesPerHost: 6, addresses: 6 });
  store = await objectStore();
  Object.assign(process.env, store.env);
  between = await front(store.port);
  client = await plainClient(store);
  await client.send(new CreateBucketCommand({ Bucket: "crawls" }));
  dir = await tempDir();
  const plain = join(dir.path, "plain");
  assert.equal((await trawl(commandFor(plain))).code, 0);
  pages = canonical(fetchedIn(plain));
});
after(async () => {
  client.destroy();
  await web[Symbol.asyncDispose]();
  await between[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await dir[Symbol.asyncDispose]();
});

function commandFor(to: string, ...more: string[]): string[] {
  const reach = ["--allow-net", web.allowNet, "--dns", web.dns];
  return ["crawl", `${web.origin(0)}/`, "--scope", "any", "--delay", "20ms", "--dir", to, ...reach, ...more];
}

/** A crawl of its own, in a place of its own. */
function crawlInto(...more: string[]) {
  const name = `crawl-${++places}`;
  const to = join(dir.path, name);
  const place = ["--store", `s3://crawls/${name}`, "--store-endpoint", between.endpoint];
  return { to, name, command: commandFor(to, ...place, ...more) };
}

const blobsAt = (name: string): Promise<Blobs> =>
  s3Blobs({ bucket: "crawls", prefix: name, endpoint: store.endpoint, region: null, pathStyle: null });

async function keysAt(name: string): Promise<Map<string, number>> {
  await using blobs = await blobsAt(name);
  const keys = new Map<string, number>();
  for await (const { key, bytes } of blobs.list("")) keys.set(key, bytes);
  return keys;
}

async function textAt(name: string, key: string): Promise<string> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: "crawls", Key: `${name}/${key}` }));
  return Body!.transformToString();
}

/**
 * What must hold at every moment, also just after a kill: of each file that the state knows, all that is committed is in the
 * store, whole or as segments; and what stands in archive/ is exactly what is committed.
 */
async function durable(to: string, name: string): Promise<string[]> {
  const keys = await keysAt(name);
  const faults: string[] = [];
  const marks = new Map(
    ask(to, "SELECT file, bytes FROM mark").map(({ file, bytes }) => [String(file), Number(bytes)]),
  );
  for (const [file, bytes] of marks) {
    if (!file.endsWith(".warc.gz")) continue;
    const whole = keys.get(`archive/${file}`);
    if (whole !== undefined && whole !== bytes) faults.push(`${file}: ${whole} bytes in the store, ${bytes} committed`);
    let reach = 0;
    for (const [key, length] of keys)
      if (key.startsWith(`segments/${file}/`)) {
        if (Number(key.slice(key.lastIndexOf("/") + 1)) !== reach) faults.push(`${key}: a gap before it`);
        reach += length;
      }
    if (whole === undefined && reach < bytes) faults.push(`${file}: ${bytes} committed, ${reach} in the store`);
  }
  for (const key of keys.keys())
    if (key.startsWith("archive/") && !marks.has(key.slice("archive/".length))) faults.push(`${key}: nobody knows it`);
  return faults;
}

async function isWholeCrawl(to: string, name: string): Promise<void> {
  assert.deepEqual(canonical(fetchedIn(to)), pages);
  assert.deepEqual(await durable(to, name), []);
  await using crawl = await openDirectory(to, { frozen: true });
  assert.deepEqual((await verify(crawl, () => {})).told, []);
  assert.deepEqual(
    [...(await keysAt(name)).keys()].filter((key) => key.startsWith("segments/")),
    [],
  );
}

const done = (run: Run): void => assert.equal(run.code, 0, run.stderr);

describe("a crawl with a store", () => {
  it("has its archive there and not here, everything reads it from there, and no secret is written down", async () => {
    const { to, name, command } = crawlInto("--verbose", "--header", "X-Secret: hush");
    const run = await trawl(command);
    done(run);
    assert.match(run.stderr, /Store: s3:\/\/crawls\/crawl-\d+ \(archive/);
    assert.deepEqual(await readdir(join(to, "archive")), []);
    await isWholeCrawl(to, name);

    const verified = await trawl(["verify", to]);
    done(verified);
    assert.match(verified.stdout, /1 file read from s3:\/\/crawls.*Sound\./s);
    const got = await trawl(["get", to, `${web.origin(0)}/`]);
    done(got);
    assert.match(got.stdout, /<html/i);
    const wacz = join(dir.path, "out.wacz");
    done(await trawl(["export", to, "--to", wacz]));
    assert.ok(existsSync(wacz));

    assert.equal(await textAt(name, "indexes/index.cdxj"), await readFile(join(to, "indexes/index.cdxj"), "utf8"));
    assert.equal(await textAt(name, "pages/pages.jsonl"), await readFile(join(to, "pages/pages.jsonl"), "utf8"));
    const config = await textAt(name, "crawl.json");
    assert.match(config, /"store": "s3:\/\/crawls/);
    assert.doesNotMatch(config, /hush/);

    const texts = [run.stdout, run.stderr, config, await readFile(join(to, "crawl.json"), "utf8")];
    for (const file of await readdir(join(to, "logs"))) texts.push(await readFile(join(to, "logs", file), "utf8"));
    for (const text of texts) assert.ok(!text.includes(store.env.AWS_SECRET_ACCESS_KEY!));

    const again = await trawl(command);
    done(again);
    assert.match(again.stderr, /Nothing was left to do/);
  });

  it("keeps the files here too when it is told to, and sends each once", async () => {
    const { to, name, command } = crawlInto("--keep-local", "--store-sync", "files");
    done(await trawl(command));
    assert.equal((await readdir(join(to, "archive"))).length, 1);
    await isWholeCrawl(to, name);
    const before = between.asked.length;
    done(await trawl(command));
    const sent = between.asked.slice(before).filter(({ method, path }) => method === "PUT" && path.includes("archive"));
    assert.deepEqual(sent, []);
    assert.ok(!between.asked.some(({ path }) => path.includes(`${name}/segments`) && !path.includes("list-type")));
  });

  it("can have it in another directory", async () => {
    const to = join(dir.path, "beside");
    done(await trawl(commandFor(to, "--store", join(dir.path, "shelf"))));
    assert.deepEqual(await readdir(join(to, "archive")), []);
    assert.equal((await readdir(join(dir.path, "shelf/archive"))).length, 1);
    assert.equal((await trawl(["verify", to])).code, 0);
  });
});

describe("a crawl with a store that is killed", () => {
  /** Points of a run, and how often they are passed before the kill. */
  const POINTS = ["segment:1", "segment:4", "ended:1", "uploaded:1", "segments gone:1"];

  it("has all that is settled in the store, shows nothing by half, and ends as one that is not killed", async () => {
    const { to, name, command } = crawlInto();
    for (const point of POINTS) {
      const { signal, stderr } = await trawl(command, { env: { TRAWL_TORTURE_KILL_AT: point } });
      assert.equal(signal, "SIGKILL", `${point}: ${stderr}`);
      assert.deepEqual(await durable(to, name), [], point);
    }
    done(await trawl(command));
    await isWholeCrawl(to, name);
  });

  it("goes on from the segments when its disk has lost the archive", async () => {
    const { to, name, command } = crawlInto();
    const { signal } = await trawl(command, { env: { TRAWL_TORTURE_KILL_AT: "segment:5" } });
    assert.equal(signal, "SIGKILL");
    const captures = ask(to, "SELECT count(*) AS n FROM visit WHERE file IS NOT NULL")[0]!.n as number;
    assert.ok(captures > 0);
    await rm(join(to, "archive"), { recursive: true });
    const verified = await trawl(["get", to, `${web.origin(0)}/`]);
    assert.equal(verified.code, 0, verified.stderr);
    done(await trawl(command));
    await isWholeCrawl(to, name);
  });
});

describe("a store that is away", () => {
  const isOfSegments = ({ method, path }: Asked) => method === "PUT" && path.includes("/segments/");

  it("is waited for: the crawl says so, loses nothing, and goes on by itself", async () => {
    const { to, name, command } = crawlInto();
    const { ended } = startTrawl(command);
    const seen = () => between.asked.filter(isOfSegments).length;
    const start = seen();
    for (let i = 0; i < 400 && seen() < start + 3; i++) await sleep(25);
    await between.close();
    await sleep(2_000);
    const settled = ask(to, "SELECT count(*) AS n FROM visit WHERE file IS NOT NULL")[0]!.n;
    await sleep(500);
    assert.equal(ask(to, "SELECT count(*) AS n FROM visit WHERE file IS NOT NULL")[0]!.n, settled);
    await between.open();
    const run = await ended;
    done(run);
    assert.match(
      run.stderr,
      /the store s3:\/\/\S+ cannot be used \(ECONNREFUSED.*the crawl waits for it, nothing is lost/,
    );
    assert.match(run.stderr, /s3:\/\/\S+ is there again/);
    await isWholeCrawl(to, name);
  });

  it("fails now and then, answers late, loses answers: all the same", async () => {
    const { to, name, command } = crawlInto();
    let nth = 0;
    const faults = [
      { kind: "status", status: 503 },
      { kind: "status", status: 500 },
      { kind: "lost" },
      { kind: "cut" },
      { kind: "garble" },
      { kind: "slow", ms: 300 },
    ] as const;
    between.fault = ({ method }) => (method !== "GET" && ++nth % 3 === 0 ? faults[(nth / 3) % faults.length]! : null);
    try {
      done(await trawl(command));
    } finally {
      between.fault = () => null;
    }
    await isWholeCrawl(to, name);
  });

  it("stops a crawl that is told to, which goes on later", async () => {
    const { to, name, command } = crawlInto();
    const running = startTrawl(command);
    const seen = () => between.asked.filter(isOfSegments).length;
    const start = seen();
    for (let i = 0; i < 400 && seen() < start + 3; i++) await sleep(25);
    await between.close();
    running.process.kill("SIGINT");
    await sleep(300);
    running.process.kill("SIGINT");
    const run = await running.ended;
    await between.open();
    assert.equal(run.code, 130, run.stderr);
    assert.deepEqual(await durable(to, name), []);
    done(await trawl(command));
    await isWholeCrawl(to, name);
  });
});

describe("a store that is away from a crawl that crawlers share", () => {
  it("keeps none of them that is told to stop at once, and the crawl goes on later", async () => {
    await using cluster = await redisCluster();
    const { name, to, command } = crawlInto("--delay", "200ms", "--shards", "16");
    const where = ["--frontier", frontierOf(cluster), "--name", name];
    const running = startTrawl([...command, ...where]);
    const records = () => between.asked.filter(({ method, path }) => method === "PUT" && path.includes("/records/"));
    const start = records().length;
    for (let i = 0; i < 400 && records().length < start + 2; i++) await sleep(25);
    await between.close();
    await sleep(2_000); // what has been fetched waits to be written
    running.process.kill("SIGINT");
    await sleep(300);
    running.process.kill("SIGINT");
    const told = performance.now();
    const run = await running.ended;
    await between.open();
    assert.equal(run.code, 130, run.stderr);
    assert.ok(performance.now() - told < 10_000, run.stderr);
    done(await trawl(["crawl", ...where, "--dir", to]));
    assert.match((await trawl(["verify", ...where])).stdout, /Sound\.\n$/);
    const rows = (await trawl(["export", ...where, "--to", "-", "--where", "end=fetched"])).stdout.trim().split("\n");
    assert.deepEqual(canonical(rows.map((row) => JSON.parse(row).url)), pages);
  });
});

describe("a store that cannot be used", () => {
  it("is told in one sentence before anything is written", async () => {
    const { to, command } = crawlInto();
    const wrong = await trawl(command, { env: { AWS_SECRET_ACCESS_KEY: "no" } });
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /^trawl: the store s3:\/\/\S+ refuses \(.*\); look at [^\n]*\n$/);
    const none = await trawl(command, { env: { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" } });
    assert.equal(none.code, 2);
    assert.match(
      none.stderr,
      /^trawl: the store s3:\/\/\S+ refuses \(CredentialsProviderError\); set AWS_ACCESS_KEY_ID/,
    );
    const bucket = await trawl(commandFor(to, "--store", "s3://no-such-bucket/x", "--store-endpoint", store.endpoint));
    assert.equal(bucket.code, 2, bucket.stderr);
    const nobody = await trawl(commandFor(to, "--store", "s3://crawls/x", "--store-endpoint", "http://127.0.0.1:9"));
    assert.equal(nobody.code, 3, nobody.stderr);
    assert.match(nobody.stderr, /^trawl: the store s3:\/\/crawls\/x cannot be used \(ECONNREFUSED[^\n]*\n$/);
    assert.match((await trawl(commandFor(to, "--store", to))).stderr, /is in the crawl's own directory; name another/);
    for (const bad of ["s3://", "s3://key:secret@bucket/x", "gs://bucket/x", "s3://bucket/../x"])
      assert.equal((await trawl(commandFor(to, "--store", bad))).code, 2, bad);
    assert.ok(!existsSync(to));
  });

  it("holds another crawl, or is not the one that the crawl began with", async () => {
    const { command, name } = crawlInto("--limit", "3");
    done(await trawl(command));
    const other = commandFor(join(dir.path, "other"), "--store", `s3://crawls/${name}`);
    const taken = await trawl([...other, "--store-endpoint", store.endpoint]);
    assert.equal(taken.code, 2);
    assert.match(taken.stderr, /holds the archive of another crawl; name another place with --store/);
    const forgotten = await trawl(commandFor(join(dir.path, name)));
    assert.equal(forgotten.code, 2);
    assert.match(forgotten.stderr, /the archive of this crawl is in s3:\/\/\S+; give --store s3:\/\//);
  });
});
