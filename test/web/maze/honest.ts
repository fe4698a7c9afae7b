/** An honest site of 2,000 pages of all the kinds there are: what a crawler that is wary of traps must not lose. */
import { type Random, random } from "../random.ts";
import { type Vocabulary, vocabulary } from "../words.ts";

export const HONEST_HOST = "honest.test";
export const HONEST_PAGES = 2_000;

interface Item {
  readonly path: string;
  readonly title: string;
  /** What lists show of it. */
  readonly teaser: string;
}

type Write = () => string;

const MONTHS = "January February March April May June July August September October November December".split(" ");
const COLOURS = ["red", "blue", "green", "black", "white"];
const ORDERS = ["price", "name", "newest"];

/** Every page by its path (query included), written when it is asked for. Each is within a few links of the root. */
export function honestSite(seed = 1): ReadonlyMap<string, Write> {
  const pages = new Map<string, Write>();
  const words = vocabulary(seed);
  const from = (what: string): Random => random(seed, `honest ${what}`);
  const sections: Item[] = [];
  const section = (item: Item): void => void sections.push(item);
  blog(pages, words, from, section);
  shop(pages, words, from, section);
  docs(pages, words, from, section);
  forum(pages, words, from, section);
  album(pages, section);
  wiki(pages, words, from, section, HONEST_PAGES - pages.size - 1);
  pages.set("/", () => page("Home", `<h1>All that we have</h1>${list(sections)}${menu()}`));
  return pages;
}

/** What the home page links to beside its own sections is added by whoever serves it. */
export const MENU_MARK = "<!-- menu -->";

const menu = (): string => MENU_MARK;

export function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><nav><a href="/">Home</a> <a href="/blog/">Blog</a> <a href="/wiki/">Wiki</a> <a href="/shop/">Shop</a> <a href="/docs/">Docs</a> <a href="/forum/">Forum</a></nav>${body}<footer>All rights reserved by nobody in particular</footer></body></html>`;
}

const link = ({ path, title }: Pick<Item, "path" | "title">): string =>
  `<a href="${path.replaceAll("&", "&amp;")}">${title}</a>`;
const list = (items: readonly Item[]): string =>
  `<ul>${items.map((item) => `<li>${link(item)} ${item.teaser}`).join("")}</ul>`;
const prose = (words: Vocabulary, from: Random, topic: number, sentences: number): string =>
  Array.from({ length: sentences }, () => words.sentence(topic, from)).join(" ");
const two = (n: number): string => String(n).padStart(2, "0");
const slug = (words: Vocabulary, from: Random, n: number): string =>
  `${words.any(from)}-${words.any(from)}-${words.about(n, from)}`;
const capital = (text: string): string => text.replace(/^./, (first) => first.toUpperCase());
const slices = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

type Pages = Map<string, Write>;
type From = (what: string) => Random;
type Section = (item: Item) => void;

/** A list in pages of `size`, under the paths that `pathOf` gives; each page names its neighbours, the first and the last. */
function paged(pages: Pages, title: string, items: readonly Item[], size: number, pathOf: (n: number) => string): void {
  const parts = slices(items, size);
  for (const [i, part] of parts.entries()) {
    const near = [1, i - 3, i - 1, i, i + 1, i + 2, i + 3, i + 6, parts.length].filter(
      (n) => n >= 1 && n <= parts.length,
    );
    const others = [...new Set(near)].map((n) => link({ path: pathOf(n), title: `page ${n}` })).join(" ");
    pages.set(pathOf(i + 1), () => page(`${title}, page ${i + 1}`, `<h1>${title}</h1>${list(part)}${others}`));
  }
}

function blog(pages: Pages, words: Vocabulary, from: From, section: Section): void {
  const posts: (Item & { month: string; tag: string })[] = [];
  const tags = Array.from({ length: 16 }, (_, i) => words.about(i, from(`tag ${i}`)));
  for (let n = 0; n < 320; n++) {
    const r = from(`post ${n}`);
    const month = `${2019 + (n % 7)}/${two(1 + ((n * 5) % 12))}`;
    const path = `/blog/${month}/${two(1 + (n % 28))}/${slug(words, r, n)}-${n % 3 === 0 ? n : words.any(r)}/`;
    posts.push({ path, title: capital(words.sentence(n, r)), teaser: words.sentence(n, r), month, tag: tags[n % 16]! });
  }
  for (const [n, post] of posts.entries()) {
    const others = [posts[n - 1], posts[n + 1]].filter((one) => one !== undefined);
    const labels = `<a href="/blog/tag/${post.tag}/">${post.tag}</a> <a href="/blog/${post.month}/">that month</a>`;
    pages.set(post.path, () =>
      page(
        post.title,
        `<h1>${post.title}</h1><p>${prose(words, from(`body ${n}`), n, 20)}</p>${labels}${list(others)}`,
      ),
    );
  }
  for (const [month, of] of Map.groupBy(posts, (post) => post.month)) {
    const [year, number] = month.split("/").map(Number);
    const title = `${MONTHS[number! - 1]} ${year}`;
    pages.set(`/blog/${month}/`, () => page(title, `<h1>${title}</h1>${list(of)}`));
  }
  for (const [tag, of] of Map.groupBy(posts, (post) => post.tag))
    pages.set(`/blog/tag/${tag}/`, () => page(tag, `<h1>${tag}</h1>${list(of)}`));
  paged(pages, "Blog", posts.toReversed(), 10, (n) => (n === 1 ? "/blog/" : `/blog/page/${n}/`));
  section({ path: "/blog/", title: "Blog", teaser: "what we think" });
}

function shop(pages: Pages, words: Vocabulary, from: From, section: Section): void {
  const categories = ["shoes", "coats", "lamps", "chairs", "knives", "tents"];
  for (const [c, category] of categories.entries()) {
    const products: (Item & { colour: string; price: number; id: number })[] = [];
    for (let n = 0; n < 64; n++) {
      const r = from(`${category} ${n}`);
      const id = 10_000 + c * 64 + n;
      const title = capital(`${words.about(c, r)} ${words.any(r)} ${category}`);
      products.push({
        path: `/shop/p/${title.toLowerCase().replaceAll(" ", "-")}-${id}.html`,
        title,
        teaser: words.sentence(c, r),
        colour: COLOURS[n % 5]!,
        price: r.int(5, 900),
        id,
      });
    }
    for (const [n, product] of products.entries()) {
      const alike = [7, 19, 31].map((step) => products[(n + step) % 64]!);
      pages.set(product.path, () =>
        page(
          product.title,
          `<h1>${product.title}</h1><p>${product.price} crowns, ${product.colour}</p><p>${prose(words, from(`product ${product.id}`), c, 12)}</p>Alike: ${list(alike)}<p>Delivery in three days. Returns within a month. Pay by card or by invoice.</p>`,
        ),
      );
    }
    const root = `/shop/${category}`;
    paged(pages, capital(category), products, 12, (n) => (n === 1 ? root : `${root}?page=${n}`));
    const first = pages.get(root)!;
    const filters = COLOURS.map((colour) => ({ path: `${root}?color=${colour}`, title: colour, teaser: "" }));
    const orders = ORDERS.map((order) => ({ path: `${root}?sort=${order}`, title: `by ${order}`, teaser: "" }));
    pages.set(root, () => first().replace("<ul>", `${list([...filters, ...orders])}<ul>`));
    for (const { path, title } of filters) {
      const of = products.filter(({ colour }) => colour === title);
      pages.set(path, () => page(`${title} ${category}`, `<h1>${title} ${category}</h1>${list(of)}`));
    }
    for (const [i, { path, title }] of orders.entries()) {
      const of = products.toSorted((a, b) =>
        i === 0 ? a.price - b.price : i === 1 ? a.title.localeCompare(b.title) : b.id - a.id,
      );
      pages.set(path, () => page(`${category} ${title}`, `<h1>${category} ${title}</h1>${list(of.slice(0, 12))}`));
    }
  }
  const items = categories.map((category) => ({ path: `/shop/${category}`, title: category, teaser: "all of them" }));
  pages.set("/shop/", () => page("Shop", `<h1>Shop</h1>${list(items)}`));
  section({ path: "/shop/", title: "Shop", teaser: "what we sell" });
}

/** Three versions of every page, the later ones with one sentence more: near copies, and honest ones. */
function docs(pages: Pages, words: Vocabulary, from: From, section: Section): void {
  const chapters = Array.from({ length: 9 }, (_, c) => words.about(c + 20, from(`chapter ${c}`)));
  const versions = ["3.1", "3.2", "4.0"];
  for (const version of versions) {
    const contents: Item[] = [];
    for (const [c, chapter] of chapters.entries())
      for (let n = 0; n < 12; n++) {
        const r = from(`doc ${c} ${n}`);
        const path = `/docs/${version}/${c}-${chapter}/${words.any(r)}-${words.about(c, r)}${n}.html`;
        const title = capital(words.sentence(c + 20, r));
        const text = prose(words, r, c + 20, 24 + versions.indexOf(version));
        contents.push({ path, title, teaser: "" });
        pages.set(path, () =>
          page(`${title} ${version}`, `<h1>${title}</h1><p>${text}</p><a href="/docs/${version}/">Contents</a>`),
        );
      }
    pages.set(`/docs/${version}/`, () =>
      page(`Contents ${version}`, `<h1>Contents of ${version}</h1>${list(contents)}`),
    );
  }
  const items = versions.map((version) => ({ path: `/docs/${version}/`, title: version, teaser: "" }));
  pages.set("/docs/", () => page("Docs", `<h1>Versions</h1>${list(items)}`));
  section({ path: "/docs/", title: "Docs", teaser: "how it works" });
}

/** Threads and boards by two parameters; members whose pages say next to nothing. */
function forum(pages: Pages, words: Vocabulary, from: From, section: Section): void {
  const names = Array.from({ length: 90 }, (_, n) =>
    capital(words.any(from(`member ${n}`)) + words.any(from(`member's ${n}`))),
  );
  for (const [n, name] of names.entries())
    pages.set(`/forum/member/${n + 1}`, () =>
      page(name, `<h1>${name}</h1><p>Joined in ${2001 + (n % 20)}. Posts: ${n * 7}.</p>`),
    );
  for (let board = 1; board <= 6; board++) {
    const threads: Item[] = [];
    for (let n = 0; n < 40; n++) {
      const r = from(`thread ${board} ${n}`);
      const t = board * 1_000 + n * 3;
      const base = `/forum/viewtopic.php?f=${board}&t=${t}`;
      const title = capital(words.sentence(board + 40, r));
      threads.push({ path: base, title, teaser: "" });
      const parts = n % 4 === 0 ? 2 : 1;
      for (let part = 0; part < parts; part++)
        pages.set(part === 0 ? base : `${base}&start=${part * 15}`, () => {
          const posts = Array.from({ length: 5 }, (_, i) => {
            const who = (t + i * 7 + part) % names.length;
            return `<p><a href="/forum/member/${who + 1}">${names[who]}</a>: ${prose(words, from(`reply ${t} ${part} ${i}`), board + 40, 4)}</p>`;
          });
          const more = parts > 1 ? link({ path: `${base}&start=15`, title: "more replies" }) : "";
          return page(title, `<h1>${title}</h1>${posts.join("")}${more}`);
        });
    }
    paged(
      pages,
      `Board ${board}`,
      threads,
      20,
      (n) => `/forum/viewforum.php?f=${board}${n === 1 ? "" : `&start=${(n - 1) * 20}`}`,
    );
  }
  const boards = Array.from({ length: 6 }, (_, i) => ({
    path: `/forum/viewforum.php?f=${i + 1}`,
    title: `Board ${i + 1}`,
    teaser: "",
  }));
  const members = names.map((title, n) => ({ path: `/forum/member/${n + 1}`, title, teaser: "" }));
  pages.set("/forum/", () => page("Forum", `<h1>Boards</h1>${list(boards)}<h2>Members</h2>${list(members)}`));
  section({ path: "/forum/", title: "Forum", teaser: "what you say" });
}

/** Pages that differ in a picture alone, which has a number for a name. */
function album(pages: Pages, section: Section): void {
  const count = 120;
  const of = (n: number): string => `/album/IMG_${String(n).padStart(4, "0")}.html`;
  for (let n = 1; n <= count; n++)
    pages.set(of(n), () =>
      page(
        "Album",
        `<img src="/img/${n}.jpg"> <a href="${of(Math.max(n - 1, 1))}">back</a> <a href="${of(Math.min(n + 1, count))}">on</a>`,
      ),
    );
  const items = Array.from({ length: count }, (_, i) => ({ path: of(i + 1), title: `Picture ${i + 1}`, teaser: "" }));
  pages.set("/album/", () => page("Album", `<h1>Pictures</h1>${list(items)}`));
  section({ path: "/album/", title: "Album", teaser: "what we saw" });
}

/** Articles, one in eight a stub; the histories of some. `count` pages in all. */
function wiki(pages: Pages, words: Vocabulary, from: From, section: Section, count: number): void {
  const histories = 40;
  const all: Item[] = [];
  for (let n = 0; n < count - histories - 1; n++) {
    const r = from(`article ${n}`);
    const title = capital(`${words.any(r)} ${words.about(n, r)} ${n % 5 === 0 ? n : words.any(r)}`);
    all.push({ path: `/wiki/${title.replaceAll(" ", "_")}_${n}`, title, teaser: "" });
  }
  for (const [n, article] of all.entries()) {
    const others = [3, 17, 101].map((step) => all[(n + step) % all.length]!);
    const history = n < histories ? `<a href="/w/index.php?title=A${n}&amp;action=history">History</a>` : "";
    pages.set(article.path, () => {
      const r = from(`text ${n}`);
      const text = n % 8 === 0 ? `${article.title} is a ${words.any(r)}.` : prose(words, r, n, 18);
      return page(article.title, `<h1>${article.title}</h1><p>${text}</p>See ${list(others)}${history}`);
    });
    if (n < histories)
      pages.set(`/w/index.php?title=A${n}&action=history`, () =>
        page(`History of ${article.title}`, `<h1>Changes</h1><p>${prose(words, from(`history ${n}`), n, 8)}</p>`),
      );
  }
  pages.set("/wiki/", () => page("Wiki", `<h1>All articles</h1>${list(all)}`));
  section({ path: "/wiki/", title: "Wiki", teaser: "what we know" });
}
