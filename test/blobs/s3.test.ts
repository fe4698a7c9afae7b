import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once as ended } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { s3Blobs } from "../../src/blobs/s3.ts";
import { BlobError, type Blobs } from "../../src/ports/blobs.ts";
import { blobsConformance } from "../conformance/blobs.ts";
import { type Asked, type Fault, type Front, front } from "../services/front.ts";
import { type ObjectStore, objectStore, plainClient } from "../services/object-store.ts";

const MIB = 1 << 20;
let store: ObjectStore;
let client: Awaited<ReturnType<typeof plainClient>>;
let dir: string;
let stores = 0;
const fronts: Front[] = [];

before(async () => {
  store = await objectStore();
  Object.assign(process.env, store.env);
  client = await plainClient(store);
  await client.send(new CreateBucketCommand({ Bucket: "crawls" }));
  dir = await mkdtemp(join(tmpdir(), "s3-"));
});
after(async () => {
  for (const one of fronts) await one[Symbol.asyncDispose]();
  client.destroy();
  await store[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

const open = (endpoint = store.endpoint, bucket = "crawls"): Promise<Blobs> =>
  s3Blobs({ bucket, prefix: `test-${++stores}`, endpoint, region: null, pathStyle: null });

blobsConformance("an S3 server that checks signatures", () => open());

/** A store behind a front that fails as it is told, and a file to put there. */
async function faulty(bytes: number): Promise<{ blobs: Blobs; front: Front; path: string; whole: Buffer }> {
  const before = await front(store.port);
  fronts.push(before);
  const whole = randomBytes(bytes);
  const path = join(dir, `file-${stores}`);
  await writeFile(path, whole);
  return { blobs: await open(before.endpoint), front: before, path, whole };
}

const once = (fault: Fault, when: (asked: Asked) => boolean) => {
  let left = 1;
  return (asked: Asked) => (when(asked) && left-- > 0 ? fault : null);
};
const isPart = ({ method, path }: Asked) => method === "PUT" && path.includes("partNumber=");
const isPut = ({ method }: Asked) => method === "PUT";
const isEnd = ({ method, path }: Asked) => method === "POST" && path.includes("uploadId=");
const parts = ({ asked }: Front) => asked.filter(isPart).length;
const code = (wanted: string) => (error: unknown) => error instanceof BlobError && error.code === wanted;

async function isWhole(blobs: Blobs, key: string, whole: Buffer): Promise<boolean> {
  const pieces: Uint8Array[] = [];
  for await (const piece of blobs.get(key)) pieces.push(piece);
  return Buffer.concat(pieces).equals(whole);
}

async function uploads(): Promise<number> {
  return (await client.send(new ListMultipartUploadsCommand({ Bucket: "crawls" }))).Uploads?.length ?? 0;
}

describe("a file that goes up in parts", () => {
  it("has the check sum of each part with it", async () => {
    const { blobs, front: between, path } = await faulty(17 * MIB);
    await blobs.putFile("archive/f", path);
    assert.equal(parts(between), 3);
    assert.equal(between.checked, 3);
  });

  it("goes on with the parts that are in place when its process is killed, and is not to be seen before", async () => {
    const { blobs, front: between, path, whole } = await faulty(26 * MIB);
    const prefix = blobs.name.slice("s3://crawls/".length);
    const args = ["crawls", prefix, between.endpoint, "archive/f", path, "2"];
    const child = spawn(process.execPath, [join(import.meta.dirname, "put-and-die.ts"), ...args], { stdio: "inherit" });
    const [, signal] = await ended(child, "exit");
    assert.equal(signal, "SIGKILL");
    assert.equal(await blobs.head("archive/f"), null);
    assert.equal(await uploads(), 1);
    const first = parts(between);
    await blobs.putFile("archive/f", path);
    assert.ok(parts(between) - first <= 2, `${parts(between)} parts were sent, ${first} of them at first`);
    assert.ok(await isWhole(blobs, "archive/f", whole));
    assert.equal(await uploads(), 0);
  });

  it("sends a part again that is in place and is not the same", async () => {
    const { blobs, path, whole } = await faulty(9 * MIB);
    const Key = `${blobs.name.slice("s3://crawls/".length)}/archive/f`;
    const target = { Bucket: "crawls", Key };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
    const other = { ...target, UploadId, PartNumber: 1, Body: randomBytes(8 * MIB) };
    await client.send(new UploadPartCommand(other));
    await blobs.putFile("archive/f", path);
    assert.ok(await isWhole(blobs, "archive/f", whole));
  });

  it("is not sent again when only the last answer was lost", async () => {
    const { blobs, front: between, path, whole } = await faulty(9 * MIB);
    let lost = 0;
    between.fault = (asked) => (isEnd(asked) && lost++ < 5 ? { kind: "lost" } : null);
    await assert.rejects(blobs.putFile("archive/f", path), code("store-away"));
    const sent = parts(between);
    await blobs.putFile("archive/f", path);
    assert.equal(parts(between), sent);
    assert.ok(await isWhole(blobs, "archive/f", whole));
    assert.equal(await uploads(), 0);
  });

  it("takes the object away that is not what was sent, though the server took it", async () => {
    const { blobs, front: between, path, whole } = await faulty(9 * MIB);
    between.opaqueTags = true; // so that what is read back decides
    between.fault = ({ method, path: asked }) =>
      method === "GET" && !asked.includes("upload") ? { kind: "spoil" } : null;
    await assert.rejects(blobs.putFile("archive/f", path), code("store-corrupt"));
    assert.equal(await blobs.head("archive/f"), null);
    between.fault = () => null;
    await blobs.putFile("archive/f", path);
    assert.ok(await isWhole(blobs, "archive/f", whole));
  });
});

describe("blobs on S3", () => {
  for (const size of [100, 9 * MIB])
    it(`get over a failure that passes, with ${size} bytes`, async () => {
      const { blobs, front: between, path, whole } = await faulty(size);
      for (const fault of [
        { kind: "status", status: 503 },
        { kind: "status", status: 500 },
        { kind: "cut" },
      ] as const) {
        between.fault = once(fault, isPut);
        await blobs.putFile("archive/f", path);
        assert.ok(await isWhole(blobs, "archive/f", whole));
        await blobs.remove(["archive/f"]);
      }
    });

  it("say that the store is away when it stays so, and show nothing", async () => {
    const { blobs, front: between, path } = await faulty(100);
    between.fault = () => ({ kind: "status", status: 503 });
    await assert.rejects(blobs.putFile("archive/f", path), code("store-away"));
    await assert.rejects(blobs.put("a", Buffer.from("x")), code("store-away"));
    between.fault = () => null;
    assert.equal(await blobs.head("archive/f"), null);
    await between.close();
    await assert.rejects(blobs.put("a", Buffer.from("x")), /s3:\/\/crawls\/test-\d+ cannot be used \(ECONNREFUSED/);
  });

  it("find out when a body is another on its way", async () => {
    const { blobs, front: between, path } = await faulty(9 * MIB);
    between.fault = (asked) => (isPut(asked) && asked.bytes > 0 ? { kind: "garble" } : null);
    await assert.rejects(blobs.put("a", Buffer.from("hello")), code("store-corrupt"));
    await assert.rejects(blobs.putFile("archive/f", path), code("store-corrupt"));
    between.fault = () => null;
    assert.equal(await blobs.head("a"), null);
    assert.equal(await blobs.head("archive/f"), null);
  });

  it("say what is wrong with bucket and credentials, and no secret", async () => {
    const none = await open(store.endpoint, "no-such-bucket");
    await assert.rejects(none.put("a", Buffer.from("x")), /refuses \(NoSuchBucket, status 404\); make the bucket/);
    process.env.AWS_SECRET_ACCESS_KEY = "wrong-secret";
    try {
      const wrong = await open();
      await assert.rejects(wrong.put("a", Buffer.from("x")), (error) => {
        assert.ok(error instanceof BlobError);
        assert.match(error.message, /refuses \(SignatureDoesNotMatch.*; look at AWS_SECRET_ACCESS_KEY/);
        assert.doesNotMatch(error.message, /wrong-secret|tester/);
        return true;
      });
      delete process.env.AWS_ACCESS_KEY_ID;
      delete process.env.AWS_SECRET_ACCESS_KEY;
      const bare = await open();
      await assert.rejects(
        bare.put("a", Buffer.from("x")),
        /refuses \(CredentialsProviderError\); set AWS_ACCESS_KEY_ID/,
      );
    } finally {
      Object.assign(process.env, store.env);
    }
  });

  it("are read by any client, under the prefix", async () => {
    const blobs = await open();
    await blobs.put("archive/a.warc.gz", Buffer.from("hello"));
    const Key = `${blobs.name.slice("s3://crawls/".length)}/archive/a.warc.gz`;
    const { Body } = await client.send(new GetObjectCommand({ Bucket: "crawls", Key }));
    assert.equal(await Body!.transformToString(), "hello");
  });
});
