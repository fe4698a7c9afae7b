/** Archives as others write them, made for tests, and what they become in a crawl's directory. */
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { main } from "../../../src/app/cli/main.ts";
import { openState } from "../../../src/store/embedded/read-only.ts";
import { testShell } from "../shell.ts";

export const PAGE = "<html lang=en><title>One</title><a href=/two>two</a><p>words enough to be a page of its own";
export const sha1 = (text: string) => `sha1:${createHash("sha1").update(text).digest("hex")}`;

/** A record of version 1.0, with what is given; times go up by themselves. */
let clock = Date.UTC(2020, 0, 1);
export function record(type: string, uri: string, block: string | Buffer, fields: readonly string[] = []): Buffer {
  clock += 1_000;
  const bytes = Buffer.from(block);
  const head = [
    "WARC/1.0",
    `WARC-Type: ${type}`,
    `WARC-Record-ID: <urn:uuid:${clock}>`,
    `WARC-Date: ${new Date(clock).toISOString().replace(/\.\d+/, "")}`,
    ...(uri === "" ? [] : [`WARC-Target-URI: ${uri}`]),
    ...fields,
    `Content-Length: ${bytes.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), bytes, Buffer.from("\r\n\r\n")]);
}
export const HTTP = "Content-Type: application/http; msgtype=response";
export const http = (
  uri: string,
  body: string | Buffer,
  head = "HTTP/1.1 200 OK\r\nContent-Type: text/html",
  more: string[] = [],
) => record("response", uri, Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Buffer.from(body)]), [HTTP, ...more]);

export interface Made {
  readonly code: number;
  readonly report: {
    readonly files: Record<string, number>;
    readonly counts: Record<string, number>;
    readonly plan: Record<string, number>;
    readonly faults: number;
    readonly left: number;
  };
  readonly err: string;
  readonly dir: string;
  readonly rows: readonly (readonly [url: string, end: string, title: string | null, status: number | null])[];
  get(url: string): Promise<string>;
  verify(): Promise<string>;
}

export async function imported(
  t: TestContext,
  files: Readonly<Record<string, Buffer>>,
  args: readonly string[] = [],
): Promise<Made> {
  const folder = await mkdtemp(join(tmpdir(), "trawl-import-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  const dir = join(folder, "crawl");
  const run = async (argv: readonly string[]) => {
    using shell = testShell();
    const code = await main(argv, shell);
    return { code, out: shell.bytes().toString(), err: shell.err() };
  };
  const names = Object.keys(files).map((name) => join(folder, name));
  const { code, out, err } = await run(["import", ...names, "--dir", dir, "--json", ...args]);
  using state = openState(dir);
  const rows = (await Array.fromAsync(state.urls())).flatMap(({ visit }) =>
    visit === null || visit.attempt === 0
      ? []
      : [[visit.href, visit.end, visit.page?.title ?? null, visit.status] as const],
  );
  return {
    ...{ code, err, dir, rows, report: JSON.parse(out) },
    get: async (url) => (await run(["get", dir, url])).out,
    verify: async () => (await run(["verify", dir])).out,
  };
}
