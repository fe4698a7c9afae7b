// Crawlee's CheerioCrawler as its user writes it: every page of the start page's host, its URL and title kept.
// `node cheerio-crawler.js URL`; what is stored goes to CRAWLEE_STORAGE_DIR.
import { CheerioCrawler } from "@crawlee/cheerio";

const IN_FLIGHT = 32;

const crawler = new CheerioCrawler({
  // No slow start: the server is known to bear it.
  autoscaledPoolOptions: { minConcurrency: IN_FLIGHT, desiredConcurrency: IN_FLIGHT, maxConcurrency: IN_FLIGHT },
  async requestHandler({ request, $, enqueueLinks, pushData }) {
    await pushData({ url: request.loadedUrl, title: $("title").text() });
    await enqueueLinks({ strategy: "same-hostname" });
  },
});
await crawler.run([process.argv[2]]);
