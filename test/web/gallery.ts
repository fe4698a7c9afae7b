/** A host for every oddity, `NAME.odd.test`, each with the ends that a right crawler may record for it. */
import { gzipSync } from "node:zlib";
import type { EndReason } from "../../src/model/end.ts";
import type { Behaviour, Rule } from "./behaviour.ts";
import { ROBOTS } from "./gallery-robots.ts";
import { SITEMAPS } from "./gallery-sitemaps.ts";
import type { Certificate } from "./secure.ts";
import type { Specimen } from "./specimen.ts";

const html = "text/html; charset=utf-8";
const slow: Behaviour = { kind: "slow-first-byte", ms: 300 };
const raw = (text: string): Behaviour => ({ kind: "raw", text });
/** The end of a head, and a body. */
const PAGE = "Content-Type: text/html\r\nContent-Length: 4\r\n\r\n<p>x";
const TWICE = gzipSync(gzipSync("<title>twice</title>")).toString("base64");
const at = (behaviour: Behaviour): Readonly<Record<string, Behaviour>> => ({ "/": behaviour });
const to = (href: string): Readonly<Record<string, Behaviour>> => at({ kind: "redirect", to: href });

const METADATA = "http://169.254.169.254/latest/meta-data/";
const LOCALHOST = "http://localhost:22/";
const MAPPED = "http://[::ffff:10.0.0.1]/";
const LOOPBACK_NAME = "http://loopback.odd.test:{port}/";

/** URLs that must never be connected to; names among them resolve to forbidden addresses. */
export const FORBIDDEN: readonly string[] = [
  METADATA,
  LOCALHOST,
  MAPPED,
  "http://[::1]:{port}/",
  // 127.0.0.1, as WHATWG reads it
  ...["0x7f.1", "0177.0.0.1", "2130706433", "127.0.0.1."].map((host) => `http://${host}:{port}/`),
  "http://localhost.:{port}/",
  "http://[64:ff9b::127.0.0.1]:{port}/",
  "http://[2002:7f00:1::]:{port}/",
  "http://[::127.0.0.1]:{port}/",
  LOOPBACK_NAME,
  "http://private.odd.test:{port}/",
];

const refused: Readonly<Record<string, readonly EndReason[]>> = Object.fromEntries(
  FORBIDDEN.map((href) => [href, ["refused-address"] as const]),
);

export const GALLERY: Readonly<Record<string, Specimen>> = {
  // The answer comes late, in pieces, or not at all.
  "slow-first-byte": { paths: at(slow), ends: ["fetched"] },
  drip: { paths: at({ kind: "drip", bytes: 200, everyMs: 10 }), ends: ["fetched"] },
  never: { paths: at({ kind: "never" }), ends: ["timeout"] },
  stall: { paths: at({ kind: "stall" }), ends: ["timeout", "fetched"] },
  "endless-slow": { paths: at({ kind: "endless", everyMs: 50 }), ends: ["timeout", "fetched"] },

  // Connections.
  refused: { dns: { kind: "addresses", addresses: ["!"] }, ends: ["connect"] },
  "reset-at-once": { paths: at({ kind: "reset", afterBytes: 0 }), ends: ["closed"] },
  "reset-in-body": { paths: at({ kind: "reset", afterBytes: 5000 }), ends: ["closed", "fetched"] },
  "closed-when-idle": { paths: at({ kind: "stale" }), ends: ["fetched"] },
  "hang-up": { paths: at({ kind: "hang-up" }), ends: ["closed"] },

  // HTTP bent and broken.
  "length-too-long": { paths: at({ kind: "wrong-length", off: 100 }), ends: ["closed", "fetched"] },
  "length-too-short": { paths: at({ kind: "wrong-length", off: -100 }), ends: ["fetched", "protocol"] },
  chunked: { paths: at({ kind: "chunked", bytes: 700 }), ends: ["fetched"] },
  "chunked-broken": {
    paths: at({ kind: "chunked", bytes: 700, broken: true }),
    ends: ["protocol", "closed", "fetched"],
  },
  "until-close": { paths: at({ kind: "until-close" }), ends: ["fetched"] },
  "header-flood": { paths: at({ kind: "header-flood" }), ends: ["protocol"] },
  "bad-status-line": { paths: at({ kind: "raw", text: "HTTP/1.1 OK fine\r\n\r\n" }), ends: ["protocol"] },
  "not-http": { paths: at({ kind: "raw", text: "SSH-2.0-OpenSSH_9.2\r\n" }), ends: ["protocol"] },
  endless: { paths: at({ kind: "endless" }), ends: ["fetched"] },
  "bare-lf": { paths: at(raw("HTTP/1.1 200 OK\nContent-Type: text/html\n\n<p>unix")), ends: ["fetched"] },
  "folded-field": { paths: at(raw(`HTTP/1.1 200 OK\r\nX-Long: a\r\n b\r\n${PAGE}`)), ends: ["fetched"] },
  "blank-before-colon": { paths: at(raw(`HTTP/1.1 200 OK\r\nX-Odd : a\r\n${PAGE}`)), ends: ["fetched"] },
  "length-twice": { paths: at(raw(`HTTP/1.1 200 OK\r\nContent-Length: 4\r\n${PAGE}`)), ends: ["fetched"] },
  "lengths-differ": { paths: at(raw(`HTTP/1.1 200 OK\r\nContent-Length: 9\r\n${PAGE}`)), ends: ["protocol"] },
  interim: { paths: at(raw(`HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n${PAGE}`)), ends: ["fetched"] },
  "continue-unasked": { paths: at(raw(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n${PAGE}`)), ends: ["fetched"] },
  "switching-unasked": {
    paths: at(raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")),
    ends: ["protocol"],
  },
  "204-with-body": { paths: at(raw(`HTTP/1.1 204 No Content\r\n${PAGE}`)), ends: ["fetched"] },
  "304-unasked": { paths: at(raw(`HTTP/1.1 304 Not Modified\r\n${PAGE}`)), ends: ["http-other"] },

  // Content codings.
  gzip: { paths: at({ kind: "encoded", coding: "gzip" }), ends: ["fetched"] },
  deflate: { paths: at({ kind: "encoded", coding: "deflate" }), ends: ["fetched"] },
  "deflate-raw": { paths: at({ kind: "encoded", coding: "deflate-raw" }), ends: ["fetched"] },
  br: { paths: at({ kind: "encoded", coding: "br" }), ends: ["fetched"] },
  zstd: { paths: at({ kind: "encoded", coding: "zstd" }), ends: ["fetched"] },
  "gzip-cut": { paths: at({ kind: "encoded", coding: "gzip", cutAt: 100 }), ends: ["fetched"] },
  mislabelled: { paths: at({ kind: "mislabelled", declared: "gzip" }), ends: ["fetched"] },
  "unknown-coding": { paths: at({ kind: "mislabelled", declared: "x-none" }), ends: ["fetched"] },
  "gzip-twice": {
    paths: at({ kind: "body", type: html, base64: TWICE, headers: { "content-encoding": "gzip, gzip" } }),
    ends: ["fetched"],
  },
  "gzip-twice-said-once": {
    paths: at({ kind: "body", type: html, base64: TWICE, headers: { "content-encoding": "gzip" } }),
    ends: ["fetched"],
  },
  bomb: { paths: at({ kind: "bomb", mib: 48 }), ends: ["fetched"] },

  // Redirects.
  chain: { paths: { "/*": { kind: "redirect-chain", hops: 5 } }, ends: ["redirected"] },
  loop: {
    paths: { "/": { kind: "redirect", to: "/b" }, "/b": { kind: "redirect", to: "/" } },
    ends: ["redirected", "redirect-loop"],
  },
  itself: { paths: to("/"), ends: ["redirect-loop"] },
  slash: {
    start: "/a",
    recordedAs: "/a/",
    paths: { "/a": { kind: "redirect", to: "/a/", status: 301 }, "/a/": { kind: "body", type: html, text: "<p>here" } },
    ends: ["fetched"],
  },
  "cookie-wall": { paths: at({ kind: "cookie-wall" }), ends: ["fetched"] },
  "login-and-back": {
    paths: {
      "/": { kind: "cookie-wall", by: "/login?to=/" },
      "/login?to=/": { kind: "redirect", to: "/", cookie: "seen=1; Path=/" },
    },
    ends: ["fetched"],
    leadsTo: { "http://login-and-back.odd.test:{port}/login?to=/": ["redirected"] },
  },
  "login-elsewhere": {
    paths: at({ kind: "cookie-wall", by: "http://login.odd.test:{port}/in" }),
    ends: ["fetched"],
    leadsTo: { "http://login.odd.test:{port}/in": ["redirected"] },
  },
  login: {
    paths: {
      "/in": {
        kind: "redirect",
        to: "http://login-elsewhere.odd.test:{port}/",
        cookie: "seen=1; Domain=odd.test; Path=/",
      },
    },
    ends: ["fetched"],
  },
  "login-for-ever": {
    paths: {
      "/": { kind: "redirect", to: "/login" },
      "/login": { kind: "redirect", to: "/", cookie: "tried=1; Path=/" },
    },
    ends: ["redirected"],
  },
  "too-many": {
    paths: { "/*": { kind: "redirect-chain", hops: 30 } },
    ends: ["redirected"],
    leadsTo: {
      "http://too-many.odd.test:{port}/?hop=19": ["redirected"],
      "http://too-many.odd.test:{port}/?hop=20": ["redirect-loop"],
    },
  },
  "to-denied": {
    paths: to("http://robots-all.odd.test:{port}/secret"),
    ends: ["redirected"],
    leadsTo: { "http://robots-all.odd.test:{port}/secret": ["robots"] },
  },
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status): [string, Specimen] => [
      `moved-${status}`,
      {
        start: "/deep/old",
        paths: {
          "/deep/old": { kind: "redirect", to: "../new?from=old", status },
          "/new?from=old": { kind: "body", type: html, text: "<p>new" },
        },
        ends: ["redirected"],
        leadsTo: { [`http://moved-${status}.odd.test:{port}/new?from=old`]: ["fetched"] },
      },
    ]),
  ),
  "no-location": { paths: at({ kind: "status", status: 302 }), ends: ["http-other"] },
  "empty-location": { paths: to(""), ends: ["redirect-loop", "http-other"] },
  choices: { paths: at({ kind: "status", status: 300, headers: { location: "/other" } }), ends: ["http-other"] },
  "bad-location": { paths: to("http://"), ends: ["redirected", "http-other"] },
  "location-scheme": { paths: to("ftp://h0.test/"), ends: ["redirected", "http-other"] },
  "location-latin-1": { paths: to("/caf\u00e9"), ends: ["redirected"] },
  "to-metadata": { paths: to(METADATA), ends: ["redirected"] },
  "to-localhost": { paths: to(LOCALHOST), ends: ["redirected"] },
  "to-mapped": { paths: to(MAPPED), ends: ["redirected"] },
  "to-loopback-name": { paths: to(LOOPBACK_NAME), ends: ["redirected"] },

  // Certificates; `good` by an authority that the crawler must be told of.
  "tls-good": { certificate: "good", ends: ["fetched"] },
  "tls-expired": { certificate: "expired", ends: ["tls"] },
  "tls-other-name": { certificate: "other", ends: ["tls"] },
  "tls-self-signed": { certificate: "self-signed", ends: ["tls"] },

  // Status codes.
  missing: { paths: at({ kind: "status", status: 404 }), ends: ["http-4xx"] },
  gone: { paths: at({ kind: "status", status: 410 }), ends: ["http-4xx"] },
  "payment-required": { paths: at({ kind: "status", status: 402 }), ends: ["payment-required"] },
  broken: { paths: at({ kind: "status", status: 500 }), ends: ["http-5xx"] },
  "broken-twice": { paths: at({ kind: "status", status: 500, times: 2 }), ends: ["fetched"] },
  limited: {
    paths: at({ kind: "limit", status: 429, after: 0, seconds: 1, retryAfter: "seconds" }),
    ends: ["fetched", "http-4xx"],
  },
  "unavailable-date": {
    paths: at({ kind: "limit", status: 503, after: 0, seconds: 1, retryAfter: "date" }),
    ends: ["fetched", "http-5xx"],
  },
  "no-content": { paths: at({ kind: "status", status: 204 }), ends: ["fetched", "http-other"] },
  "soft-404": { paths: { "/*": { kind: "soft-404" } }, ends: ["fetched"] },

  // robots.txt.
  ...ROBOTS,

  // Sitemaps.
  ...SITEMAPS,

  // Documents.
  nofollow: {
    paths: at({ kind: "body", type: html, text: '<meta name="robots" content="nofollow"><a href="/unseen">x</a>' }),
    ends: ["fetched"],
  },
  "nofollow-header": {
    paths: at({ kind: "body", type: html, text: '<a href="/unseen">x</a>', headers: { "x-robots-tag": "nofollow" } }),
    ends: ["fetched"],
  },
  "nofollow-for-us": {
    paths: at({
      kind: "body",
      type: html,
      text: '<a href="/unseen">x</a>',
      headers: { "x-robots-tag": "trawlbot: nofollow" },
    }),
    ends: ["fetched"],
  },
  "nofollow-for-others": {
    paths: {
      "/": {
        kind: "body",
        type: html,
        text: '<a href="/seen">x</a>',
        headers: { "x-robots-tag": "otherbot: nofollow" },
      },
      "/seen": { kind: "body", type: html, text: "seen" },
    },
    ends: ["fetched"],
    leadsTo: { "http://nofollow-for-others.odd.test:{port}/seen": ["fetched"] },
  },
  "nofollow-link": {
    paths: at({ kind: "body", type: html, text: '<a rel="nofollow" href="/unseen">x</a>' }),
    ends: ["fetched"],
  },
  base: {
    paths: {
      "/": { kind: "body", type: html, text: '<base href="/deep/"><a href="page">x</a>' },
      "/deep/page": { kind: "body", type: html, text: "deep" },
    },
    ends: ["fetched"],
    leadsTo: { "http://base.odd.test:{port}/deep/page": ["fetched"] },
  },
  "meta-refresh": {
    paths: {
      "/": { kind: "body", type: html, text: '<meta http-equiv="refresh" content="0; url=/next">' },
      "/next": { kind: "body", type: html, text: "next" },
    },
    ends: ["fetched"],
    leadsTo: { "http://meta-refresh.odd.test:{port}/next": ["fetched"] },
  },
  "windows-1251": {
    paths: at({
      kind: "body",
      type: "text/html; charset=windows-1251",
      text: "<title>\xcf\xf0\xe8\xe2\xe5\xf2</title>",
    }),
    ends: ["fetched"],
  },
  "shift-jis": {
    paths: at({
      kind: "body",
      type: "text/html",
      text: '<meta charset="shift_jis"><title>\x93\xfa\x96\x7b\x8c\xea</title>',
    }),
    ends: ["fetched"],
  },
  "utf-16": {
    paths: at({
      kind: "body",
      type: "text/html",
      text: "\xff\xfe<\0t\0i\0t\0l\0e\0>\0\xe9\0t\0\xe9\0<\0/\0t\0i\0t\0l\0e\0>\0",
    }),
    ends: ["fetched"],
  },
  "bad-charset": {
    paths: at({ kind: "body", type: "text/html; charset=klingon", text: "<title>caf\xe9</title>" }),
    ends: ["fetched"],
  },
  binary: {
    paths: at({ kind: "body", type: "application/octet-stream", text: "\0\x01\x02\x03" }),
    ends: ["unsupported-type", "fetched"],
  },
  empty: { paths: at({ kind: "body", type: html, text: "" }), ends: ["fetched"] },
  forbidden: {
    paths: at({ kind: "body", type: html, text: FORBIDDEN.map((href) => `<a href="${href}">x</a>`).join("\n") }),
    ends: ["fetched"],
    leadsTo: refused,
  },

  // Names.
  loopback: { dns: { kind: "addresses", addresses: ["127.0.0.1"] }, ends: ["refused-address"] },
  private: { dns: { kind: "addresses", addresses: ["10.0.0.1"] }, ends: ["refused-address"] },
  mixed: { dns: { kind: "addresses", addresses: ["@", "10.0.0.1"] }, ends: ["fetched", "refused-address"] },
  rebound: { dns: { kind: "turns", turns: [["@"], ["127.0.0.1"]] }, ends: ["fetched", "refused-address"] },
  nxdomain: { dns: { kind: "error", rcode: 3 }, ends: ["dns"] },
  servfail: { dns: { kind: "error", rcode: 2 }, ends: ["dns"] },
  "servfail-once": {
    dns: { kind: "error", rcode: 2, times: 1, later: { kind: "addresses", addresses: ["@"] } },
    ends: ["fetched", "dns"],
  },
  "no-address": { dns: { kind: "empty" }, ends: ["dns"] },
  "silent-name": { dns: { kind: "silent" }, ends: ["dns"] },
  "slow-name": { dns: { kind: "addresses", addresses: ["@"], delayMs: 200 }, ends: ["fetched"] },
  alias: { dns: { kind: "alias", to: "odd.test" }, ends: ["fetched"] },
  "short-lived": { dns: { kind: "addresses", addresses: ["@"], ttl: 0 }, ends: ["fetched"] },
};

/** Traps have no end, so they hang on `trap.test`, which only those crawl who ask for it. */
export const TRAPS: readonly Rule[] = (["calendar", "growing", "session", "parameters"] as const).map((trap) => ({
  host: "trap.test",
  path: `/${trap}*`,
  behaviour: { kind: "trap", trap },
}));

export function galleryHost(name: string): string {
  return `${name}.odd.test`;
}

/** Where a specimen begins. */
export function galleryHref(name: string, port: number, path = GALLERY[name]?.start ?? "/"): string {
  const scheme = GALLERY[name]?.certificate === undefined ? "http" : "https";
  return `${scheme}://${galleryHost(name)}:${port}${path}`;
}

export function certificateOf(host: string): Certificate {
  return GALLERY[host.replace(/\.odd\.test$/, "")]?.certificate ?? "good";
}

/** Every end that the gallery speaks of: by URL, the reasons that a right crawler may record. */
export function galleryEnds(port: number): Map<string, readonly EndReason[]> {
  const ends = new Map<string, readonly EndReason[]>();
  for (const [name, { start = "/", recordedAs = start, ends: own, leadsTo = {} }] of Object.entries(GALLERY)) {
    ends.set(galleryHref(name, port, recordedAs), own);
    for (const [href, reasons] of Object.entries(leadsTo))
      ends.set(new URL(href.replaceAll("{port}", String(port))).href, reasons);
  }
  return ends;
}

export function galleryRules(): Rule[] {
  return Object.entries(GALLERY).flatMap(([name, { paths }]) =>
    Object.entries(paths ?? {}).map(([path, behaviour]) => ({ host: galleryHost(name), path, behaviour })),
  );
}

/** The gallery's front page, at http://odd.test. */
export function galleryIndex(port: number): string {
  const items = Object.keys(GALLERY).map((name) => `<li><a href="${galleryHref(name, port)}">${name}</a>`);
  return `<!doctype html><title>A gallery of odd hosts</title><ul>${items.join("\n")}</ul>`;
}
