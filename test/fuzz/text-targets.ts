/** Readers of text that other people have written: robots.txt, URLs, header fields, lists in attributes. */
import assert from "node:assert/strict";
import { decodeAttribute, decodeText, decodeXmlText } from "../../src/media/character-references.ts";
import { cssUrls } from "../../src/media/css.ts";
import { parseLinkHeader } from "../../src/media/link-header.ts";
import { parseRefresh } from "../../src/media/meta-refresh.ts";
import { srcsetUrls } from "../../src/media/srcset.ts";
import { declaredMediaType, parseMediaType, printMediaType } from "../../src/model/media-type.ts";
import { type Href, parseUrl } from "../../src/model/url.ts";
import { parseCookieFile, printCookieFile } from "../../src/net/cookie-file.ts";
import { SessionCookies } from "../../src/net/cookies.ts";
import { contentCodings } from "../../src/net/decode.ts";
import { addressGuard, literalAddress, parseCidr } from "../../src/net/guard.ts";
import { repairHead } from "../../src/net/head-repair.ts";
import { parseHosts } from "../../src/net/hosts-file.ts";
import { parseProxy } from "../../src/net/proxy.ts";
import { ADMISSION_RULES, admit } from "../../src/policy/admission.ts";
import { parseRetryAfter } from "../../src/policy/politeness.ts";
import { decide, parseRobots } from "../../src/policy/robots.ts";
import { robotsDirectives } from "../../src/policy/robots-directives.ts";
import { trapOf } from "../../src/policy/traps.ts";
import { registrableDomain, urlKey } from "../../src/policy/url-key.ts";
import { surt } from "../../src/warc/surt.ts";
import type { Target } from "./target.ts";

const NOW = Date.UTC(2026, 10, 30);
const guard = addressGuard([]);

const robots: Target = {
  name: "robots",
  words: [
    ..."*$#:/%?&= \t\r\n\0\uFEFF",
    ...[
      "User-agent: *\n",
      "User-agent: trawlbot\r\n",
      "user-agent:",
      "Allow: /",
      "Disallow: /",
      "Disallow:",
      "\nAllow:",
    ],
    ...["Crawl-delay: 1.5\n", "Crawl-delay:", "Sitemap: https://a.test/s.xml\n", "Noindex: x\n", "\r", "\n\n", "# "],
    ...["/a*b$", "a*", "**", "%2F", "%2f", "%E3%83%84", "%zz", "ツ", "/private/", "?q=", "\ud800"],
  ],
  samples: [
    "User-agent: *\nDisallow: /a*b$\nAllow: /a/%7eb\n\nUser-agent: trawlbot\nUser-agent: x\nCrawl-delay: 2\nDisallow: /x\n",
  ],
  check(body) {
    const rules = parseRobots(body, "trawlbot", ["x"]);
    assert.ok(rules.crawlDelayMs >= 0);
    const path = new URL(`http://a.test/${body.slice(0, 40)}`).href;
    for (const href of ["http://a.test/", "http://a.test/a/b", "http://a.test/private/x?q=1", path]) {
      const { allowed, rule, line } = decide(rules, href);
      if (rule !== null && line !== null) {
        assert.ok(line <= body.split(/\r\n|\r|\n/).length, "a line of the file");
        assert.ok(rule.startsWith(allowed ? "Allow: " : "Disallow: "));
      }
    }
    assert.equal(decide(rules, "http://a.test/robots.txt").allowed, true);
  },
};

const url: Target = {
  name: "url",
  words: [
    ..."/?#&=;:@%.,+~!$'()*[]{}|\\^`\"<> \t\r\n\0",
    ...["http:", "https:", "//", "HTTP://", "http:/", "ftp://", "javascript:", "data:", "mailto:", "file:///"],
    ...[
      "a.test",
      "A.TEST",
      "a.test.",
      "..test",
      "xn--",
      "bücher.example",
      "ツ.test",
      "a_b.test",
      "127.1",
      "0x7f.1",
      "[::1]",
    ],
    ...[
      "[::ffff:127.0.0.1]",
      "[fe80::1%25eth0]",
      ":80",
      ":443",
      ":8080",
      ":99999",
      ":",
      "user:pw@",
      "@",
      "..",
      "/../",
      "/./",
    ],
    ...[
      "%2e%2e",
      "%2F",
      "%zz",
      "%",
      "%00",
      "é",
      "\ud800",
      "?a=1&a=2",
      "&&",
      "?utm_source=x",
      ";jsessionid=A1",
      "?sid=a1b2c3d4",
    ],
    ...["/(S(lit3py55t21z5v55vlm25s55))", "&amp;", "#f", "?", "/a/b/", "\u3002", "\u200b", "\u00ad", "İ", "ß"],
  ],
  samples: [
    "https://www.example.com:8443/a/%7eb/../c;v=1?b=2&a=1&utm_source=x#part",
    "//b.test/x",
    "../y?z",
    "http://[2001:db8::1]/",
  ],
  check(text) {
    for (const base of [undefined, "http://a.test/x/y?z"]) {
      const parsed = parseUrl(text, base, { maxLength: 16_384, schemes: new Set(["http:", "https:"]) });
      const whatwg = URL.parse(text, base);
      if (!parsed.ok) continue;
      const { href, parts, host } = parsed.value;
      assert.ok(whatwg !== null);
      whatwg.hash = whatwg.username = whatwg.password = "";
      assert.equal(href, whatwg.href);
      assert.equal(new URL(href).href, href, "the fetch form stands by itself");
      assert.ok(href.startsWith(`${parts.protocol}//`) && host.startsWith(parts.protocol));
      const key = urlKey(parts);
      const again = URL.parse(key);
      if (again !== null) assert.equal(urlKey(again), key, "the key of a key is the key");
      assert.ok(registrableDomain(parts.hostname) !== "");
      trapOf(parts, NOW);
      surt(href);
      literalAddress(parts.hostname);
    }
    const found = { source: "link", depth: 1, hops: 0, via: 1, ofSeed: false } as const;
    const scope = () => ({ inside: true, excluded: false, rule: "any" });
    admit(text, "http://a.test/" as Href, found, { ...ADMISSION_RULES, scope, trap: () => null, refuse: () => null });
  },
};

const fields: Target = {
  name: "fields",
  words: [
    ...";,=\"'\\<>:()/ \t\0",
    ...[
      "text/html",
      "charset=",
      "utf-8",
      '"utf-8',
      "q=0.5",
      "*/*",
      "application/*+xml",
      "boundary=x",
      "gzip",
      "identity",
    ],
    ...[
      'rel="next"',
      "rel=canonical",
      "</a>",
      "<http://b.test/>",
      "anchor=",
      "type=text/html",
      "noindex",
      "nofollow",
      "none",
    ],
    ...[
      "trawlbot:",
      "otherbot :",
      "unavailable_after: 25 Jun 2010",
      "max-snippet:-1",
      "120",
      "1.5",
      "-1",
      "1e9",
      "Infinity",
    ],
    ...[
      "Wed, 21 Oct 2026 07:28:00 GMT",
      "Wednesday, 21-Oct-26 07:28:00 GMT",
      "Wed Oct 21 07:28:00 2026",
      "0",
      "é",
      "\xff",
    ],
  ],
  samples: [
    '</a>; rel="next"; title="x, y", <b>; rel=canonical',
    'text/html; charset="utf-8"; x=y',
    "trawlbot: noindex, nofollow",
  ],
  check(text) {
    const type = parseMediaType(text);
    if (type !== null) {
      const printed = printMediaType(type);
      const again = parseMediaType(printed);
      assert.ok(again !== null, "what is printed parses");
      assert.equal(printMediaType(again), printed);
    }
    declaredMediaType(["Content-Type", text, "content-type", text]);
    assert.ok(contentCodings(["Content-Encoding", text]).every((name) => name !== "" && name !== "identity"));
    for (const { rel } of parseLinkHeader(text)) assert.equal(rel, rel.toLowerCase());
    const until = parseRetryAfter(text, NOW);
    assert.ok(until === null || (until > NOW && Number.isFinite(until)));
    robotsDirectives([text], [text], "trawlbot");
  },
};

const cookies: Target = {
  name: "cookies",
  words: [
    ...';=,."\\ \t\0\n',
    ...[
      "sid=1",
      "Path=/",
      "Domain=a.test",
      "Domain=test",
      "Domain=.b.test",
      "Max-Age=10",
      "Max-Age=-1",
      "Max-Age=9e99",
      "Secure",
    ],
    ...[
      "Expires=Wed, 21 Oct 2026 07:28:00 GMT",
      "Expires=0",
      "HttpOnly",
      "SameSite=None",
      "__Host-x=1",
      "__Secure-y=1",
      "é",
      "=v",
    ],
    ...[
      "#HttpOnly_",
      "a.test\tTRUE\t/\tFALSE\t0\tsid\t1\n",
      "# Netscape HTTP Cookie File\n",
      "[",
      "{",
      '"name":"a"',
      "]",
      "}",
    ],
  ],
  samples: [
    "sid=1; Domain=a.test; Path=/; Max-Age=60; Secure; HttpOnly",
    "# Netscape HTTP Cookie File\na.test\tTRUE\t/\tFALSE\t1893456000\tsid\t1\n",
    '[{"name":"a","value":"b","domain":"a.test","path":"/","expires":-1}]',
  ],
  check(text) {
    const jar = new SessionCookies({ now: () => NOW }, []);
    jar.keep({}, "https://www.a.test/x/y" as Href, [text, text]);
    const header = jar.header({}, "https://www.a.test/x/z" as Href);
    assert.ok(header === null || !/[\r\n\0]/.test(header), "nothing that would end the field");
    assert.equal(jar.header({}, "https://other.test/" as Href), null);
    const file = parseCookieFile(text);
    if (file.ok) assert.equal(parseCookieFile(printCookieFile(file.value.cookies, file.value.format)).ok, true);
  },
};

const attributes: Target = {
  name: "attributes",
  words: [
    ...",;()'\"= \t\n\f\r&#@{}:!<>",
    ...[
      "a.png",
      "1x",
      "2x",
      "1.5x",
      "100w",
      "1e3w",
      "-1x",
      "data:,a",
      "0",
      "5;",
      "url=",
      "URL ='",
      "3.2",
      "&amp",
      "&lt;",
      "&copy=",
      "&#x",
    ],
    ...[
      "&#0;",
      "&#x110000;",
      "&#xD800;",
      "&#128;",
      "&notit;",
      "&nbsp",
      "url(",
      'URL("',
      "@import ",
      "/*",
      "*/",
      "\\",
      "\\66 ",
      "\\000041",
    ],
    ...["background:", "src(", "<!--", "-->", "é", "\0"],
  ],
  samples: [
    "a.png 1x, b.png 2x, c.png 100w",
    "5; url='/next'",
    "@import url(a.css); b { background: url('c.png') } /* url(d) */",
  ],
  check(text) {
    for (const url of srcsetUrls(text)) assert.match(url, /^[^\t\n\f\r ]+$/);
    const refresh = parseRefresh(text);
    assert.ok(refresh === null || refresh.seconds >= 0);
    for (const url of cssUrls(text)) assert.notEqual(url, "");
    decodeAttribute(text);
    decodeText(text);
    decodeXmlText(text);
  },
};

const heads: Target = {
  name: "heads",
  words: [
    ...": \t\r\n\0,",
    ...[
      "HTTP/1.1 200 OK\r\n",
      "HTTP/1.0 ",
      "\r\n\r\n",
      "\n\n",
      "Content-Length: 5\r\n",
      "Content-Length: 5, 5\n",
      "Transfer-Encoding: chunked\r\n",
    ],
    ...[
      "Set-Cookie: a=b\r\n",
      " folded\r\n",
      "X :y\r\n",
      "\xff",
      "é",
      "127.0.0.1 localhost\n",
      "::1 x y # z\n",
      "10.0.0.0/8",
      "fe80::1%eth0",
    ],
    ...["socks5://u:p@h:1080", "http://[::1]:80", "https://", "socks5h://x"],
  ],
  samples: [
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n",
    "127.0.0.1 localhost # x\n",
    "socks5://me:secret@proxy.test:1080",
  ],
  check(text) {
    const mended = repairHead(`HTTP/1.1 200 OK\n${text}\n\n`);
    assert.ok(mended === null || !/[^\r]\n/.test(mended), "every line ends as HTTP's lines end");
    for (const [name] of parseHosts(text)) assert.equal(name, name.toLowerCase());
    parseProxy(text);
    if (parseCidr(text).ok) addressGuard([text]);
    assert.notEqual(guard(text), undefined);
  },
};

export const TEXT_TARGETS: readonly Target[] = [robots, url, fields, cookies, attributes, heads];
