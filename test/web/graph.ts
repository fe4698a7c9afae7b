/** The shape of the web: which pages a host has, and what links to what. Computed from the seed alone, never stored. */
import { type Random, random } from "./random.ts";
import { type Vocabulary, vocabulary } from "./words.ts";

export interface GraphShape {
  readonly seed: number;
  readonly hosts: number;
  /** Pages a host, its root among them. */
  readonly pagesPerHost: number;
  /** Further pages a host that only its sitemap names. */
  readonly orphansPerHost: number;
}

export interface PageId {
  /** 0-based. */
  readonly host: number;
  /** 0 is the root; pagesPerHost and above are orphans. */
  readonly page: number;
}

export interface GraphLink extends PageId {
  /** rel=nofollow. */
  readonly nofollow: boolean;
  /** How the link is written; `href` in page.ts knows the ways. The target is the same for all. */
  readonly dress: number;
}

export interface Graph extends GraphShape {
  readonly words: Vocabulary;
  /** The path of a page, canonical: what an undressed link asks for. */
  pathOf(id: PageId): string;
  /** The page at a path (query included), or null. A directory page also answers to its path without the slash. */
  pageAt(host: number, path: string): PageId | null;
  /** Links in document order. Every page of a host hangs on a tree that starts at its root; so does every root. */
  linksOf(id: PageId): readonly GraphLink[];
  topicOf(id: PageId): number;
}

const SECTIONS = ["docs", "blog", "news", "wiki", "products", "private", "about", "archive"] as const;
/** The section that robots.txt forbids wherever it forbids anything. */
export const PRIVATE = "/private/";

const CHILDREN = 4;
const HOST_CHILDREN = 3;

export function hostName(host: number): string {
  return `h${host}.test`;
}

/** The number in `h12.test`, or null for other names. */
export function hostNumber(name: string): number | null {
  const match = /^h(\d{1,7})\.test$/.exec(name);
  return match ? Number(match[1]) : null;
}

export function graph(shape: GraphShape): Graph {
  const { seed, hosts, pagesPerHost } = shape;
  const all = pagesPerHost + shape.orphansPerHost;
  const words = vocabulary(seed);
  const of = (what: string, { host, page }: PageId): Random => random(seed, `${what} ${host} ${page}`);

  const pathOf = (id: PageId): string => {
    if (id.page === 0) return "/";
    const from = of("path", id);
    const section = from.pick(SECTIONS);
    const slug = `${words.any(from)}-${words.any(from)}-${id.page}`;
    switch (from.int(0, 5)) {
      case 0:
        return `/${section}/${slug}/`;
      case 1:
        return `/${section}/?page=${slug}`;
      case 2:
        return `/${section}/${words.any(from)}/${slug}.html`;
      default:
        return `/${section}/${slug}.html`;
    }
  };

  const pageAt = (host: number, path: string): PageId | null => {
    if (host < 0 || host >= hosts) return null;
    if (path === "/") return { host, page: 0 };
    const match = /-(\d{1,9})(?:\.html|\/)?$/.exec(path);
    if (match === null) return null;
    const id = { host, page: Number(match[1]) };
    if (id.page === 0 || id.page >= all) return null;
    const canonical = pathOf(id);
    return path === canonical || `${path}/` === canonical ? id : null;
  };

  const linksOf = (id: PageId): GraphLink[] => {
    const from = of("links", id);
    const links: GraphLink[] = [];
    const link = (host: number, page: number, nofollow = false): void => {
      links.push({ host, page, nofollow, dress: from.int(0, 15) });
    };
    for (let page = 0; page <= Math.min(CHILDREN, pagesPerHost - 1); page++) link(id.host, page); // the menu
    if (id.page < pagesPerHost) {
      const first = id.page * CHILDREN + 1;
      for (let page = first; page < Math.min(first + CHILDREN, pagesPerHost); page++) link(id.host, page);
    }
    for (let n = from.int(2, 24); n > 0; n--) link(id.host, from.int(0, pagesPerHost - 1));
    if (id.page === 0) {
      const first = id.host * HOST_CHILDREN + 1;
      for (let host = first; host < Math.min(first + HOST_CHILDREN, hosts); host++) link(host, 0);
    }
    for (let n = from.int(0, 3); n > 0; n--)
      link(from.int(0, hosts - 1), from.chance(0.5) ? 0 : from.int(0, pagesPerHost - 1));
    // The only link to some page it may not be: nofollow stands only on links to pages that hang on the tree too.
    if (from.chance(0.2)) link(id.host, from.int(0, pagesPerHost - 1), true);
    return links;
  };

  return {
    ...shape,
    words,
    pathOf,
    pageAt,
    linksOf,
    topicOf: (id) => random(seed, `topic of ${id.host} ${id.page % CHILDREN}`).int(0, 63),
  };
}
