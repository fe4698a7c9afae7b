import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { readRecordAt } from "../../src/warc/read-at.ts";
import { repairArchive } from "../../src/warc/repair.ts";
import { archiveNames, folder, soundRecords } from "./fixtures.ts";
import type { Durable } from "./rotating-writer.ts";

const WRITER = join(import.meta.dirname, "rotating-writer.ts");

/** Kills the writer after so many syncs, at whatever it is doing then; what it had said to be durable. */
async function killedAfter(dir: string, syncs: number): Promise<Durable[]> {
  const writer = spawn(process.execPath, [WRITER, dir], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(writer, "exit");
  const said: Durable[] = [];
  for await (const line of createInterface(writer.stdout)) {
    if (said.length < syncs) said.push(JSON.parse(line) as Durable);
    if (said.length === syncs) writer.kill("SIGKILL");
  }
  await ended;
  return said;
}

describe("a writer that is killed while files are full and others begun", () => {
  it("leaves files that are whole once they are repaired, and every capture that it said was durable", async (t) => {
    for (const syncs of [1, 2, 3, 7, 20, 41]) {
      const dir = await folder(t);
      const said = await killedAfter(dir, syncs);
      assert.equal(said.length, syncs);
      const committed = new Map<string, number>();
      for (const { marks } of said) for (const { file, bytes } of marks) committed.set(file, bytes);
      await repairArchive(dir, committed);
      const names = await archiveNames(dir);
      assert.deepEqual(
        names.filter((name) => !name.endsWith(".unknown")),
        [...committed.keys()].sort(),
      );
      for (const name of committed.keys()) {
        const types = (await soundRecords(join(dir, name))).map(({ type }) => type);
        assert.equal(types.length % 2, 1, "a response never stands without its request");
        assert.equal(types.at(-1), "request");
      }
      for (const { captures } of said)
        for (const { response, at } of captures)
          assert.equal(at, captures[0]!.at, (await readRecordAt(dir, response)).statusLine);
    }
  });
});
