/** The real program comes back to a web that changes: what it tells and keeps is what the web's own log shows. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { systemClock } from "../../src/base/clock.ts";
import { header } from "../../src/model/fetch-result.ts";
import { openEmbedded } from "../../src/store/embedded/backend.ts";
import type { Server } from "../web/changing.ts";
import { requestsOf } from "../web/log.ts";
import { spawnFakeWeb } from "../web/spawn.ts";
import { checkArchive, endsIn, startTrawl, tempDir, trawl } from "./trawl.ts";

const SERVERS: readonly Server[] = ["strong", "weak", "modified", "noisy"];
const LOOKS = 4;

interface Told {
  readonly event: string;
  readonly url: string;
}

/** All that has ended in it waits again. */
async function comeBack(dir: string): Promise<void> {
  await using backend = openEmbedded(dir, { clock: systemClock });
  const ended = (await Array.fromAsync(backend.urls({ endedOnly: true }))).filter(({ visit }) => visit!.attempt > 0);
  await backend.revisit(ended.map(({ id }) => ({ id, priority: 4 })));
}

describe("a crawl that comes back", () => {
  it("tells each change once, asks for bodies that have changed alone, and is sound", async () => {
    await using web = await spawnFakeWeb({
      hosts: SERVERS.length,
      pagesPerHost: 5,
      addresses: 1,
      dressed: false,
      bytes: [2_000, 3_000],
      robots: { "*": { kind: "status", status: 404 } },
      // Two days pass in a second; a page changes once in five seconds, some often, some never.
      changing: { servers: SERVERS, speed: 2 * 86_400, medianDays: 10, spread: 1.5, fleeting: 0.4, days: 2_000 },
    });
    await using dir = await tempDir();
    const path = join(dir.path, "crawl");
    const events = join(dir.path, "events.jsonl");
    const args = ["crawl", web.origin(0), "--scope", "any", "--delay", "0", "--no-soft-404", "--pattern-budget", "0"];
    args.push("--allow-net", web.allowNet, "--dns", web.dns, "--dir", path, "--events", events, "--quiet");
    for (let look = 0; look < LOOKS; look++) {
      if (look > 0) await comeBack(path);
      if (look === 2) {
        // Killed on the way, and gone on with.
        const killed = startTrawl(args);
        setTimeout(() => killed.process.kill("SIGKILL"), 1_500);
        await killed.ended;
      }
      const run = await trawl(args);
      assert.equal(run.code, 0, run.stderr);
    }

    const told = (await readFile(events, "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Told);
    const log = requestsOf(await web.entries()).filter(({ version }) => version !== undefined);
    const byUrl = Map.groupBy(log, ({ host, path: at }) => `http://${host}:${web.port}${at}`);
    let changes = 0;
    for (const [url, answers] of byUrl) {
      // A page that was asked for when the program was killed is asked for again: what it told then is not known.
      const expected: string[] = [];
      let [seen, away]: [number | null, boolean] = [null, false];
      for (const { status, version } of answers) {
        if (status === 404 || status === 410) {
          if (seen !== null && !away) expected.push("gone");
          away = true;
          continue;
        }
        const is: number | null = status === 304 ? seen : version!;
        if (seen === null) expected.push("new");
        else if (away) expected.push("back");
        else if (is !== seen) expected.push("changed");
        [seen, away] = [is, false];
      }
      const said = told.filter((one) => one.url === url).map(({ event }) => event);
      if (answers.length <= LOOKS) assert.deepEqual(said, expected, url);
      changes += said.filter((event) => event === "changed").length;
    }
    assert.ok(changes >= 5, `${changes} changes`);

    const { records, faults } = await checkArchive(path);
    assert.deepEqual(faults, []);
    const notModified = records.filter(({ record }) =>
      header(record.fields, "warc-profile")?.endsWith("server-not-modified"),
    );
    assert.ok(notModified.length >= 5, `${notModified.length} not modified`);
    for (const { record } of notModified) {
      assert.match(Buffer.from(record.block).toString("latin1"), /^HTTP\/1\.1 304 .*\r\n\r\n$/s);
      assert.ok(header(record.fields, "warc-refers-to-target-uri"));
      assert.ok(header(record.fields, "warc-refers-to-date"));
    }
    // Who has not changed still has the links, and the text, that it had.
    const unchanged = [...endsIn(path)].flatMap(([url, end]) => (end === "not-modified" ? [url] : []));
    assert.ok(unchanged.length > 0);
    const [graph, texts] = [join(dir.path, "graph.graphml"), join(dir.path, "texts.warc.wet.gz")];
    for (const to of [graph, texts]) assert.equal((await trawl(["export", path, "--to", to])).code, 0);
    const nodes = new Map(
      [...(await readFile(graph, "utf8")).matchAll(/<node id="(\w+)">.*?>(http[^<]+)</gs)].map(([, id, url]) => [
        url,
        id,
      ]),
    );
    const sources = new Set([...(await readFile(graph, "utf8")).matchAll(/<edge source="(\w+)"/g)].map(([, id]) => id));
    const wet = gunzipSync(await readFile(texts)).toString("latin1");
    for (const url of unchanged) {
      assert.ok(sources.has(nodes.get(url)), `${url} has no links`);
      assert.ok(wet.includes(`WARC-Target-URI: ${url}\r\n`), `${url} has no text`);
    }
    const verified = await trawl(["verify", path]);
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  });
});
