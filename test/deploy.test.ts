/** What is in deploy/ can be used as it stands. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { parse } from "yaml";
import { readArguments } from "../src/app/config/arguments.ts";
import { OPTIONS } from "../src/app/config/options.ts";
import { tempDir } from "./e2e/trawl.ts";
import { findCommand, need } from "./services/command.ts";

const run = promisify(execFile);
const DEPLOY = join(import.meta.dirname, "../deploy");

interface Service {
  readonly command: readonly string[] | string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The program, and its words in front of those of compose. */
let compose: readonly [string, ...string[]];

before(async () => {
  const plugin = await run("docker", ["compose", "version"]).then(
    () => true,
    () => false,
  );
  compose = plugin
    ? ["docker", "compose"]
    : [await need("docker-compose", ["docker-compose"], () => findCommand("docker-compose"))];
});

/** What compose makes of compose.yaml and an environment file. */
async function composed(envFile: string): Promise<Readonly<Record<string, Service>>> {
  const [program, ...words] = compose;
  const file = ["-f", join(DEPLOY, "compose.yaml"), "--env-file", envFile];
  const { stdout } = await run(program, [...words, ...file, "config"]);
  return (parse(stdout) as { services: Record<string, Service> }).services;
}

describe("deploy/compose.yaml", () => {
  it("asks in words for what the example leaves open", async () => {
    await assert.rejects(composed(join(DEPLOY, "example.env")), /set S3_(KEY|SECRET) in deploy\/\.env/);
  });

  it("with the example filled in gives six nodes of Redis, a store, and a crawler whose options Trawl takes", async () => {
    await using dir = await tempDir();
    const filled = join(dir.path, ".env");
    const example = await readFile(join(DEPLOY, "example.env"), "utf8");
    await writeFile(filled, example.replace(/^(S3_\w+)=$/gm, "$1=made-up"));
    const services = await composed(filled);
    assert.equal(Object.keys(services).filter((name) => /^redis-\d$/.test(name)).length, 6);

    const [command, ...options] = services.crawler!.command as readonly string[];
    assert.equal(command, "crawl");
    const { given, positionals } = readArguments("crawl", options, OPTIONS);
    assert.deepEqual(positionals, ["https://example.com/"]);
    assert.equal(given.store, "s3://crawls/crawl");
    assert.equal(services.crawler!.environment!.AWS_ACCESS_KEY_ID, services.s3!.environment!.ROOT_ACCESS_KEY);
  });
});
