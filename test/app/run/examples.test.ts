import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { loadHandlers } from "../../../src/app/run/plugins.ts";
import { document } from "../../../src/media/document.ts";
import type { Href } from "../../../src/model/url.ts";

const example = join(import.meta.dirname, "../../../examples/links-of-text.ts");

describe("the example of a media handler", () => {
  it("loads as any module of a user does, and finds the links and the title of a text", async () => {
    const [handler, ...others] = await loadHandlers([example]);
    assert.deepEqual([handler?.name, handler?.accepts, others], ["links-of-text", ["text/plain"], []]);
    const text = "A title\nSee http://a.test/1, and <https://b.test/2>.\n";
    assert.deepEqual(
      await handler?.read(document("http://a.test/t" as Href, "text/plain", Buffer.from(text), false, [])),
      {
        title: "A title",
        links: [
          { href: "http://a.test/1,", kind: "page", from: "text" },
          { href: "https://b.test/2", kind: "page", from: "text" },
        ],
      },
    );
    assert.deepEqual(
      await handler?.read(document("http://a.test/t" as Href, "text/plain", new Uint8Array(), false, [])),
      { links: [] },
    );
  });
});
