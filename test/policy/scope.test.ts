/** Which URLs belong to the crawl. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ScopeOptions, scopeOf } from "../../src/policy/scope.ts";
import { file, url } from "./urls.ts";

const decide = (seed: string, options: ScopeOptions, text: string) => scopeOf([url(seed)], options)(url(text));

function check(seed: string, options: ScopeOptions, inside: readonly string[], outside: readonly string[]): void {
  for (const text of inside) assert.equal(decide(seed, options, text).inside, true, `${text} belongs`);
  for (const text of outside) assert.equal(decide(seed, options, text).inside, false, `${text} does not belong`);
}

describe("scopeOf", () => {
  it("page: the seeds alone, in any spelling", () => {
    check(
      "http://a.test/docs/",
      { scope: "page" },
      ["http://a.test/docs", "http://a.test/docs/?utm_source=x"],
      ["http://a.test/docs/x", "http://a.test/"],
    );
  });

  it("prefix: the seed's path up to the last slash", () => {
    check(
      "http://a.test/docs/%7Eme/index.html?x=1",
      { scope: "prefix" },
      [
        "http://a.test/docs/~me/",
        "http://a.test/docs/~me/a/b",
        "https://a.test/docs/%7eme/c",
        "http://a.test/docs/~me",
      ],
      ["http://a.test/docs/", "http://a.test/docs/~me2/", "http://b.test/docs/~me/"],
    );
  });

  it("of files, what is below the directory of a seed that is one, whatever the kind", () => {
    const seeds = ["http://a.test/", "file:///home/me/site/index.html"].map(file);
    for (const scope of ["any", "host", "domain", "prefix"] as const)
      for (const include of [[], [/./]]) {
        const of = (text: string) => scopeOf(seeds, { scope, include })(file(text));
        assert.ok(of("file:///home/me/site/a/b.html").inside && of("file:///home/me/site/").inside, scope);
        for (const out of [
          "file:///home/me/",
          "file:///etc/passwd",
          "file:///home/me/site/../x",
          "file:///home/me/site2/",
        ])
          assert.deepEqual(of(out), { inside: false, excluded: true, rule: "below no seed's directory" }, out);
        assert.ok(of("http://a.test/x").inside);
      }
    assert.equal(scopeOf(seeds, { scope: "page" })(file("file:///home/me/site/a")).inside, false);
  });

  it("host: http and https of one name and port are one site, www is another", () => {
    check(
      "http://a.test/docs/",
      { scope: "host" },
      ["http://a.test/", "https://a.test/x", "https://a.test:443/"],
      ["http://www.a.test/", "http://a.test:8080/", "http://b.test/"],
    );
    check("http://a.test:8080/", { scope: "host" }, ["https://a.test:8080/"], ["http://a.test/"]);
  });

  it("domain: all names under the registrable domain", () => {
    check(
      "http://www.example.co.uk/",
      { scope: "domain" },
      ["https://example.co.uk/", "http://a.b.example.co.uk:81/"],
      ["http://other.co.uk/", "http://notexample.co.uk/"],
    );
    check("http://me.github.io/", { scope: "domain" }, ["http://x.me.github.io/"], ["http://you.github.io/"]);
    check("http://127.0.0.1:8080/", { scope: "domain" }, ["http://127.0.0.1/"], ["http://127.0.0.2/"]);
  });

  it("any: the whole web", () => check("http://a.test/", { scope: "any" }, ["http://b.test/"], []));

  it("is the seed's host when nothing is said", () => {
    check("http://a.test/x", {}, ["http://a.test/y"], ["http://b.test/"]);
  });

  it("narrows a scope to the included patterns, and keeps the seeds", () => {
    check(
      "http://a.test/",
      { scope: "host", include: [/\/blog\//, /\/news\//] },
      ["http://a.test/", "http://a.test/blog/1", "http://a.test/news/"],
      ["http://a.test/x", "http://b.test/blog/1"],
    );
    check(
      "http://a.test/",
      { scope: "any", include: [/^http:\/\/[ab]\.test/] },
      ["http://b.test/x"],
      ["http://c.test/"],
    );
  });

  it("lets exclude win over scope and include", () => {
    const options: ScopeOptions = { scope: "host", include: [/blog/], exclude: [/\?print=/] };
    check("http://a.test/", options, ["http://a.test/blog"], ["http://a.test/blog?print=1", "http://a.test/?print=1"]);
    assert.equal(decide("http://a.test/", options, "http://a.test/?print=1").excluded, true);
  });

  it("says what decided", () => {
    assert.equal(decide("http://a.test/x", { scope: "host" }, "http://a.test/y").rule, "host of http://a.test/x");
    assert.equal(decide("http://a.test/x", { scope: "host" }, "http://b.test/").rule, "on no seed's host");
    assert.equal(decide("http://a.test/", { exclude: [/x/] }, "http://a.test/x").rule, "exclude /x/");
    assert.equal(decide("http://a.test/", { include: [/b/] }, "http://a.test/x").rule, "matches no include");
  });
});
