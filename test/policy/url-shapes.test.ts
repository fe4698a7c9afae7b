/** The rules that judge by the URL alone, on a thousand shapes of URLs as sites really have them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { trapOf, trapText } from "../../src/policy/traps.ts";
import { HONEST_KINDS, honestShapes, TRAP_KINDS, trapShapes } from "./url-shapes.ts";

const NOW = Date.UTC(2026, 10, 30);
const trap = (path: string): string | null => {
  const found = trapOf(new URL(path, "http://a.test/"), NOW);
  return found === null ? null : trapText(found);
};

describe("of a thousand URLs", () => {
  const honest = Map.groupBy(honestShapes(), ({ kind }) => kind);
  const traps = Map.groupBy(trapShapes(), ({ kind }) => kind);

  it("half are honest, half are not, and each kind has its share", () => {
    assert.equal([...honest.values()].flat().length, 500);
    assert.equal([...traps.values()].flat().length, 500);
    assert.equal(honest.size, Object.keys(HONEST_KINDS).length);
    assert.equal(traps.size, Object.keys(TRAP_KINDS).length);
  });

  for (const [kind, shapes] of honest)
    it(`no ${kind} is taken for a trap`, () => {
      for (const { path } of shapes) assert.equal(trap(path), null, path);
    });

  for (const [kind, shapes] of traps)
    it(`every one of ${kind} is`, () => {
      for (const { path } of shapes) assert.notEqual(trap(path), null, path);
    });

  it("holds for other seeds too", () => {
    for (let seed = 2; seed < 12; seed++) {
      for (const { path } of honestShapes(seed)) assert.equal(trap(path), null, path);
      for (const { path } of trapShapes(seed)) assert.notEqual(trap(path), null, path);
    }
  });
});
