import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changeOf } from "../../src/policy/change.ts";

describe("a page that is seen again", () => {
  it("has not changed when its body is the same, or its text nearly so", () => {
    assert.deepEqual(changeOf({ digest: "sha1:A" }, "sha1:A", 0), { kind: "same", distance: 0 });
    assert.deepEqual(changeOf({ digest: "sha1:A" }, "sha1:B", 3), { kind: "same", distance: 3 });
  });

  it("has changed when its text differs in more than three bits", () => {
    assert.deepEqual(changeOf({ digest: "sha1:A" }, "sha1:B", 4), { kind: "changed", distance: 4 });
  });

  it("has changed with any byte where texts cannot be compared", () => {
    assert.deepEqual(changeOf({ digest: "sha1:A" }, "sha1:B", null), { kind: "changed", distance: null });
    assert.deepEqual(changeOf({ digest: "sha1:A" }, "sha1:A", null), { kind: "same", distance: null });
  });

  it("is met for the first time when it had no content before", () => {
    assert.equal(changeOf({ digest: null }, "sha1:A", null).kind, "first");
  });
});
