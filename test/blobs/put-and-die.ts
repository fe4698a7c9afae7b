/** A process of its own that puts a file on S3 and is killed when so many of its parts are in place: BUCKET PREFIX ENDPOINT KEY FILE PARTS. */
import { s3Blobs } from "../../src/blobs/s3.ts";

const [bucket = "", prefix = "", endpoint = "", key = "", file = "", parts] = process.argv.slice(2);
const blobs = await s3Blobs({ bucket, prefix, endpoint, region: null, pathStyle: null });
await blobs.putFile(key, file, {
  onPart: (part) => {
    if (part === Number(parts)) process.kill(process.pid, "SIGKILL");
  },
});
