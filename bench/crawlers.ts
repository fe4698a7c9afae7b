/** The crawlers that are compared, each as the command that its user would give for a site of his own. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { VERSION } from "../src/app/version.ts";
import { wget2Path } from "../test/services/wget2.ts";
import type { Command } from "./measure.ts";

export interface Crawler {
  readonly name: string;
  readonly version: string;
  /** The command that crawls all that hangs together with `seed`; `dir` is empty and its own. */
  command(seed: string, dir: string): Command;
}

const IN_FLIGHT = 32;
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Everything on: robots, archive, dedup, state, index, pages.jsonl. The site has the same documents several times: the
 * copies, which a crawl would leave after a while, are all to be fetched, as the others do, and each archived whole.
 */
async function trawl(): Promise<Crawler> {
  const everything = ["--pattern-budget", "0", "--no-soft-404", "--no-revisits"];
  const options = ["--delay", "0", "--host-concurrency", String(IN_FLIGHT), "--overwrite", ...everything];
  return {
    name: "trawl",
    version: VERSION,
    command: (seed, dir) => ({
      program: process.execPath,
      args: [here("../bin/trawl.js"), "crawl", seed, "--dir", join(dir, "crawl"), ...options],
    }),
  };
}

/** Pages to files. It parses links and keeps URLs apart; there is no archive, no state, no resuming. */
async function wget2(): Promise<Crawler> {
  const program = await wget2Path();
  const { stdout } = await promisify(execFile)(program, ["--version"]);
  const options = ["--recursive", "--level=0", "--no-config", "--quiet", `--max-threads=${IN_FLIGHT}`];
  // Pages alone, like the others.
  const pages = ["--ignore-tags=img,link,script,object,embed,source,style"];
  return {
    name: "wget2 -r",
    version: /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? "?",
    // 8: some answer was an error; a link to a missing page is enough.
    command: (seed) => ({ program, args: [...options, ...pages, seed], fine: [0, 8] }),
  };
}

/** A row a page in its data set, its request queue on disk, as it comes. */
async function crawlee(): Promise<Crawler> {
  const peers = here("./peers/");
  const manifest = join(peers, "node_modules/@crawlee/cheerio/package.json");
  const installed = () => readFile(manifest, "utf8").catch(() => null);
  if ((await installed()) === null) {
    const npm = spawn("npm", ["ci", "--no-audit", "--no-fund"], {
      cwd: peers,
      stdio: ["ignore", "inherit", "inherit"],
    });
    const [code] = await once(npm, "exit");
    if (code !== 0) throw new Error(`Crawlee could not be installed; mend it in ${peers}, or go on --without crawlee`);
  }
  return {
    name: "Crawlee Cheerio",
    version: (JSON.parse((await installed())!) as { version: string }).version,
    command: (seed, dir) => ({
      program: process.execPath,
      args: [join(peers, "cheerio-crawler.js"), seed],
      env: { CRAWLEE_STORAGE_DIR: join(dir, "storage"), CRAWLEE_LOG_LEVEL: "ERROR" },
    }),
  };
}

/** In the order in which they are run; the first is what the others are compared with. */
export const CRAWLERS = { trawl, wget2, crawlee } as const;
