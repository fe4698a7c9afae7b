/** Hosts of the gallery whose robots.txt is odd: failing, moved, of other line ends, too long, or no robots.txt at all. */
import { gzipSync } from "node:zlib";
import type { Behaviour } from "./behaviour.ts";
import type { Specimen } from "./specimen.ts";

const FORBID = { kind: "rules", groups: [{ agents: ["*"], disallow: ["/"] }] } as const;
const FORBID_GZIP = gzipSync("User-agent: *\nDisallow: /\n").toString("base64");
const GZIP = { "content-encoding": "gzip" };
const html = "text/html; charset=utf-8";
const robots = (behaviour: Behaviour): Readonly<Record<string, Behaviour>> => ({ "/robots.txt": behaviour });

export const ROBOTS: Readonly<Record<string, Specimen>> = {
  "robots-all": { robots: FORBID, ends: ["robots"] },
  ...Object.fromEntries(
    [400, 401, 403, 404, 410, 451].map((status): [string, Specimen] => [
      `robots-${status}`,
      { robots: { kind: "status", status }, ends: ["fetched"] },
    ]),
  ),
  "robots-429": { robots: { kind: "status", status: 429 }, ends: ["robots-unreachable"] },
  "robots-429-once": { robots: { kind: "status", status: 429, times: 1, later: FORBID }, ends: ["robots"] },
  "robots-broken": { robots: { kind: "status", status: 500 }, ends: ["robots-unreachable"] },
  "robots-broken-once": { robots: { kind: "status", status: 503, times: 1, later: FORBID }, ends: ["robots"] },
  "robots-never": { robots: { kind: "never" }, ends: ["robots-unreachable", "timeout"] },
  "robots-moved": { robots: { kind: "redirect", to: "/moved.txt", hops: 4, later: FORBID }, ends: ["robots"] },
  "robots-moved-5": { robots: { kind: "redirect", to: "/moved.txt", hops: 5, later: FORBID }, ends: ["robots"] },
  "robots-moved-6": { robots: { kind: "redirect", to: "/moved.txt", hops: 6, later: FORBID }, ends: ["fetched"] },
  "robots-elsewhere": {
    paths: robots({ kind: "redirect", to: "http://rules.odd.test:{port}/shared.txt" }),
    ends: ["robots"],
  },
  rules: {
    paths: { "/shared.txt": { kind: "body", type: "text/plain", text: "User-agent: *\nDisallow: /" } },
    ends: ["fetched"],
  },
  "robots-to-metadata": {
    paths: robots({ kind: "redirect", to: "http://169.254.169.254/latest/meta-data/" }),
    ends: ["robots-unreachable"],
  },
  "robots-to-nowhere": { paths: robots({ kind: "redirect", to: "http://" }), ends: ["fetched"] },
  "robots-reset": { paths: robots({ kind: "reset", afterBytes: 0 }), ends: ["robots-unreachable"] },
  "robots-not-http": { paths: robots({ kind: "raw", text: "SSH-2.0-OpenSSH_9.2\r\n" }), ends: ["robots-unreachable"] },
  "robots-gzip": {
    paths: robots({ kind: "body", type: "text/plain", base64: FORBID_GZIP, headers: GZIP }),
    ends: ["robots"],
  },
  "robots-cr": {
    robots: { ...FORBID, newline: "\r" },
    ends: ["robots"],
  },
  "robots-too-long": {
    robots: { ...FORBID, padding: 600_000 },
    ends: ["fetched"],
  },
  "robots-sitemaps": {
    robots: {
      kind: "rules",
      groups: [{ agents: ["*"], disallow: ["/no"] }],
      sitemaps: ["http://10.0.0.2/sitemap.xml", "http://private.odd.test/sitemap.xml"],
    },
    ends: ["fetched"],
    leadsTo: {
      "http://10.0.0.2/sitemap.xml": ["refused-address"],
      "http://private.odd.test/sitemap.xml": ["refused-address"],
    },
  },
  "robots-stars": {
    robots: { kind: "text", text: `User-agent: *\nDisallow: /${"a*".repeat(250_000)}$\n` },
    ends: ["fetched"],
  },
  "robots-loop": { robots: { kind: "redirect", to: "self" }, ends: ["fetched"] },
  "robots-padded": {
    robots: { ...FORBID, bom: true, newline: "\r\n", padding: 400_000 },
    ends: ["robots"],
  },
  "robots-html": { robots: { kind: "text", text: "<html>Disallow: /</html>", type: html }, ends: ["fetched"] },
};
