/** DIR/spool: an inbox of files. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { spoolInbox, spoolSlot } from "../../../src/app/dir/spool.ts";
import { silentLog } from "../../../src/base/log.ts";
import { TestClock } from "../../conformance/frontier-world.ts";
import { type InboxStore, inboxConformance, urls } from "../../conformance/inbox.ts";

function spool(): InboxStore & { readonly dir: string; names(): string[] } {
  const dir = mkdtempSync(join(tmpdir(), "trawl-spool-"));
  let spoilt = 0;
  const names = () => readdirSync(join(dir, "spool"));
  return {
    dir,
    names,
    slot: spoolSlot(dir),
    open: (parts) => spoolInbox({ dir, ...parts }),
    async spoil(text) {
      mkdirSync(join(dir, "spool"), { recursive: true });
      writeFileSync(join(dir, "spool", `000000000000001-${++spoilt}-abcdef01.json`), text);
    },
    async left() {
      const aside = names().filter((one) => one.endsWith(".bad")).length;
      return { waiting: names().length - aside, aside };
    },
    close: async () => rmSync(dir, { recursive: true, force: true }),
  };
}

inboxConformance("a directory", async () => spool());

it("a file that is being written is left alone", async () => {
  const one = spool();
  await one.slot.add({ urls: urls(1), priority: null }, 1);
  const half = `${one.names()[0]!.replace("1-", "2-")}.77.tmp`;
  writeFileSync(join(one.dir, "spool", half), '{"urls":["http://a.test/');
  const box = one.open({ clock: new TestClock(), log: silentLog, admit: async (some) => some.length });
  await box.look(true);
  assert.deepEqual(one.names(), [half]);
  await one.close();
});
