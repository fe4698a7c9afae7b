/** What is said of an S3 server's faults: what is wrong, and how it is mended. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { s3Error } from "../../src/blobs/s3-error.ts";

it("a region that nobody named is asked for, though the SDK throws it as a plain Error", () => {
  const error = s3Error(new Error("Region is missing"), "s3://bucket");
  assert.match(error.message, /refuses \(RegionMissing\); name the bucket's region with --store-region/);
});

it("a server that is slow, or has too much to do, is waited for, and one that says no is not", () => {
  const codeOf = (httpStatusCode: number) =>
    s3Error({ name: "Unknown", $metadata: { httpStatusCode } }, "s3://bucket").code;
  for (const status of [408, 425, 429, 500, 502, 503, 504]) assert.equal(codeOf(status), "store-away", String(status));
  for (const status of [400, 401, 403, 405]) assert.equal(codeOf(status), "store-refused", String(status));
});
