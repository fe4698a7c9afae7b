import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { main } from "../../../src/app/cli/main.ts";
import { directoryFirst } from "../../../src/app/cli/positionals.ts";
import { configFrom, writeConfig } from "../../../src/app/config/config.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { openEmbedded } from "../../../src/store/embedded/backend.ts";
import { testShell } from "../shell.ts";

describe("a directory and a URL", () => {
  it("are told apart in whichever order they stand", () => {
    using shell = testShell();
    mkdirSync(join(shell.cwd, "crawls/a.test"), { recursive: true });
    const pair = (...words: string[]) => directoryFirst(words, shell.cwd).join(" ");
    assert.equal(pair("crawls/a.test", "https://a.test/x"), "crawls/a.test https://a.test/x");
    assert.equal(pair("https://a.test/x", "crawls/a.test"), "crawls/a.test https://a.test/x");
    assert.equal(pair("a.test/x", "crawls/a.test"), "crawls/a.test a.test/x");
    assert.equal(pair("crawls/a.test", "a.test/x"), "crawls/a.test a.test/x");
    assert.equal(pair("https://a.test/x", "crawls/none"), "crawls/none https://a.test/x");
    assert.equal(pair("a.test/x", "a.test/y"), "a.test/x a.test/y");
  });

  it("may be given to trawl explain in either order, or the directory by --dir", async () => {
    using shell = testShell();
    const dir = join(shell.cwd, "kept");
    const { config } = await configFrom({ seeds: "https://a.test/", dir }, "crawl()", shell);
    await writeConfig(config);
    await using _state = openEmbedded(dir, { clock: systemClock });
    const url = "https://a.test/page";
    for (const words of [
      ["kept", url],
      [url, "kept"],
      [url, "--dir", "kept"],
      ["kept", "a.test/page"],
    ]) {
      using asking = { ...shell, ...testShell(), cwd: shell.cwd };
      assert.equal(await main(["explain", ...words], asking), 0, asking.err());
      assert.equal(asking.out().split("\n").slice(0, 2).join(" "), `${url} by ${dir}`, words.join(" "));
    }
    assert.equal(await main(["explain", url, "kept", "more"], shell), 2);
    assert.match(shell.err(), /is one too many; name one URL alone: trawl explain crawls\/example\.com https:/);
  });
});
