/** What has become of pages is told once, in a file that goes on where the last commit was. */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { openChanges } from "../../../src/app/dir/changes-file.ts";
import { UsageError } from "../../../src/app/usage-error.ts";
import type { ChangeEvent } from "../../../src/model/event.ts";
import type { Href } from "../../../src/model/url.ts";
import { memoryBackend } from "../../../src/store/memory/backend.ts";
import { TestClock } from "../../conformance/frontier-world.ts";

let dir: string;
let path: string;
let backend: ReturnType<typeof memoryBackend>;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "trawl-changes-"));
  path = join(dir, "deeper/changes.jsonl");
  backend = memoryBackend({ clock: new TestClock() });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const event = (urlId: number): ChangeEvent => ({
  kind: "changed",
  urlId,
  href: `http://a.test/${urlId}` as Href,
  at: Date.UTC(2026, 0, 2),
  seenAt: Date.UTC(2026, 0, 1),
  status: 200,
  distance: 12,
  digest: "sha1:B",
  digestBefore: "sha1:A",
  to: null,
});
/** Tells of URLs, and commits it unless it is to be lost. */
async function tell(urlIds: readonly number[], { lost = false } = {}): Promise<void> {
  await using file = await openChanges(path, backend);
  const mark = await file.write(urlIds.map(event));
  if (!lost) await backend.commit({ settled: [], hosts: [], robots: [], marks: [mark] });
}
const told = (): number[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { id: number }).id);

describe("the file of changes", () => {
  it("has a line a change, with every field", async () => {
    await tell([1]);
    assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), {
      event: "changed",
      id: 1,
      url: "http://a.test/1",
      at: "2026-01-02T00:00:00.000Z",
      seen_before: "2026-01-01T00:00:00.000Z",
      status: 200,
      distance: 12,
      digest: "sha1:B",
      digest_before: "sha1:A",
      redirect_to: null,
    });
  });

  it("loses nothing that was committed, and tells nothing twice that was not", async () => {
    await tell([1, 2]);
    await tell([3], { lost: true });
    assert.deepEqual(told(), [1, 2, 3]);
    await tell([3, 4]);
    assert.deepEqual(told(), [1, 2, 3, 4]);
  });

  it("cuts off what the very first run has told without a commit, and nothing that was there before", async () => {
    mkdirSync(join(dir, "deeper"));
    writeFileSync(path, '{"id":100}\n');
    await tell([1], { lost: true });
    await tell([1]);
    assert.deepEqual(told(), [100, 1]);
  });

  it("goes on in a file that was taken away, or cut", async () => {
    await tell([1, 2]);
    rmSync(path);
    await tell([3]);
    assert.deepEqual(told(), [3]);
    await tell([4]);
    assert.deepEqual(told(), [3, 4]);
  });

  it("refuses what is no file, and what cannot be written", async () => {
    mkdirSync(path, { recursive: true });
    await assert.rejects(openChanges(path, backend), UsageError);
    const below = join(dir, "file");
    appendFileSync(below, "");
    await assert.rejects(openChanges(join(below, "changes.jsonl"), backend), UsageError);
  });
});
