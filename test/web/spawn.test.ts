import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { ask } from "./ask.ts";
import { requestsOf } from "./log.ts";
import { type Ready, spawnFakeWeb } from "./spawn.ts";

const SERVE = join(import.meta.dirname, "serve.ts");

describe("the web in its own process", () => {
  it("serves what this process computes, takes new rules, and hands its log over", async () => {
    await using web = await spawnFakeWeb({ hosts: 3, pagesPerHost: 5, bytes: [600, 900] });
    const reply = await ask(web, "h0.test", "/");
    assert.equal(reply.body.toString(), web.site.serve("h0.test", "/")!.body);
    await web.behave({ host: "h1.test", behaviour: { kind: "status", status: 503 } });
    assert.equal((await ask(web, "h1.test", "/", { address: web.addresses[1]! })).status, 503);
    const requests = requestsOf(await web.entries());
    assert.deepEqual(
      requests.map(({ host, address, status, page }) => ({ host, address, status, page })),
      [
        { host: "h0.test", address: "127.0.1.1", status: 200, page: `${web.origin(0)}/` },
        { host: "h1.test", address: "127.0.1.2", status: 503, page: null },
      ],
    );
  });

  it("prints one line of JSON and stops when it is told to terminate", async () => {
    const child = spawn(process.execPath, [SERVE, "--hosts", "2", "--pages", "3", "--gallery"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(createInterface(child.stdout), "line");
    const ready = JSON.parse(line) as Ready;
    assert.deepEqual(ready.seeds, [`http://h0.test:${ready.port}/`, `http://odd.test:${ready.port}/`]);
    assert.equal((await ask(ready, "h0.test", "/")).status, 200);
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    assert.equal(code, 0);
  });

  it("does not start on a flag that makes no sense", async () => {
    await assert.rejects(promisify(execFile)(process.execPath, [SERVE, "--hosts", "many"]), /takes a whole number/);
  });
});
