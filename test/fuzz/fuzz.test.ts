/** A short walk through all readers with inputs made to break them; `npm run fuzz -- 100000` is the long one. */
import { describe, it } from "node:test";
import fc from "fast-check";
import { BODY_TARGETS } from "./body-targets.ts";
import { inputs } from "./target.ts";
import { TEXT_TARGETS } from "./text-targets.ts";
import { TREE_TARGET } from "./tree-target.ts";

const INPUTS = 400;

describe("whatever it is given, a reader ends, throws nothing and keeps its promises", () => {
  for (const target of [...TEXT_TARGETS, ...BODY_TARGETS, TREE_TARGET])
    it(target.name, async () => {
      await fc.assert(
        fc.asyncProperty(inputs(target), async (input) => target.check(input)),
        { numRuns: INPUTS },
      );
    });
});
