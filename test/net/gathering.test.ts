import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { Gathering } from "../../src/net/gathering.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What is still reachable of the buffers that pieces were cut from, in bytes: each as the read buffer of a socket is. */
async function heldBy(pieces: number, length: number, bufferLength: number): Promise<number> {
  const held = new Set<WeakRef<ArrayBuffer>>();
  const body = new Gathering();
  for (let i = 0; i < pieces; i++) {
    const buffer = new ArrayBuffer(bufferLength);
    held.add(new WeakRef(buffer));
    body.add(new Uint8Array(buffer, 0, length));
  }
  // A WeakRef holds until the turn ends.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  const alive = [...held].filter((ref) => ref.deref() !== undefined).length;
  assert.equal(body.size, pieces * length);
  return alive * bufferLength;
}

describe("a body gathered from pieces", () => {
  it("is all of them, in order, whatever their lengths and the buffers that they are part of", () => {
    const piece = fc.tuple(fc.nat(20_000), fc.nat(40_000)).map(([length, more]) => {
      const bytes = new Uint8Array(length + more);
      for (let i = 0; i < length; i++) bytes[i] = i * 7 + length;
      return bytes.subarray(0, length);
    });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const body = new Gathering();
        for (const one of pieces) body.add(one);
        assert.equal(
          body.size,
          pieces.reduce((sum, { length }) => sum + length, 0),
        );
        assert.deepEqual(Buffer.from(body.take()), Buffer.concat(pieces));
        assert.deepEqual([body.size, body.take().length], [0, 0]);
      }),
      { numRuns: 200 },
    );
  });

  it("holds no read buffers for the few bytes that came in each", async () => {
    // The first one is kept as it came, and the last may still be on the stack.
    assert.ok((await heldBy(500, 1, 65_536)) <= 3 * 65_536);
    assert.ok((await heldBy(100, 8_192, 65_536)) <= 3 * 65_536);
  });

  it("copies nothing that comes in long pieces", async () => {
    assert.equal(await heldBy(20, 65_536, 65_536), 20 * 65_536);
  });
});
