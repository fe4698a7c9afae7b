import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { PagePaths } from "../../src/export/page-path.ts";

const pathsOf = (...hrefs: string[]) => {
  const paths = new PagePaths();
  return hrefs.map((href) => paths.of(href));
};

describe("the file of a page", () => {
  it("stands where its URL does", () => {
    assert.deepEqual(
      pathsOf("https://a.test/", "https://a.test/docs/", "https://a.test/docs/start.html", "http://a.test:8080/x"),
      ["a.test/index.md", "a.test/docs/index.md", "a.test/docs/start.md", "a.test_8080/x.md"],
    );
  });

  it("is another for another query, and for a name that is taken, also in another case", () => {
    const paths = pathsOf(
      "https://a.test/x?a=1",
      "https://a.test/x?a=2",
      "https://a.test/x.html",
      "https://a.test/X",
      "https://a.test/x",
    );
    assert.equal(new Set(paths.map((path) => path.toLowerCase())).size, 5);
    assert.match(paths[0]!, /^a\.test\/x-[0-9a-f]{8}\.md$/);
  });

  it("is its own also where the name that it would take instead is taken", () => {
    const [, marked] = pathsOf("https://a.test/x", "https://a.test/X");
    const page = marked!.slice("a.test/".length, -".md".length);
    const paths = pathsOf("https://a.test/x", `https://a.test/${page}`, "https://a.test/X");
    assert.equal(new Set(paths.map((path) => path.toLowerCase())).size, 3);
  });

  it("never leads out of its folder, nor has a name that a file system does not take", () => {
    const segment = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.constantFrom(
        "..",
        "%2e%2e%2f",
        "a%00b",
        "con",
        "nul.txt",
        ".hidden",
        "trailing.",
        "x".repeat(600),
        "%ff",
        "é".repeat(300),
      ),
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 4 }), (segments) => {
        const url = URL.parse(`http://a.test/${segments.map((one) => encodeURI(one.toWellFormed())).join("/")}`);
        if (url === null) return;
        const path = new PagePaths().of(url.href);
        for (const name of path.split("/")) {
          assert.ok(name !== "" && name !== "." && name !== ".." && Buffer.byteLength(name) <= 255, name);
          assert.doesNotMatch(name, /[\0-\x1f<>:"\\|?*]|[. ]$|^(con|nul)(\.|$)/i);
        }
        assert.match(path, /\.md$/);
      }),
    );
  });

  it("is no folder of another page's", () => {
    const [page, inside] = pathsOf("https://a.test/x", "https://a.test/x.md/y");
    assert.notEqual(page, inside!.slice(0, inside!.lastIndexOf("/")));
  });
});
