/** What is said of an S3 server's faults: what is wrong, and how it is mended. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { s3Error } from "../../src/blobs/s3-error.ts";

it("a region that nobody named is asked for, though the SDK throws it as a plain Error", () => {
  const error = s3Error(new Error("Region is missing"), "s3://bucket");
  assert.match(error.message, /refuses \(RegionMissing\); name the bucket's region with --store-region/);
});
