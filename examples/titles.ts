// The crawl as a loop: prints the title of each page of a site.
//   node examples/titles.ts https://example.com/
import { crawl } from "../src/index.ts"; // in a project of yours: "trawl"

const seeds = process.argv.slice(2);
for await (const page of crawl({ seeds, limit: 50, dir: "crawls/titles", overwrite: true }))
  console.log(page.status, page.url, page.title ?? "");
