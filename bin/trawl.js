#!/usr/bin/env node
// Starts Trawl. No static import and no syntax newer than 2018, so that an old Node says what is wrong instead of failing to parse.
const LEAST = 24;
const version = process.versions.node;

/** The package whose absence is the error; undefined when it is another error. */
function missingPackage(error) {
  return ((error.code === "ERR_MODULE_NOT_FOUND" && /Cannot find package '([^']+)'/.exec(error.message)) || [])[1];
}

function isMissing(error, path) {
  return error.code === "ERR_MODULE_NOT_FOUND" && String(error.url || error.message).indexOf(path) >= 0;
}

if (Number(version.split(".")[0]) < LEAST) {
  process.stderr.write(
    `trawl: Node ${LEAST} or newer is needed; this is ${version}: install a newer one from https://nodejs.org/, or, in a checkout, run npm ci && npm start -- crawl https://example.com\n`,
  );
  process.exitCode = 2;
} else {
  // Compiled code is kept between runs, for visit threads too (they read the variable): a start costs half as much.
  const keepCompiled = () =>
    Promise.all([import("node:module"), import("node:os"), import("node:path")]).then(([module, os, path]) => {
      const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
      process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || path.join(cache, "trawl", "compiled");
      module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
    });
  // A checkout runs its sources; the published package has none and runs what was compiled from them.
  let isCheckout = true;
  keepCompiled()
    .then(() => import("../src/app/cli/main.ts"))
    .catch((error) => {
      if (!isMissing(error, "src/app/cli/main.ts")) throw error;
      isCheckout = false;
      return import("../dist/app/cli/main.js");
    })
    .then((main) => main.runProcess())
    .catch((error) => {
      const name = missingPackage(error);
      if (name === undefined) console.error(error);
      else {
        const root = decodeURIComponent(new URL("..", import.meta.url).pathname);
        const mend = isCheckout ? "run npm ci" : "install Trawl again";
        process.stderr.write(`trawl: the package ${name} is not installed beside ${root}; ${mend}\n`);
      }
      process.exitCode = name === undefined ? 1 : 2;
    });
}
