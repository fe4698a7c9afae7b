/** The content of the web apart from misbehaviour: robots.txt, sitemaps and pages by host and path, and what can be reached. */
import { gzipSync } from "node:zlib";
import { ruleFits, yieldsPage } from "./behaviour.ts";
import { type Changing, changing, startOf, type Version } from "./changing.ts";
import { GALLERY, galleryHost, galleryIndex } from "./gallery.ts";
import { type Graph, graph, hostName, hostNumber, type PageId, PRIVATE } from "./graph.ts";
import { isMazeHost, maze } from "./maze/maze.ts";
import type { FakeWebOptions } from "./options.ts";
import { originOf, type PageOptions, pageHtml } from "./page.ts";
import { allows, groupsOf, type RobotsAnswer, type RobotsGroup } from "./robots.ts";

export interface Served {
  readonly type: string;
  readonly body: string | Buffer;
  /** The canonical URL, for a page of the graph. */
  readonly page: string | null;
  /** Where to, for a directory asked for without its slash, or a page that has moved. */
  readonly moved?: string;
  /** Of a page that changes. */
  readonly version?: Version;
}

export interface ReachOptions {
  /** Canonical URLs; the root of h0.test unless told. */
  readonly from?: readonly string[];
  /** "host": the hosts of `from`; "any" (default): everywhere. */
  readonly scope?: "host" | "any";
  /** Its robots groups are obeyed; null obeys none. "trawlbot" unless told. */
  readonly agent?: string | null;
  readonly sitemaps?: boolean;
}

export interface Site {
  readonly graph: Graph;
  /** What changes does so by the web's time, `at`: that of its start unless told. */
  serve(host: string, path: string, at?: number): Served | null;
  robots(host: string, at?: number): RobotsAnswer;
  readonly changing: Changing | null;
  /** The rules in force in the end, for every host that has any. */
  robotsByHost(): Map<string, readonly RobotsGroup[]>;
  urlOf(id: PageId): string;
  /** Every page that a crawler who follows links (nofollow ones not), robots.txt and sitemaps must fetch: canonical URLs. */
  reachable(options?: ReachOptions): Set<string>;
}

const MISSING: RobotsAnswer = { kind: "status", status: 404 };
const DEFAULT_ROBOTS: readonly RobotsAnswer[] = [
  MISSING,
  { kind: "rules", groups: [{ agents: ["*"], disallow: [PRIVATE] }] },
  {
    kind: "rules",
    groups: [
      { agents: ["otherbot"], disallow: ["/"] },
      {
        agents: ["*"],
        disallow: [PRIVATE, "/wiki/*.html", "/nowhere/*.html$", "/archive/?"],
        allow: [`${PRIVATE}the`],
      },
    ],
  },
];

export function site(options: FakeWebOptions, port: number): Site {
  const { seed = 1, hosts = 10, pagesPerHost = 30, orphansPerHost = 0, sitemaps = false } = options;
  const web = graph({ seed, hosts, pagesPerHost, orphansPerHost });
  const writing: PageOptions = { port, bytes: options.bytes ?? [5000, 50_000], dressed: options.dressed ?? true };
  const traps = options.maze ? maze({ port: `:${port}` }) : null;
  const life = options.changing === undefined ? null : changing(seed, options.changing);
  const start = startOf(options.changing ?? {});
  const urlOf = (id: PageId): string => originOf(id.host, port) + web.pathOf(id);

  const robots = (host: string, at = start): RobotsAnswer => {
    if (life?.denies(host, at)) return { kind: "rules", groups: [{ agents: ["*"], disallow: ["/"] }] };
    const told = options.robots?.[host] ?? options.robots?.["*"];
    if (told !== undefined) return told;
    if (host.endsWith(".odd.test")) return GALLERY[host.slice(0, -".odd.test".length)]?.robots ?? MISSING;
    const number = hostNumber(host);
    return number === null ? MISSING : DEFAULT_ROBOTS[number % DEFAULT_ROBOTS.length]!;
  };

  const serveGraph = (host: number, path: string, at: number): Served | null => {
    if (sitemaps && path.startsWith("/sitemap")) return sitemap(host, path);
    const id = web.pageAt(host, path);
    if (id === null) return null;
    const canonical = web.pathOf(id);
    if (canonical !== path) return { type: "text/html", body: "", page: null, moved: canonical };
    const type = "text/html; charset=utf-8";
    if (life === null) return { type, body: pageHtml(web, id, writing), page: urlOf(id) };
    const version = life.versionOf(id, at);
    if (version.away === "moved") return { type, body: "", page: urlOf(id), moved: "/", version };
    const body = version.away === null ? pageHtml(web, id, writing, version.number) : "";
    return { type, body, page: urlOf(id), version };
  };

  const sitemap = (host: number, path: string): Served | null => {
    const origin = originOf(host, port);
    const list = (from: number, to: number): string => {
      let xml = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n`;
      for (let page = from; page < to; page++)
        xml += `<url><loc>${urlOf({ host, page })}</loc><lastmod>2026-01-${String((page % 28) + 1).padStart(2, "0")}</lastmod></url>\n`;
      return `${xml}</urlset>\n`;
    };
    switch (path) {
      case "/sitemap.xml":
        return {
          type: "application/xml",
          page: null,
          body: `<?xml version="1.0"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>${origin}/sitemap-pages.xml</loc></sitemap><sitemap><loc>${origin}/sitemap-more.xml.gz</loc></sitemap></sitemapindex>\n`,
        };
      case "/sitemap-pages.xml":
        return { type: "application/xml", page: null, body: list(0, pagesPerHost) };
      case "/sitemap-more.xml.gz": {
        const body = gzipSync(list(pagesPerHost, pagesPerHost + orphansPerHost));
        return { type: "application/gzip", page: null, body };
      }
      default:
        return null;
    }
  };

  const serve = (host: string, path: string, at = start): Served | null => {
    const type = "text/html; charset=utf-8";
    if (path === "/site.css") return { type: "text/css", body: "body { background: url(/logo.png) }\n", page: null };
    if (path === "/logo.png") return { type: "image/png", body: PIXEL, page: null };
    if (traps !== null && isMazeHost(host)) {
      const body = traps.serve(host, path);
      return body === null ? null : { type, body, page: null };
    }
    const number = hostNumber(host);
    if (number !== null) return serveGraph(number, withoutTracking(path), at);
    if (options.gallery && host === "odd.test" && path === "/") return { type, body: galleryIndex(port), page: null };
    if (path !== "/") return null;
    const lines = `<p>This is ${host}, and it says so.</p>\n`.repeat(100);
    return { type, body: `<!doctype html><title>${host}</title>\n${lines}`, page: null };
  };

  const reachable = (reach: ReachOptions = {}): Set<string> => {
    const { from = [urlOf({ host: 0, page: 0 })], scope = "any", agent = "trawlbot" } = reach;
    const useSitemaps = sitemaps && (reach.sitemaps ?? true);
    const homes = new Set(from.map((href) => new URL(href).hostname));
    const seen = new Set<string>();
    const found = new Set<string>();
    const listed = new Set<number>();
    const queue: PageId[] = [];
    const meet = (id: PageId): void => {
      const name = hostName(id.host);
      if (scope === "host" && !homes.has(name)) return;
      const mark = `${id.host} ${id.page}`;
      if (seen.has(mark)) return;
      seen.add(mark);
      if (agent !== null && !permitted(name, web.pathOf(id), agent)) return;
      const rule = options.rules?.find((one) => ruleFits(one, name, web.pathOf(id)));
      if (rule !== undefined && !yieldsPage(rule.behaviour)) return;
      found.add(urlOf(id));
      queue.push(id);
    };
    /** A host's sitemap is read as soon as one of its URLs is known, whether or not that URL is permitted. */
    const list = (host: number): void => {
      if (listed.has(host) || (scope === "host" && !homes.has(hostName(host)))) return;
      listed.add(host);
      if (!useSitemaps || !namesSitemap(robots(hostName(host)))) return;
      for (let page = 0; page < pagesPerHost + orphansPerHost; page++) meet({ host, page });
    };
    const follow = (id: PageId): void => {
      meet(id);
      list(id.host);
    };
    for (const href of from) {
      const url = new URL(href);
      const id = web.pageAt(hostNumber(url.hostname) ?? -1, url.pathname + url.search);
      if (id !== null) follow(id);
    }
    for (let id = queue.pop(); id !== undefined; id = queue.pop())
      for (const link of web.linksOf(id)) if (!link.nofollow) follow(link);
    return found;
  };

  const permitted = (host: string, path: string, agent: string): boolean => {
    const answer = robots(host);
    const groups = groupsOf(answer);
    if (groups !== null) return allows(groups, agent, path);
    return answer.kind === "text" || answer.kind === "redirect" || (answer.kind === "status" && answer.status < 500);
  };

  return {
    graph: web,
    changing: life,
    serve,
    robots,
    urlOf,
    reachable,
    robotsByHost() {
      const names = Array.from({ length: hosts }, (_, host) => hostName(host));
      if (options.gallery) names.push(...Object.keys(GALLERY).map(galleryHost));
      const byHost = new Map<string, readonly RobotsGroup[]>();
      for (const name of names) {
        const groups = groupsOf(robots(name));
        if (groups !== null) byHost.set(name, groups);
      }
      return byHost;
    },
  };
}

/** Whether the answer, once through, is one that sitemap lines are added to. */
function namesSitemap(answer: RobotsAnswer): boolean {
  return groupsOf(answer) !== null;
}

/** Servers do not care for utm_ parameters. */
export function withoutTracking(path: string): string {
  if (!path.includes("utm_")) return path;
  return path.replace(/utm_[a-z]+=[^&]*&?/g, "").replace(/[?&]$/, "");
}

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64",
);
