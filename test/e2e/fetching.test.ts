/** The real program and what a site asks of a visitor: sessions, passwords, certificates, HTTP/2, and ways through proxies. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { header } from "../../src/model/fetch-result.ts";
import { httpProxy, socksProxy } from "../net/proxies.ts";
import { AUTHORITY_FILE } from "../web/secure.ts";
import { ask, checkArchive, endsIn, type TempDir, tempDir, trawl } from "./trawl.ts";

const pem = (name: string): Buffer => readFileSync(new URL(`../web/certificates/${name}.pem`, import.meta.url));
const quick = ["--delay", "0", "--tries", "1", "--quiet"];

interface Site extends AsyncDisposable {
  readonly origin: string;
  /** `path cookie|authorization`, robots.txt left out. */
  readonly asked: IncomingMessage[];
}

async function site(respond: (request: IncomingMessage, response: ServerResponse) => void): Promise<Site> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    if (request.url !== "/robots.txt") asked.push(request);
    response.setHeader("content-type", "text/html");
    respond(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const found = (dir: TempDir): Record<string, string> => Object.fromEntries(endsIn(dir.path));

describe("a site with a login", () => {
  const members = (request: IncomingMessage, response: ServerResponse) => {
    const isIn = /\bsid=1\b/.test(request.headers.cookie ?? "");
    if (request.url === "/in")
      response.setHeader("set-cookie", ["sid=1; Max-Age=3600; Path=/", "t=2"]).end('<a href="/club">');
    else if (request.url === "/club") response.writeHead(isIn ? 200 : 403).end("club");
    else response.writeHead(404).end();
  };

  it("is entered with --cookies, and the session is there for the next crawl", async () => {
    await using dir = await tempDir();
    await using again = await tempDir();
    await using server = await site(members);
    const file = join(dir.path, "cookies.txt");
    const with_ = ["--cookies", file, ...quick];
    await trawl(["crawl", `${server.origin}/in`, "--dir", join(dir.path, "c"), ...with_]);
    assert.deepEqual(Object.fromEntries(endsIn(join(dir.path, "c"))), {
      [`${server.origin}/in`]: "fetched",
      [`${server.origin}/club`]: "fetched",
    });
    assert.match(
      await readFile(file, "utf8"),
      /^# Netscape HTTP Cookie File\n.*127\.0\.0\.1\tFALSE\t\/\tFALSE\t\d+\tsid\t1$/ms,
    );
    assert.equal((await stat(file)).mode & 0o077, 0, "a session is a secret");
    await trawl(["crawl", `${server.origin}/club`, "--dir", again.path, ...with_]);
    assert.equal(found(again)[`${server.origin}/club`], "fetched");
  });

  it("stays closed without", async () => {
    await using dir = await tempDir();
    await using server = await site(members);
    await trawl(["crawl", `${server.origin}/in`, "--dir", dir.path, ...quick]);
    assert.equal(found(dir)[`${server.origin}/club`], "http-4xx");
    assert.deepEqual(
      server.asked.map(({ headers }) => headers.cookie),
      [undefined, undefined],
    );
  });

  it("whose file of cookies is none is not begun", async () => {
    await using dir = await tempDir();
    const file = join(dir.path, "cookies.txt");
    await writeFile(file, "<html>");
    const run = await trawl(["crawl", "http://127.0.0.1:1/", "--cookies", file, "--dir", join(dir.path, "c")]);
    assert.equal(run.code, 2);
    assert.match(run.stderr, /cookies\.txt: line 1 is no cookie; a line has seven fields/);
    await assert.rejects(stat(join(dir.path, "c")));
  });
});

describe("a site with a password", () => {
  it("opens to --auth and --host-header; another origin that it redirects to gets neither, nor does the crawl's directory", async () => {
    await using dir = await tempDir();
    await using other = await site((_, response) => void response.end("other"));
    await using server = await site(({ headers, url }, response) => {
      if (headers.authorization !== `Basic ${btoa("me:tell:nobody")}` || headers["x-key"] !== "k1")
        response.writeHead(401).end();
      else if (url === "/") response.end('<a href="/away">');
      else response.writeHead(302, { location: `${other.origin}/` }).end();
    });
    const secrets = ["--auth", `${server.origin}=me:tell:nobody`, "--host-header", `${server.origin}: X-Key: k1`];
    await trawl([
      "crawl",
      `${server.origin}/`,
      "--scope",
      "any",
      "--allow-net",
      "127.0.0.1",
      "--dir",
      dir.path,
      ...secrets,
      ...quick,
    ]);
    assert.deepEqual(found(dir), {
      [`${server.origin}/`]: "fetched",
      [`${server.origin}/away`]: "redirected",
      [`${other.origin}/`]: "fetched",
    });
    const { authorization, "x-key": key } = other.asked[0]!.headers;
    assert.deepEqual([authorization, key], [undefined, undefined]);
    const { records, faults } = await checkArchive(dir.path);
    assert.deepEqual(faults, []);
    const kept = records.map(({ record }) => Buffer.from(record.block).toString("latin1")).join("");
    assert.match(kept, /authorization: \(withheld\)/);
    for (const text of [kept, await readFile(join(dir.path, "crawl.json"), "utf8")])
      assert.doesNotMatch(text, new RegExp(`tell:nobody|${btoa("me:tell:nobody")}`));
  });

  it("over https does not give its password to http", async () => {
    await using dir = await tempDir();
    await using server = await site((_, response) => void response.end("open"));
    await trawl([
      "crawl",
      `${server.origin}/`,
      "--auth",
      `${server.origin.slice(7)}=me:secret`,
      "--dir",
      dir.path,
      ...quick,
    ]);
    assert.deepEqual(
      server.asked.map(({ headers }) => headers.authorization),
      [undefined],
    );
  });
});

describe("a site over TLS", () => {
  it("is spoken to in HTTP/2 with --http2, and the archive says so", async () => {
    await using dir = await tempDir();
    const server = createSecureServer(
      { cert: pem("good"), key: pem("odd.key"), allowHTTP1: true },
      (request, response) => {
        response.writeHead(200, { "content-type": "text/html" });
        response.end(request.url === "/robots.txt" ? "" : `<a href="/2">${request.httpVersion}</a>`);
      },
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    const seed = `https://localhost:${(server.address() as AddressInfo).port}/`;
    try {
      const refused = join(dir.path, "refused");
      await trawl(["crawl", seed, "--dir", refused, ...quick], { env: { NODE_EXTRA_CA_CERTS: AUTHORITY_FILE } });
      assert.match(String(ask(refused, "SELECT detail FROM urls")[0]!.detail), /^the certificate is for another name/);
      const taken = join(dir.path, "taken");
      const run = await trawl(["crawl", seed, "--http2", "--insecure", "--dir", taken, ...quick]);
      assert.match(run.stderr, /WARNING: certificates are not checked/);
      assert.deepEqual([...endsIn(taken).values()], ["fetched", "fetched"]);
      const { records, faults } = await checkArchive(taken);
      assert.deepEqual(faults, []);
      const responses = records.filter(({ record }) => header(record.fields, "warc-type") === "response");
      for (const { record } of responses) assert.equal(header(record.fields, "warc-protocol"), "h2");
      const requests = records.filter(({ record }) => header(record.fields, "warc-type") === "request");
      for (const { record } of requests) assert.doesNotMatch(Buffer.from(record.block).toString(), /connection:/i);
    } finally {
      server.close();
    }
  });
});

describe("a crawl by way of a proxy", () => {
  for (const [kind, start] of [
    ["http", httpProxy],
    ["socks5", socksProxy],
  ] as const) {
    it(`(${kind}) goes to the address that was checked, and keeps user and password to itself`, async () => {
      await using dir = await tempDir();
      await using server = await site((_, response) => void response.end("through"));
      await using proxy = await start({ credentials: "me:secret" });
      const via = ["--proxy", `${kind}://me:secret@127.0.0.1:${proxy.port}`];
      await trawl(["crawl", `${server.origin}/`, "--dir", dir.path, ...via, ...quick]);
      assert.deepEqual(found(dir), { [`${server.origin}/`]: "fetched" });
      const word = kind === "http" ? "CONNECT" : "SOCKS";
      assert.deepEqual(proxy.asked, [`${word} ${server.origin.slice(7)}`]);
      assert.doesNotMatch(await readFile(join(dir.path, "crawl.json"), "utf8"), /secret/);
    });

    it(`(${kind}) leaves names to it with --proxy-dns, and still refuses addresses`, async () => {
      await using dir = await tempDir();
      await using server = await site((_, response) => void response.end('<a href="http://10.0.0.1/">'));
      await using proxy = await start();
      const { port } = new URL(server.origin);
      const via = ["--proxy", `${kind}://127.0.0.1:${proxy.port}`, "--proxy-dns", "--scope", "any"];
      const run = await trawl(["crawl", `http://name.test:${port}/`, "--dir", dir.path, ...via, ...quick]);
      assert.match(run.stderr, /WARNING: the proxy looks names up/);
      assert.deepEqual(found(dir), { [`http://name.test:${port}/`]: "fetched", "http://10.0.0.1/": "refused-address" });
      assert.ok(proxy.asked.every((what) => what.includes("name.test")));
      const { records, faults } = await checkArchive(dir.path);
      assert.deepEqual(faults, []);
      for (const { record } of records) assert.equal(header(record.fields, "warc-ip-address"), null);
    });
  }

  it("that nobody runs is not begun", async () => {
    await using dir = await tempDir();
    const run = await trawl([
      "crawl",
      "http://127.0.0.1:1/",
      "--proxy",
      "http://me:secret@127.0.0.1:1",
      "--dir",
      join(dir.path, "c"),
    ]);
    assert.equal(run.code, 2);
    assert.match(
      run.stderr,
      /the proxy http:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\); start it, or mend --proxy/,
    );
    assert.doesNotMatch(run.stderr, /secret/);
    await assert.rejects(stat(join(dir.path, "c")));
  });
});
