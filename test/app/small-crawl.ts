/** A crawl's directory for tests, made by the parts that make it in a crawl, without a network. */
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { configFrom, writeConfig } from "../../src/app/config/config.ts";
import { writeIndex } from "../../src/app/dir/index-file.ts";
import { openPages } from "../../src/app/dir/pages-file.ts";
import { hashText } from "../../src/base/hash.ts";
import { endedRecords } from "../../src/crawl/records.ts";
import type { ArchiveMark } from "../../src/model/capture.ts";
import type { FetchResponse } from "../../src/model/fetch-result.ts";
import { type HostKey, hostKeyOf } from "../../src/model/host.ts";
import type { NewUrl } from "../../src/model/link.ts";
import type { PageInfo } from "../../src/model/page.ts";
import { type Href, parseUrl } from "../../src/model/url.ts";
import { urlKey } from "../../src/policy/url-key.ts";
import type { Frontier, Settled } from "../../src/ports/frontier.ts";
import { openEmbedded } from "../../src/store/embedded/backend.ts";
import { openArchive } from "../../src/warc/archive.ts";
import { pageInfo } from "../model/page.ts";
import { exchange, note } from "../warc/fixtures.ts";
import { visit } from "./records.ts";
import type { TestShell } from "./shell.ts";

export interface SmallPage {
  readonly url: string;
  readonly status?: number;
  readonly type?: string;
  readonly body?: string | Uint8Array;
  /** Sent with this content-coding, gzip'ed. */
  readonly gzip?: boolean;
  readonly headers?: readonly string[];
  /** What reading found. */
  readonly page?: Partial<PageInfo>;
  /** How the URL ends; "fetched" unless the status says otherwise. */
  readonly end?: "fetched" | "http-4xx" | "robots";
}

export const PAGES: readonly SmallPage[] = [
  { url: "https://a.test/", body: "<title>Home</title><p>welcome", page: { title: "Home" } },
  { url: "https://a.test/two?b=1&a=2", body: "<title>Two</title><p>deux €", gzip: true, page: { title: "Two" } },
  { url: "https://a.test/style.css", type: "text/css", body: "p { color: teal }", page: { mediaType: "text/css" } },
  { url: "https://b.test/gone", status: 404, body: "no", end: "http-4xx" },
  { url: "https://b.test/secret", end: "robots" },
];

/** Writes the crawl `DIR/crawls/a.test` of the shell's directory: its path. One more URL, https://a.test/later, stays queued. */
export async function smallCrawl(shell: TestShell, pages: readonly SmallPage[] = PAGES): Promise<string> {
  const dir = join(shell.cwd, "crawls", "a.test");
  const { config } = await configFrom({ seeds: pages[0]!.url, dir }, "crawl()", shell);
  await writeConfig(config);
  await using backend = openEmbedded(dir, { clock: shell.clock, hostConcurrency: pages.length });
  await using pagesFile = await openPages(dir, backend);
  await visitSmall(backend, join(dir, "archive"), shell, pages, async (settled) => [
    await pagesFile.write(endedRecords(settled.map((one) => ({ settled: one }) as never))),
  ]);
  await writeIndex(dir, backend);
  return dir;
}

/** Visits `pages`, whose archive is written into `archive`, and leaves one more queued. `marks`: of what else is written of them. */
export async function visitSmall(
  backend: Frontier,
  folder: string,
  shell: Pick<TestShell, "clock" | "time">,
  pages: readonly SmallPage[] = PAGES,
  marks: (settled: readonly Settled[]) => Promise<readonly ArchiveMark[]> = async () => [],
): Promise<void> {
  await backend.add([...pages.map(({ url }) => newUrl(url)), newUrl("https://a.test/later")]);
  const leases = new Map((await backend.lease(pages.length + 1)).map((lease) => [lease.url.href as string, lease]));

  const settled: Settled[] = [];
  await using archive = await openArchive({
    dir: folder,
    clock: shell.clock,
    info: { software: "trawl/test", robots: "obey" },
  });
  for (const page of pages) {
    const lease = leases.get(page.url)!;
    shell.time += 1_000;
    const response = page.end === "robots" ? null : responseOf(page, shell.time);
    const capture = response === null ? null : archive.append(response, note);
    const record = visit(lease.url.id, {
      href: lease.url.href,
      end: page.end ?? "fetched",
      startedAt: shell.time,
      endedAt: shell.time + 20,
      status: response?.status ?? null,
      contentType: response === null ? null : (page.type ?? "text/html"),
      bytes: response?.body.length ?? 0,
      capture,
      page: page.page === undefined ? null : pageInfo(page.page),
      ...(response === null ? { address: null } : {}),
    });
    const verdict = { kind: "end", end: page.end ?? "fetched" } as const;
    settled.push({ lease, verdict, hostReadyAt: shell.time, record, links: [] });
  }
  const synced = await archive.sync();
  await backend.commit({ settled, hosts: [], robots: [], marks: [...synced, ...(await marks(settled))] });
}

function newUrl(text: string): NewUrl {
  const url = parseUrl(text);
  if (!url.ok) throw new Error(`${text}: ${url.error}`);
  const [fpHi, fpLo] = hashText(urlKey(url.value.parts));
  const host: HostKey = hostKeyOf(url.value.parts);
  return { href: url.value.href, host, fpHi, fpLo, depth: 0, hops: 0, via: 0, source: "seed", priority: 0 };
}

function responseOf(page: SmallPage, at: number): FetchResponse {
  const { status = 200, type = "text/html", body = "", gzip = false, headers = [] } = page;
  const bytes = Buffer.from(body as string);
  const coding = gzip ? ["Content-Encoding", "gzip"] : [];
  return exchange({
    href: page.url as Href,
    startedAt: at,
    endedAt: at + 20,
    status,
    statusText: status === 200 ? "OK" : "Not Found",
    rawHeaders: ["Content-Type", type, ...coding, ...headers],
    body: gzip ? gzipSync(bytes) : bytes,
  });
}
