/** What the archive's tests share: exchanges, folders that go away, and whole files read back. */
import { createReadStream } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Clock } from "../../src/base/clock.ts";
import type { FetchResponse } from "../../src/model/fetch-result.ts";
import type { Href } from "../../src/model/url.ts";
import type { ArchiveNote } from "../../src/ports/archive.ts";
import { type ArchiveOptions, openArchive, type WarcArchive } from "../../src/warc/archive.ts";
import { readRecords, type WarcDamage, type WarcRecord } from "../../src/warc/reader.ts";

export const NOW = Date.UTC(2026, 10, 30, 12, 0, 0, 250);

/** Stands still. */
export const clock: Clock = { now: () => NOW, sleep: async () => {} };

export const note: ArchiveNote = { robotsId: 0, identifiedType: null, via: null };

export function exchange(changes: Partial<FetchResponse> & { readonly text?: string } = {}): FetchResponse {
  const { text = "<p>hello</p>", ...rest } = changes;
  const body = rest.body ?? Buffer.from(text);
  return {
    kind: "response",
    href: "http://a.test/page" as Href,
    address: "192.0.2.7",
    startedAt: NOW,
    endedAt: NOW + 20,
    requestHead: "GET /page HTTP/1.1\r\nHost: a.test\r\n\r\n",
    status: 200,
    statusText: "OK",
    httpVersion: "1.1",
    rawHeaders: ["Content-Type", "text/html"],
    decoded: body,
    bodyRead: true,
    truncated: null,
    decodeError: null,
    ...rest,
    body,
  };
}

export async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "trawl-warc-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export function archiveIn(dir: string, options: Partial<ArchiveOptions> = {}): Promise<WarcArchive> {
  return openArchive({ dir, clock, info: { software: "trawl/test", robots: "obey" }, ...options });
}

export async function archiveNames(dir: string): Promise<string[]> {
  return (await readdir(dir)).sort();
}

export async function readAll(path: string): Promise<(WarcRecord | WarcDamage)[]> {
  const items: (WarcRecord | WarcDamage)[] = [];
  for await (const item of readRecords(createReadStream(path))) items.push(item);
  return items;
}

/** The records of a file that must have no damage and no flaw. */
export async function soundRecords(path: string): Promise<WarcRecord[]> {
  return (await readAll(path)).map((item) => {
    if (item.kind === "damage" || item.flaws.length > 0) throw new Error(`not sound: ${JSON.stringify(item)}`);
    return item;
  });
}
