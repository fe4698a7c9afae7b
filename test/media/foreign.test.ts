import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ForeignContent } from "../../src/media/foreign.ts";

const openAll = (foreign: ForeignContent, ...names: string[]): void => {
  for (const name of names) foreign.start(name, false, false, null);
};

describe("foreign content", () => {
  it("ends with its element, and with it what was left open inside", () => {
    const foreign = new ForeignContent();
    openAll(foreign, "svg", "svg", "svg", "title", "svg");
    assert.deepEqual([foreign.inside, foreign.inDrawing, foreign.strict], [true, true, true]);
    foreign.end("title");
    assert.ok(foreign.strict);
    for (let i = 0; i < 3; i++) {
      assert.ok(foreign.inDrawing);
      foreign.end("svg");
    }
    assert.deepEqual([foreign.inside, foreign.inDrawing], [false, false]);
  });

  it("is not ended from within HTML inside it", () => {
    const foreign = new ForeignContent();
    openAll(foreign, "svg", "foreignobject", "math", "math");
    foreign.end("svg");
    assert.ok(foreign.strict);
    foreign.end("foreignobject");
    foreign.end("svg");
    assert.equal(foreign.inside, false);
  });

  it("is a drawing only while an svg is open, however deep and whatever comes", () => {
    const name = fc.constantFrom(..."svg math title desc foreignobject mi g p div annotation-xml".split(" "));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), name), { maxLength: 80 }), (steps) => {
        const foreign = new ForeignContent();
        for (const [opens, name] of steps) {
          if (opens) foreign.start(name, false, false, null);
          else foreign.end(name);
          assert.ok(foreign.inside || !(foreign.inDrawing || foreign.strict));
        }
        // Whatever was left open, these end it.
        for (let i = 0; i < 80 && foreign.inside; i++)
          for (const name of "mi title desc foreignobject annotation-xml svg math".split(" ")) foreign.end(name);
        assert.deepEqual([foreign.inside, foreign.inDrawing, foreign.strict], [false, false, false]);
      }),
    );
  });
});
