/** The site that is crawled: Debian documentation packages behind one nginx, whose log says who fetched what. */
import { mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianDocs } from "../test/services/debian-docs.ts";
import { nginx } from "../test/services/nginx.ts";

export const DOCS = { "postgresql-doc-15": "postgresql", "python3.11-doc": "python" } as const;
export type DocsPackage = keyof typeof DOCS;

/** What a crawl asked for, as the server saw it. */
export interface Served {
  readonly requests: number;
  /** HTML documents, each counted once. */
  readonly pages: number;
  /** Of the documents, not compressed: the mean. */
  readonly bytesPerPage: number;
}

export interface DocsWeb extends AsyncDisposable {
  /** Links to the start page of each package. */
  readonly all: string;
  /** A page without a link: a crawl of it costs what starting and stopping costs. */
  readonly one: string;
  /** What was asked for since it was last called. */
  served(): Promise<Served>;
}

/** `copies`: how often each package is there, under different paths: a longer crawl of the same pages. */
export async function docsWeb(packages: readonly DocsPackage[], copies: number): Promise<DocsWeb> {
  const root = await mkdtemp(join(tmpdir(), "docs-"));
  const links: string[] = [];
  for (const name of packages) {
    const docs = await debianDocs(DOCS[name]);
    for (let copy = 1; copy <= copies; copy++) {
      await symlink(docs.root, join(root, `${name}-${copy}`));
      links.push(`<a href="${name}-${copy}/${docs.start}">${name}</a>`);
    }
  }
  await writeFile(join(root, "all.html"), links.join("\n"));
  await writeFile(join(root, "one.html"), "<p>No link.");
  const server = await nginx({ root, gzip: true });
  let read = 0;
  return {
    all: `${server.origin}/all.html`,
    one: `${server.origin}/one.html`,
    async served() {
      const lines = (await server.accessLog()).slice(read);
      read += lines.length;
      return servedIn(lines, root);
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(root, { recursive: true });
    },
  };
}

async function servedIn(lines: readonly string[], root: string): Promise<Served> {
  const pages = new Set<string>();
  for (const line of lines) {
    const [method, uri, status] = line.split("\t");
    const path = uri!.split("?", 1)[0]!;
    if (method === "GET" && status === "200" && /(\.html?|\/)$/.test(path))
      pages.add(path.replace(/\/$/, "/index.html"));
  }
  let bytes = 0;
  for (const path of pages) bytes += (await stat(join(root, decodeURIComponent(path)))).size;
  return { requests: lines.length, pages: pages.size, bytesPerPage: bytes / Math.max(pages.size, 1) };
}
