/** Which names blobs may have: the same everywhere, and harmless as paths. */
import type { BlobKey } from "../ports/blobs.ts";

const KEY = /^[\w.~-]+(?:\/[\w.~-]+)*$/;

/** Throws when `key` is none: a bug of the caller. */
export function checkKey(key: BlobKey): BlobKey {
  const bad = !KEY.test(key) || key.length > 800 || key.split("/").some((part) => part === "." || part === "..");
  if (bad) throw new Error(`${JSON.stringify(key)} is no name of a blob`);
  return key;
}
