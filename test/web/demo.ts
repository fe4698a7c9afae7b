/** `npm run demo`: crawls a bundled web on loopback with the real program, for a machine without internet. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, relative } from "node:path";
import { type LogEntry, requestsOf } from "./log.ts";
import { type Gap, smallestGap, smallestGaps } from "./politeness.ts";
import { spawnFakeWeb } from "./spawn.ts";

const ROOT = join(import.meta.dirname, "../..");
const DIR = relative(process.cwd(), join(ROOT, "crawls/demo")) || ".";
const TRAWL = join(ROOT, "bin/trawl.js");

await using web = await spawnFakeWeb({ hosts: 40, pagesPerHost: 50, addresses: 8, sitemaps: true });
const args = ["crawl", `${web.origin(0)}/`, "--scope", "any", "--limit", "200", "--delay", "100ms"];
args.push("--allow-net", web.allowNet, "--dns", web.dns, "--dir", DIR, "--overwrite");

console.error(`A made-up web of 40 hosts on ${web.addresses.length} loopback addresses is up. Crawling it with:

  trawl ${args.join(" ")}
`);
const child = spawn(process.execPath, [TRAWL, ...args], { stdio: "inherit" });
// Ctrl-C goes to the whole group; the program ends in its own way, and then so does this.
process.on("SIGINT", () => {});
const [code] = await once(child, "exit");
process.exitCode = code ?? 1;
if (code === 0 || code === 130) report(await web.entries());

function report(log: readonly LogEntry[]): void {
  const gaps = smallestGaps(log);
  const [host, address] = [smallestGap(gaps.hosts), smallestGap(gaps.addresses)];
  const ms = (gap: Gap | null): string => (gap === null ? "none" : `${gap.ms.toFixed(0)} ms`);
  console.error(`
The web's own log: ${requestsOf(log).length} requests; smallest pause on a host ${ms(host)}, on an address ${ms(address)}.

Look around:
  ${DIR}/archive     the pages, as WARC
  ${DIR}/pages       one JSON line a page
  npm start -- status ${DIR}
  npm start -- export ${DIR} --to pages.csv
`);
}
