/** Files as a protocol module reads them: what is below a directory, and nothing else whatever it is called. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { type FetchResponse, type FetchResult, header } from "../../src/model/fetch-result.ts";
import type { Href } from "../../src/model/url.ts";
import { fetcherByScheme } from "../../src/net/by-scheme.ts";
import { type FileOptions, fileProtocol } from "../../src/net/file.ts";
import { sniff } from "../../src/policy/media-type.ts";
import type { Fetcher } from "../../src/ports/fetcher.ts";

let dir: string;
let root: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "trawl-file-"));
  root = join(dir, "site");
  await mkdir(join(root, "sub"), { recursive: true });
  await writeFile(join(root, "page"), "<!DOCTYPE html><p>hello");
  await utimes(join(root, "page"), 1_000_000_000, 1_000_000_000);
  await writeFile(join(root, "blob"), Buffer.alloc(5_000));
  await writeFile(join(root, ".hidden"), "hidden");
  await writeFile(join(root, "a&b <c>?#%2F.txt"), "odd");
  await writeFile(join(dir, "secret"), "secret");
  await mkdir(join(dir, "site2"));
  await symlink("../secret", join(root, "leak"));
  await symlink("..", join(root, "up"));
  await symlink("page", join(root, "same"));
  await symlink("round", join(root, "round"));
  execFileSync("mkfifo", [join(root, "pipe")]);
});
after(() => rm(dir, { recursive: true, force: true }));

const fetched = (href: string, more: Partial<FileOptions> = {}, signal?: AbortSignal): Promise<FetchResult> =>
  fileProtocol({ clock: systemClock, roots: [root], identify: (first) => sniff(null, first), ...more }).fetch(
    { href: href as Href, address: "", purpose: "page" },
    signal,
  );

async function response(name: string, more: Partial<FileOptions> = {}): Promise<FetchResponse> {
  const result = await fetched(`${pathToFileURL(root)}/${name}`, more);
  if (result.kind === "failure") throw new Error(`${name}: ${result.detail}`);
  return result;
}

describe("a file", () => {
  it("is what it holds, with the type that it begins like, and when it was last changed", async () => {
    const page = await response("page?x=1");
    assert.deepEqual(
      [page.status, String(page.body), page.decoded, page.httpVersion],
      [200, "<!DOCTYPE html><p>hello", page.body, null],
    );
    assert.deepEqual(page.rawHeaders, ["Content-Type", "text/html", "Last-Modified", "Sun, 09 Sep 2001 01:46:40 GMT"]);
    assert.equal(String((await response("same")).body), String(page.body));
  });

  it("is cut where it is too long, and not by what it says of its size", async () => {
    for (const [maxBytes, length, truncated] of [
      [4_999, 4_999, "length"],
      [5_000, 5_000, null],
      [10, 10, "length"],
    ] as const) {
      const blob = await response("blob", { maxBytes });
      assert.deepEqual([blob.body.length, blob.truncated], [length, truncated]);
    }
    const system = await fetched("file:///proc/self/status", { roots: ["/proc"] }); // says that it is empty
    assert.ok(system.kind === "response" && system.body.length > 100);
  });

  it("is not read when its type is not wanted", async () => {
    const blob = await response("blob", { acceptTypes: ["text/*"] });
    assert.deepEqual([blob.status, blob.bodyRead, blob.body.length], [200, false, 0]);
    assert.equal(header(blob.rawHeaders, "content-type"), "application/octet-stream");
  });

  it("that leads out of the directory is refused, however it does", async () => {
    for (const name of ["leak", "up", "up/secret", "up/site2/", "pipe", ".."]) {
      const { status, body } = await response(name);
      assert.deepEqual([name, status, body.length], [name, 403, 0]);
    }
    for (const href of ["file:///etc/passwd", "file:///dev/zero", "file:///"]) {
      const result = await fetched(href);
      assert.equal(result.kind === "response" && result.status, 403, href);
    }
    assert.equal((await response("page", { roots: [] })).status, 403);
    assert.equal((await response("page", { except: root })).status, 403);
  });

  it("that is not there, or whose name cannot be one, is not found", async () => {
    const strange = ["nothing", "page/", "page/x", "a%2Fb", "%00", "%ff", "round", "x".repeat(3_000)];
    for (const name of strange) assert.equal((await response(name)).status, 404, name);
  });

  it("that takes too long, or is no longer wanted, is a failure", async () => {
    const hurried: Clock = { now: () => 0, sleep: async () => {} };
    const url = `${pathToFileURL(root)}/page`;
    const ends = [await fetched(url, { clock: hurried }), await fetched(url, {}, AbortSignal.abort())];
    assert.deepEqual(
      ends.map((end) => end.kind === "failure" && [end.cause, end.detail]),
      [
        ["timeout", "total"],
        ["timeout", "aborted"],
      ],
    );
  });

  it("may lie below a root that is a link itself", async () => {
    await symlink("site", join(dir, "link"));
    const page = await fetched(`${pathToFileURL(dir)}/link/page`, { roots: [join(dir, "link")] });
    assert.equal(page.kind === "response" && page.status, 200);
  });
});

describe("a directory", () => {
  it("is a list of links to what is in it, in order, hidden files aside", async () => {
    for (const name of ["", "sub/.."]) {
      const { rawHeaders, body } = await response(name);
      assert.equal(header(rawHeaders, "content-type"), "text/html");
      const links = [...String(body).matchAll(/href="([^"]*)"/g)].map(([, href]) => href!);
      const names = ["a%26b%20%3Cc%3E%3F%23%252F.txt", "blob", "leak", "page", "pipe", "round", "same", "sub/", "up"];
      assert.deepEqual(
        links,
        names.map((one) => `${pathToFileURL(root).pathname}/${one}`),
      );
      assert.match(String(body), /<title>[^<]*\/site\/<\/title>/);
    }
    const odd = String((await response("a%26b%20%3Cc%3E%3F%23%252F.txt")).body);
    assert.equal(odd, "odd");
  });

  it("does not list what is excepted, nor what may not be seen", async () => {
    const { body } = await response("", { except: join(root, "sub") });
    assert.doesNotMatch(String(body), /sub/);
    if (process.getuid?.() === 0) return; // root sees all
    await chmod(join(root, "sub"), 0);
    assert.equal((await response("sub/")).status, 403);
    await chmod(join(root, "sub"), 0o755);
  });
});

describe("fetchers by scheme", () => {
  const named = (name: string) => ({ fetch: async () => ({ name }) as unknown as FetchResult });
  const web = { ...named("web"), async [Symbol.asyncDispose]() {} } as Fetcher;
  const module = { ...named("module"), schemes: ["file:"] };

  it("each fetch their own", async () => {
    const fetcher = fetcherByScheme(web, [module]);
    const by = async (href: string) => fetcher.fetch({ href: href as Href, address: "", purpose: "page" });
    assert.deepEqual(await Promise.all(["http://a/file:", "https://a/", "file:///a"].map(by)), [
      ...[{ name: "web" }, { name: "web" }, { name: "module" }],
    ]);
  });

  it("do not share a scheme", () => {
    assert.throws(() => fetcherByScheme(web, [module, module]), /two modules fetch file:/);
    assert.throws(() => fetcherByScheme(web, [{ ...module, schemes: ["http:"] }]), /two modules fetch http:/);
  });
});
