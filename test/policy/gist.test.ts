/** What a short text says, without its numbers and without its own URL. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gistOf } from "../../src/policy/gist.ts";

const HREF = "http://a.test/deep/some-page.html";

describe("a text's gist", () => {
  it("is the same when numbers alone differ", () => {
    assert.equal(gistOf("Picture 17 of 240", HREF), gistOf("Picture 2 of 9", HREF));
    assert.notEqual(gistOf("Picture 17 of 240", HREF), gistOf("Painting 17 of 240", HREF));
  });

  it("is the same when the URL alone differs, however it is written", () => {
    const said = (path: string, shown: string) => gistOf(`Sorry, ${shown} is not here`, `http://a.test${path}`);
    const gist = said("/deep/some-page.html", "/deep/some-page.html");
    assert.equal(said("/other", "/OTHER"), gist);
    assert.equal(said("/deep/other-one/", "/deep/other-one/"), gist);
    assert.equal(said("/caf%C3%A9s", "/cafés"), gist);
    assert.equal(said("/100%", "/100%"), gist);
    const name = said("/deep/some-page.html", "some-page.html");
    assert.equal(said("/another/place", "place"), name);
  });

  it("is another with another picture, whose query says nothing", () => {
    const shows = (src: string) => gistOf("back on", HREF, ["/logo.png", src]);
    assert.notEqual(shows("/img/1.jpg"), shows("/img/2.jpg"));
    assert.equal(shows("/pixel.gif?r=1"), shows("/pixel.gif?r=2"));
  });

  it("is of 16 digits, whatever the text", () => {
    for (const text of ["", "x", "ツ".repeat(30)]) assert.match(gistOf(text, HREF), /^[\da-f]{16}$/);
  });
});
