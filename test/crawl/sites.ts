/** Plain sites for tests of the crawl loop. */
import type { Reply } from "./world.ts";

/** `hosts` sites of `pages` pages; each page links to the next, and to the first page of the next site. */
export function sites(hosts: number, pages: number, replies: Record<string, Reply> = {}) {
  return (href: string): Reply | undefined => {
    if (href in replies) return replies[href];
    const { hostname, pathname } = new URL(href);
    const [, h] = /^h(\d+)\.test$/.exec(hostname) ?? [];
    const [, p] = /^\/p(\d+)$/.exec(pathname) ?? [];
    if (h === undefined || p === undefined || Number(p) >= pages || Number(h) >= hosts) return undefined;
    const next = Number(p) + 1 < pages ? [`/p${Number(p) + 1}`] : [];
    const over = Number(p) === 0 && Number(h) + 1 < hosts ? [`http://h${Number(h) + 1}.test/p0`] : [];
    return { links: [...next, ...over] };
  };
}
