#!/usr/bin/env node
// Starts Trawl. No static import and no syntax newer than 2018, so that an old Node says what is wrong instead of failing to parse.
const LEAST = 24;
const version = process.versions.node;

function isMissing(error, path) {
  return error.code === "ERR_MODULE_NOT_FOUND" && String(error.url || error.message).indexOf(path) >= 0;
}

if (Number(version.split(".")[0]) < LEAST) {
  process.stderr.write(
    `trawl: Trawl needs Node ${LEAST} or newer; this is ${version}: install a newer one from https://nodejs.org/, or, in a checkout, run npm ci && npm start -- crawl https://example.com\n`,
  );
  process.exitCode = 2;
} else {
  // A checkout runs its sources; the published package has none and runs what was compiled from them.
  import("../src/app/cli/main.ts")
    .catch((error) => {
      if (isMissing(error, "src/app/cli/main.ts")) return import("../dist/app/cli/main.js");
      throw error;
    })
    .then((main) => main.runProcess())
    .catch((error) => {
      console.error(error);
      process.exitCode = 1;
    });
}
