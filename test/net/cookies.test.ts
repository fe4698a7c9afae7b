/** Cookies: who gets which, what is not taken, how many are kept, and the files they come from. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Href } from "../../src/model/url.ts";
import { parseCookieFile, printCookieFile, type StoredCookie } from "../../src/net/cookie-file.ts";
import { chainCookies, SessionCookies } from "../../src/net/cookies.ts";

const url = { id: 1, via: 0, source: "link" } as const;
const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time };
const href = (text: string) => text as Href;

function jar(...set: readonly (readonly [string, ...string[]])[]): SessionCookies {
  const cookies = new SessionCookies(clock, []);
  for (const [from, ...fields] of set) cookies.keep(url, href(from), fields);
  return cookies;
}

describe("a session's cookies", () => {
  it("go back to the host that set them, and with Domain to those below it, and nowhere else", () => {
    const cookies = jar(["https://www.shop.example/a/b", "own=1", "all=2; Domain=shop.example; Path=/"]);
    assert.equal(cookies.header(url, href("https://www.shop.example/a/")), "own=1; all=2");
    assert.equal(cookies.header(url, href("https://www.shop.example/")), "all=2");
    assert.equal(cookies.header(url, href("https://api.shop.example/a/")), "all=2");
    assert.equal(cookies.header(url, href("https://shop.example/")), "all=2");
    assert.equal(cookies.header(url, href("https://other.example/a/")), null);
    assert.equal(cookies.header(url, href("https://notshop.example/")), null);
  });

  it("cannot be set for a public suffix, private ones included, nor for another site", () => {
    const cookies = jar(
      ["https://a.github.io/", "x=1; Domain=github.io"],
      ["https://a.co.uk/", "x=1; Domain=co.uk"],
      ["https://evil.example/", "x=1; Domain=bank.example", "y=1; Domain=example"],
    );
    for (const other of ["https://b.github.io/", "https://b.co.uk/", "https://bank.example/", "https://b.example/"])
      assert.equal(cookies.header(url, href(other)), null, other);
  });

  it("keep to HTTPS when they are secure", () => {
    const cookies = jar(["https://a.example/", "s=1; Secure", "p=2"]);
    assert.equal(cookies.header(url, href("http://a.example/")), "p=2");
  });

  it("live as long as they say, by the crawl's clock, and die when told", () => {
    const cookies = jar(["https://a.example/", "m=1; Max-Age=10", "e=2; Expires=Thu, 01 Jan 2026 00:01:00 GMT", "s=3"]);
    const asked = () => cookies.header(url, href("https://a.example/"));
    assert.equal(asked(), "m=1; e=2; s=3");
    clock.time += 9_000;
    assert.equal(asked(), "m=1; e=2; s=3"); // looking at it does not lengthen its life
    clock.time += 1_000;
    assert.equal(asked(), "e=2; s=3");
    clock.time += 50_000;
    assert.equal(asked(), "s=3");
    cookies.keep(url, href("https://a.example/"), ["s=; Max-Age=0"]);
    assert.equal(asked(), null);
    assert.deepEqual(cookies.all(), []);
  });

  it("work for addresses, ports and single names", () => {
    for (const host of [
      "http://127.0.0.1:8080/",
      "http://[::1]/",
      "http://localhost/",
      "http://intranet/",
      "http://a.test/",
    ])
      assert.equal(jar([host, "a=1"]).header(url, href(host)), "a=1", host);
  });

  it("are at most fifty a registrable domain, the newest", () => {
    const cookies = new SessionCookies(clock, []);
    for (let i = 0; i < 120; i++) {
      clock.time += 1;
      cookies.keep(url, href(`https://h${i}.a.example/`), [`c${i}=1; Domain=a.example`]);
    }
    const sent = cookies.header(url, href("https://a.example/"))!.split("; ");
    assert.equal(sent.length, 50);
    assert.ok(sent.includes("c119=1") && !sent.includes("c69=1"));
  });

  it("that are monstrous are not taken", () => {
    assert.equal(jar(["https://a.example/", `a=${"x".repeat(5_000)}`]).header(url, href("https://a.example/")), null);
  });

  it("never throw, whatever a server sets", () => {
    const field = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.constantFrom("a=b; Domain=.", "=; Path", ";"),
    );
    fc.assert(
      fc.property(field, fc.webUrl(), (text, from) => {
        const cookies = jar([from, text, `a=1; Domain=${text}`, `b=1; Path=${text}; Expires=${text}`]);
        cookies.header(url, href(from));
        cookies.all();
      }),
    );
  });

  it("survive being saved and loaded, in both forms", () => {
    const before = jar(
      ["https://www.a.example/x/", "h=1; HttpOnly; Secure", "d=2; Domain=a.example; Path=/; Max-Age=86400"],
      ["http://127.0.0.1/", 'q="a b"'],
    );
    for (const format of ["netscape", "json"] as const) {
      const file = parseCookieFile(printCookieFile(before.all(), format));
      assert.ok(file.ok);
      assert.equal(file.value.format, format);
      const after = new SessionCookies(clock, file.value.cookies);
      assert.deepEqual(after.all(), before.all());
      for (const to of [
        "https://www.a.example/x/y",
        "http://a.example/",
        "http://127.0.0.1/",
        "https://b.a.example/x/",
      ])
        assert.equal(after.header(url, href(to)), before.header(url, href(to)), to);
    }
  });
});

describe("without cookies", () => {
  it("those of a redirect to itself are sent by that URL alone, until it leads elsewhere", () => {
    const cookies = chainCookies(clock);
    const wall = href("https://a.example/wall");
    cookies.keep(url, wall, ["seen=1"], "redirected");
    assert.equal(cookies.header(url, wall), "seen=1");
    assert.equal(cookies.header({ ...url, id: 2 }, wall), null);
    assert.equal(cookies.header(url, href("https://b.example/")), null);
    cookies.keep(url, wall, [], "retried");
    assert.equal(cookies.header(url, wall), "seen=1");
    cookies.keep(url, wall, ["more=2"], "ended");
    assert.equal(cookies.header(url, wall), null);
  });

  it("those of a chain of redirects go on with it, over other hosts too, each where it belongs, and end with it", () => {
    const cookies = chainCookies(clock);
    const [page, login] = [href("https://a.example/page"), href("https://b.example/login")];
    const second = { id: 2, via: 1, source: "redirect" } as const;
    const third = { id: 3, via: 2, source: "redirect" } as const;
    cookies.keep(url, page, ["a=1", "gone=1; Max-Age=0"], "redirected");
    assert.equal(cookies.header(second, login), null);
    cookies.keep(second, login, ["b=2", "c=3; Domain=a.example"], "redirected");
    assert.equal(cookies.header(third, page), "a=1");
    assert.equal(cookies.header(third, login), "b=2");
    assert.equal(cookies.header({ id: 4, via: 2, source: "link" }, page), null);
    cookies.keep(third, page, [], "ended");
    for (const one of [url, second, third]) assert.equal(cookies.header(one, page), null);
  });

  it("no chain keeps more than a few fields", () => {
    const cookies = chainCookies(clock);
    cookies.keep(url, href("https://a.example/"), Array(10).fill(`x=${"y".repeat(2_000)}`), "redirected");
    assert.equal(cookies.header(url, href("https://a.example/")), null);
  });

  it("nothing else is kept", () => {
    const cookies = chainCookies(clock);
    cookies.keep(url, href("https://a.example/"), ["a=1"], "ended");
    assert.equal(cookies.header(url, href("https://a.example/")), null);
  });
});

describe("a file of cookies", () => {
  const cookie: StoredCookie = {
    name: "sid",
    value: "1",
    domain: "a.example",
    path: "/",
    expires: null,
    secure: false,
    httpOnly: false,
    hostOnly: true,
  };

  it("is read in Netscape's form, comments and HttpOnly included", () => {
    const text =
      "# Netscape HTTP Cookie File\r\n\r\n#HttpOnly_.a.example\tTRUE\t/\tTRUE\t1893456000\tsid\t1\r\nA.example\tFALSE\t/\tFALSE\t0\tsid\t1\r\n";
    assert.deepEqual(parseCookieFile(text), {
      ok: true,
      value: {
        format: "netscape",
        cookies: [{ ...cookie, expires: 1_893_456_000, secure: true, httpOnly: true, hostOnly: false }, cookie],
      },
    });
  });

  it("is read in the JSON forms of browsers' tools", () => {
    const forms = [
      [{ name: "sid", value: "1", domain: "a.example", hostOnly: true, expirationDate: undefined }],
      { cookies: [{ name: "sid", value: "1", domain: "a.example", path: "/", expires: -1 }], origins: [] },
    ];
    for (const form of forms)
      assert.deepEqual(parseCookieFile(JSON.stringify(form)), {
        ok: true,
        value: { format: "json", cookies: [cookie] },
      });
  });

  for (const [bad, word] of [
    ["<html>", /line 1/],
    ["a.example\tTRUE\t/\n", /seven fields/],
    ["[1]", /cookie 1/],
    ["{}", /no list/],
    ["[", /not JSON/],
    ["null", /line 1/],
  ] as const)
    it(`that holds ${JSON.stringify(bad)} is refused with the place`, () => {
      const parsed = parseCookieFile(bad);
      assert.match(parsed.ok ? "" : parsed.error, word);
    });
});
