/** Segments of records in an object store that answers with errors, breaks connections and spoils what it sends. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { patience } from "../../../../src/blobs/patience.ts";
import { s3Blobs } from "../../../../src/blobs/s3.ts";
import { Segments } from "../../../../src/store/cluster/segments/segments.ts";
import { TestClock } from "../../../conformance/frontier-world.ts";
import { type Asked, type Fault, type Front, front } from "../../../services/front.ts";
import { type ObjectStore, objectStore, plainClient } from "../../../services/object-store.ts";
import { visitEntry } from "./entries.ts";

let store: ObjectStore;
let between: Front;
before(async () => {
  store = await objectStore();
  Object.assign(process.env, store.env);
  const client = await plainClient(store);
  await client.send(new CreateBucketCommand({ Bucket: "crawls" }));
  client.destroy();
  between = await front(store.port);
});
after(async () => {
  await between[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

it("what is written through faults is read through faults", async () => {
  await using blobs = await s3Blobs({
    bucket: "crawls",
    prefix: "records-test",
    endpoint: between.endpoint,
    region: null,
    pathStyle: null,
  });
  const said: string[] = [];
  const log = { warn: (_: object, event: string) => void said.push(event) };
  const segments = new Segments(blobs, { patience: patience({ clock: new TestClock(), log, store: blobs.name }) });
  // Each request meets a fault before it goes through: those of its kind in turn, more often than the client tries by itself.
  const faults = (method: string): readonly Fault[] =>
    method === "PUT"
      ? [{ kind: "status", status: 503 }, { kind: "lost" }, { kind: "garble" }, { kind: "cut" }]
      : [{ kind: "status", status: 500 }, { kind: "cut" }, { kind: "spoil" }];
  const met = new Map<string, number>();
  between.fault = ({ method, path }: Asked) => {
    const name = `${method} ${path}`;
    const times = met.get(name) ?? 0;
    met.set(name, times + 1);
    return times < 9 ? faults(method)[times % faults(method).length]! : null;
  };
  const ordinals = [1, 999, 1_000, 1_001];
  for (const ordinal of ordinals) await segments.write(ordinal, [visitEntry(ordinal), visitEntry(7)]);
  assert.deepEqual(await segments.read({ ordinal: 999, index: 0 }), visitEntry(999));
  const read = await Array.fromAsync(segments.all(1, 5_000));
  assert.deepEqual(
    read,
    ordinals.map((ordinal) => ({ ordinal, entries: [visitEntry(ordinal), visitEntry(7)] })),
  );
  assert.ok(said.includes("store-away") && said.at(-1) === "store-back");
});
