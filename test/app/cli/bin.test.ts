import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, cpSync, openSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { VERSION } from "../../../src/app/version.ts";
import { tempDir } from "../../e2e/trawl.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const BIN = join(ROOT, "bin/trawl.js");
const run = (nodeArguments: readonly string[], ...argv: string[]) =>
  spawnSync(process.execPath, [...nodeArguments, BIN, ...argv], { encoding: "utf8", timeout: 60_000 });

describe("bin/trawl.js", () => {
  it("runs the program", () => {
    const { status, stdout, stderr } = run([], "--version");
    assert.deepEqual([status, stdout, stderr], [0, `${VERSION}\n`, ""]);
  });
  it("gives the exit code of a mistake", () => {
    const { status, stdout, stderr } = run([], "frobnicate");
    assert.deepEqual([status, stdout], [2, ""]);
    assert.equal(stderr, 'trawl: there is no command "frobnicate"; trawl help lists them\n');
  });
  it("gives exit code 3 when standard output is a disk that is full", () => {
    const full = openSync("/dev/full", "w");
    const { status, signal } = spawnSync(process.execPath, [BIN, "--help"], { stdio: ["ignore", full, "ignore"] });
    closeSync(full);
    assert.deepEqual([status, signal], [3, null]);
  });
  it("says one clear sentence where its packages are not installed", async () => {
    await using dir = await tempDir();
    for (const name of ["bin", "src", "package.json"])
      cpSync(join(ROOT, name), join(dir.path, name), { recursive: true });
    const bin = join(dir.path, "bin/trawl.js");
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "--version"], { encoding: "utf8" });
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, /^trawl: the package \S+ is not installed beside \/[^\n]+; run npm ci\n$/);
  });
  it("says one clear sentence on an old Node", () => {
    const older = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.20.2'}})";
    const { status, stdout, stderr } = run(["--import", older], "--version");
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, /^trawl: Node 24 or newer is needed; this is 20\.20\.2: [^\n]+\n$/);
  });
});
