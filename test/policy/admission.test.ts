/** Found links become URLs of the frontier, or drops with their reason, or nothing. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { hashText } from "../../src/base/hash.ts";
import { PRIORITIES } from "../../src/model/link.ts";
import { type Href, KNOWN } from "../../src/model/url.ts";
import { ADMISSION_RULES, type AdmissionRules, admit, type Found } from "../../src/policy/admission.ts";
import { scopeOf } from "../../src/policy/scope.ts";
import { trapOf, trapText } from "../../src/policy/traps.ts";
import { target, url } from "./urls.ts";

const BASE = "http://a.test/docs/index.html" as Href;
const RULES: AdmissionRules = {
  ...ADMISSION_RULES,
  scope: scopeOf([url(BASE)], { scope: "host", exclude: [/\?print=/] }),
  trap: (parts) => {
    const trap = trapOf(parts, Date.UTC(2026, 10));
    return trap === null ? null : trapText(trap);
  },
  refuse: (hostname) => (hostname === "127.0.0.1" ? "loopback" : null),
};
const LINK: Found = { source: "link", depth: 1, hops: 0, via: 7, ofSeed: false };
const SEED: Found = { source: "seed", depth: 0, hops: 0, via: 0, ofSeed: true };

const admitted = (raw: string, found: Partial<Found> = {}, rules: Partial<AdmissionRules> = {}) =>
  admit(raw, BASE, { ...LINK, ...found }, { ...RULES, ...rules });
const dropped = (raw: string, found: Partial<Found> = {}) => admitted(raw, found)?.drop?.reason ?? null;

describe("admit", () => {
  it("takes a file where a seed has opened files, and never from a page of the web", () => {
    const parse = { ...ADMISSION_RULES.parse, schemes: KNOWN.schemes };
    const from = (base: string, more: Partial<Found> = {}, rules: Partial<AdmissionRules> = {}) =>
      admit("file:///a/b", base as Href, { ...LINK, ofSeed: true, ...more }, { ...RULES, parse, ...rules });
    const scope = () => ({ inside: true, excluded: false, rule: "" });
    assert.equal(from("file:///a/", {}, { scope })?.href, "file:///a/b");
    assert.equal(from("file:///a/b", { source: "seed" })?.host, "file://");
    for (const source of ["link", "embed", "redirect", "sitemap", "added"] as const)
      for (const base of ["http://a.test/", "https://a.test/"]) assert.equal(from(base, { source }, { scope }), null);
    assert.equal(from("file:///a/b", { source: "seed" }, { parse: ADMISSION_RULES.parse }), null);
  });

  it("resolves a link, keeps the URL as found, and fingerprints its key", () => {
    const [fpHi, fpLo] = hashText("http://a.test/x?a=1&b=2");
    assert.deepEqual(admitted("../x?b=2&a=1&utm_id=9#top"), {
      href: "http://a.test/x?b=2&a=1&utm_id=9",
      host: "http://a.test",
      fpHi,
      fpLo,
      depth: 1,
      hops: 0,
      via: 7,
      source: "link",
      priority: 2,
    });
  });

  it("passes over what is no URL of the web", () => {
    const others = [
      "mailto:a@b.test",
      " JavaScript:void(0)",
      "data:text/html,x",
      "tel:1",
      "ftp://a.test/",
      "http://",
      "http://[::1",
      "https://exa mple/",
    ];
    for (const raw of [...others, `/${"x".repeat(20_000)}`]) assert.equal(admitted(raw), null, raw.slice(0, 30));
  });

  it("gives the first reason that holds: address, scope, length, depth, trap", () => {
    const long = "x".repeat(2_100);
    assert.deepEqual(admitted(`http://127.0.0.1/${long}`, { depth: 99 })?.drop, {
      reason: "refused-address",
      detail: "loopback",
    });
    assert.deepEqual(admitted(`http://b.test/${long}`, { depth: 99 })?.drop, {
      reason: "scope",
      detail: "on no seed's host",
    });
    assert.deepEqual(admitted(`/${long}`, { depth: 99 })?.drop, { reason: "too-long", detail: "2114 characters" });
    assert.deepEqual(admitted("/a/b/a/b/a/b", { depth: 16 })?.drop, { reason: "depth", detail: "depth 16" });
    assert.deepEqual(admitted("/a/b/a/b/a/b", { depth: 15 })?.drop, { reason: "trap", detail: "repeated-path: a/b" });
    assert.equal(dropped("/x", { depth: 15 }), null);
  });

  it("asks only address and length of what was asked for by name", () => {
    for (const source of ["seed", "added"] as const) {
      assert.equal(dropped("http://b.test/a/b/a/b/a/b?print=1", { ...SEED, source }), null);
      assert.equal(dropped("http://127.0.0.1/", { ...SEED, source }), "refused-address");
      assert.equal(dropped(`/${"x".repeat(2_100)}`, { ...SEED, source }), "too-long");
    }
  });

  it("goes where a seed redirects to, but not where another page does", () => {
    const found = { source: "redirect", depth: 0, hops: 1 } as const;
    assert.equal(dropped("http://www.a.test/", { ...found, ofSeed: true }), null);
    assert.equal(dropped("http://www.a.test/?print=1", { ...found, ofSeed: true }), "scope");
    assert.equal(dropped("http://www.a.test/", { ...found, depth: 1 }), "scope");
    assert.equal(dropped("http://127.0.0.1/", { ...found, ofSeed: true }), "refused-address");
  });

  it("takes assets and sitemap files from anywhere, but not what they list", () => {
    assert.equal(dropped("http://cdn.test/x.css", { source: "embed" }), null);
    assert.equal(dropped("http://cdn.test/x.css?print=1", { source: "embed" }), "scope");
    assert.equal(dropped("http://maps.test/sitemap.xml", { source: "sitemap", depth: 0 }), null);
    assert.equal(dropped("http://maps.test/2.xml", { source: "sitemap", depth: 1 }), null);
    assert.equal(dropped("http://maps.test/x", { source: "listed", depth: 1 }), "scope");
  });

  it("lets assets be two deeper than pages", () => {
    assert.equal(dropped("/x.png", { source: "embed", depth: 17 }), null);
    assert.equal(dropped("/x.png", { source: "embed", depth: 18 }), "depth");
  });

  it("gives what was asked for the first class, then overviews, then links by depth, assets last", () => {
    const priority = (raw: string, found: Partial<Found>) => admitted(raw, found)?.priority;
    assert.equal(priority("/x", SEED), 0);
    assert.equal(priority("/x", { source: "redirect", depth: 0 }), 0);
    assert.equal(priority("/", { depth: 4 }), 1);
    assert.equal(priority("/sitemap.xml", { source: "sitemap", depth: 0 }), 1);
    assert.equal(priority("/2.xml", { source: "sitemap", depth: 1 }), 1);
    assert.equal(priority("/x", { source: "listed", depth: 1 }), 2);
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 15].map((depth) => priority("/x", { depth })),
      [2, 3, 4, 5, 6, 6, 6],
    );
    assert.equal(priority("/", { source: "embed", depth: 1 }), 7);
  });

  it("admits other schemes where they are registered", () => {
    const parse = { maxLength: 16_384, schemes: new Set(["http:", "file:"]) };
    assert.equal(admit("file:///x", "file:///" as Href, SEED, { ...RULES, parse })?.host, "file://");
  });

  it("answers for whatever text there is", () => {
    fc.assert(
      fc.property(fc.oneof(target, fc.string(), fc.webUrl()), (raw) => {
        const found = admitted(raw);
        if (found === null) return;
        assert.ok(found.priority >= 0 && found.priority < PRIORITIES);
        assert.ok(found.fpHi >= 0 && found.fpHi < 2 ** 32 && Number.isInteger(found.fpLo));
        assert.ok(!found.href.includes("#"));
      }),
    );
  });
});
