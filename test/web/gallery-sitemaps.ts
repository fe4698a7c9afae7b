/** Hosts of the gallery whose sitemaps are odd: broken, cut, gzipped twice, swelling, in circles, or where nobody may go. */
import { gzipSync } from "node:zlib";
import type { RobotsAnswer } from "./robots.ts";
import type { Specimen } from "./specimen.ts";

const ENDS: Pick<Specimen, "ends"> = { ends: ["fetched"] };
const LISTED = { kind: "body", type: "text/html", text: "<p>listed" } as const;
const xml = (text: string) => ({ kind: "body", type: "application/xml", text }) as const;
const named = (...sitemaps: string[]): RobotsAnswer => ({ kind: "rules", groups: [], sitemaps });
const urlset = (...paths: string[]): string =>
  `<?xml version="1.0"?><urlset>${paths.map((path) => `<url><loc>${path}</loc></url>`).join("")}</urlset>`;
const index = (...paths: string[]): string =>
  `<sitemapindex>${paths.map((path) => `<sitemap><loc>${path}</loc></sitemap>`).join("")}</sitemapindex>`;
const twice = gzipSync(gzipSync(urlset("/listed"))).toString("base64");
const FORBIDDEN_MAP = "http://169.254.169.254/sitemap.xml";

/** What leads to `/s.xml`, and how that and further URLs end. */
function specimen(
  name: string,
  paths: Specimen["paths"],
  ends: NonNullable<Specimen["leadsTo"]>,
  first = "/s.xml",
): Specimen {
  const of = ([path, reasons]: [string, Specimen["ends"]]) =>
    [`http://${name}.odd.test:{port}${path}`, reasons] as const;
  return {
    ...ENDS,
    robots: named(first),
    paths: { "/listed": LISTED, ...paths },
    leadsTo: Object.fromEntries(Object.entries(ends).map(of)),
  };
}

const read = ["sitemap"] as const;
const fetched = ["fetched"] as const;

export const SITEMAPS: Readonly<Record<string, Specimen>> = {
  "sitemap-broken": specimen(
    "sitemap-broken",
    { "/s.xml": xml("\n<urlset><url><loc>/listed</loc></nonsense><url><loc>/listed?&<loc></urlset>") },
    { "/s.xml": read, "/listed": fetched },
  ),
  "sitemap-cut": specimen(
    "sitemap-cut",
    { "/s.xml": xml("<urlset><url><loc>/listed</loc></url><url><lo") },
    { "/s.xml": read, "/listed": fetched },
  ),
  "sitemap-cdata": specimen(
    "sitemap-cdata",
    { "/s.xml": xml("<s:urlset xmlns:s='x'><s:url><s:loc><![CDATA[\n/listed ]]></s:loc></s:url></s:urlset>") },
    { "/s.xml": read, "/listed": fetched },
  ),
  "sitemap-gzip-twice": specimen(
    "sitemap-gzip-twice",
    { "/s.xml.gz": { kind: "body", type: "application/octet-stream", base64: twice } },
    { "/s.xml.gz": read, "/listed": fetched },
    "/s.xml.gz",
  ),
  "sitemap-gz-not-gzipped": specimen(
    "sitemap-gz-not-gzipped",
    { "/s.xml.gz": { kind: "body", type: "application/x-gzip", text: urlset("/listed") } },
    { "/s.xml.gz": read, "/listed": fetched },
    "/s.xml.gz",
  ),
  "sitemap-text": specimen(
    "sitemap-text",
    {
      "/s.xml": {
        kind: "body",
        type: "text/plain",
        text: "\xef\xbb\xbfhttp://sitemap-text.odd.test:{port}/listed\r\nno URL\r\n",
      },
    },
    { "/s.xml": read, "/listed": fetched },
  ),
  "sitemap-bomb": specimen("sitemap-bomb", { "/s.xml": { kind: "bomb", mib: 64 } }, { "/s.xml": read }),
  "sitemap-loop": specimen(
    "sitemap-loop",
    {
      "/s.xml": xml(index("/s.xml", "/2.xml")),
      "/2.xml": xml(index("/s.xml", "/2.xml", "/3.xml")),
      "/3.xml": xml(urlset("/listed")),
    },
    { "/s.xml": read, "/2.xml": read, "/3.xml": read, "/listed": fetched },
  ),
  "sitemap-missing": specimen(
    "sitemap-missing",
    { "/s.xml": { kind: "status", status: 404 } },
    { "/s.xml": ["http-4xx"] },
  ),
  "sitemap-is-a-page": specimen(
    "sitemap-is-a-page",
    { "/s.xml": { kind: "body", type: "text/html", text: '<!doctype html><a href="/unseen">not found</a>' } },
    { "/s.xml": read },
  ),
  "sitemap-to-metadata": {
    ...ENDS,
    robots: named("/s.xml", FORBIDDEN_MAP, "http://private.odd.test:81/s.xml"),
    paths: { "/s.xml": { kind: "redirect", to: FORBIDDEN_MAP } },
    leadsTo: {
      "http://sitemap-to-metadata.odd.test:{port}/s.xml": ["redirected"],
      [FORBIDDEN_MAP]: ["refused-address"],
      "http://private.odd.test:81/s.xml": ["refused-address"],
    },
  },
};
