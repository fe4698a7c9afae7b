/** A thousand URL paths as sites really have them, half of them honest and half of traps, made by rules from a seed. */
import { type Random, random } from "../web/random.ts";

export interface Shape {
  readonly kind: string;
  readonly path: string;
}

type Kinds = Readonly<Record<string, (from: Random, nth: number) => string>>;

const WORDS =
  "alpine anchor archive autumn bakery basic bridge camera canvas castle cedar city coast coffee copper corner cotton daily design dinner early engine family field garden glass global green guide harbour heavy history indoor island kitchen large leather light linen local manual market meadow metal modern morning music native north ocean paper pocket power quick river rustic salmon school silver simple small spring steel stone studio summer travel urban velvet village water window winter wood".split(
    " ",
  );
const COLOURS = ["red", "blue", "green", "black", "off-white"];
const LANGUAGES = ["en", "de", "fr", "pt-br", "zh-hant"];

const word = (from: Random): string => from.pick(WORDS);
const slug = (from: Random, words = from.int(2, 7)): string =>
  Array.from({ length: words }, () => word(from)).join("-");
const title = (from: Random): string =>
  Array.from({ length: from.int(1, 3) }, () => word(from).replace(/^./, (c) => c.toUpperCase())).join("_");
const two = (n: number): string => String(n).padStart(2, "0");
const hex = (from: Random, length: number): string =>
  Array.from({ length }, () => from.int(0, 15).toString(16)).join("");
const date = (from: Random): [string, string, string] => [
  String(from.int(1996, 2026)),
  two(from.int(1, 12)),
  two(from.int(1, 28)),
];

/** By kind of site. */
export const HONEST_KINDS: Kinds = {
  "blog article by date": (from) => `/${date(from).join("/")}/${slug(from)}/`,
  "blog month": (from) => `/${date(from).slice(0, 2).join("/")}/`,
  "blog tag": (from) => `/tag/${word(from)}/page/${from.int(1, 60)}/`,
  "blog post by id": (from) => `/?p=${from.int(1, 400_000)}`,
  "blog search echo": (from) => `/?s=${word(from)}+${word(from)}&paged=${from.int(1, 9)}`,
  "wiki article": (from) => `/wiki/${title(from)}`,
  "wiki namespace": (from) => `/wiki/Category:${title(from)}_(${word(from)})`,
  "wiki script": (from) => `/w/index.php?title=${title(from)}&oldid=${from.int(1, 90_000_000)}&diff=prev`,
  "wiki history": (from) => `/w/index.php?title=${title(from)}&action=history&limit=500&offset=20190504112233`,
  "shop product": (from) => `/p/${slug(from)}-${from.int(1, 9_999_999)}.html`,
  "shop item by digits": (from) => `/item/${from.int(10_000_000, 99_999_999)}`,
  "shop part number": (from) => `/parts/${from.int(1000, 9999)}-${two(from.int(1, 12))}`,
  "shop category": (from) => `/c/${word(from)}/${word(from)}/${word(from)}?page=${from.int(1, 80)}`,
  "shop one filter": (from) => `/shop/${word(from)}?color=${from.pick(COLOURS)}`,
  "shop filters": (from) =>
    `/shop/${word(from)}?brand=${word(from)}&color=${from.pick(COLOURS)}&price=10-${from.int(20, 900)}&sort=price_asc&page=${from.int(1, 9)}`,
  "shop several values": (from) =>
    `/shop/${word(from)}?${COLOURS.map((colour) => `color=${colour}`).join("&")}&size=${from.int(36, 46)}`,
  "shop form": (from) => `/find?q=${word(from)}&brand=&color=&size=&min_price=&max_price=&sort=&order=&page=1`,
  "shop filter segments": (from) => `/${word(from)}/color-${from.pick(COLOURS)}/size-${from.int(36, 46)}/`,
  "news by section": (from) => `/${word(from)}/${date(from)[0]}/${from.pick(["jan", "feb", "nov"])}/02/${slug(from)}`,
  "news by id": (from) => `/news/${word(from)}-${from.int(10_000_000, 80_000_000)}`,
  "news, dashed date": (from) => `/story/${date(from).join("-")}/${slug(from)}`,
  "newspaper archive": (from) =>
    `/paper/${from.int(1789, 1963)}/${two(from.int(1, 12))}/${two(from.int(1, 28))}/page/${from.int(1, 24)}`,
  "forum thread": (from) =>
    `/viewtopic.php?f=${from.int(1, 90)}&t=${from.int(1, 999_999)}&start=${from.int(0, 400) * 15}`,
  "forum post": (from) => `/threads/${slug(from)}.${from.int(1, 999_999)}/page-${from.int(1, 300)}`,
  "forum page by digits": (from) => `/thread/${from.int(1000, 9999)}/${from.int(1, 12)}/`,
  "forum member": (from) => `/members/${word(from)}.${from.int(1, 99_999)}/`,
  "docs page": (from) => `/docs/${from.int(1, 20)}.${from.int(0, 9)}/${word(from)}/${word(from)}.html`,
  "docs of packages": (from) => `/api/org/${word(from)}/${word(from)}/${word(from)}/package-summary.html`,
  "docs, same names": (from) => {
    const name = word(from);
    return `/src/${name}/${name}/${name}/__init__.py`;
  },
  "docs in a language": (from) => `/${from.pick(LANGUAGES)}/latest/${word(from)}/${word(from)}/`,
  "docs release": (from) => `/release/${word(from)}-20${from.int(10, 26)}.${two(from.int(1, 12))}.tar.gz`,
  "cms script": (from) =>
    `/index.php?option=com_content&view=article&id=${from.int(1, 9999)}&catid=${from.int(1, 99)}&Itemid=${from.int(1, 999)}&lang=en`,
  "one session id": (from) => `/${word(from)};jsessionid=${hex(from, 32).toUpperCase()}?id=${from.int(1, 999)}`,
  "code by hash": (from) => `/repo/commit/${hex(from, 40)}/${word(from)}/${word(from)}.c`,
  "record by uuid": (from) =>
    `/record/${hex(from, 8)}-${hex(from, 4)}-4${hex(from, 3)}-a${hex(from, 3)}-${hex(from, 12)}`,
  "map tile": (from) => `/tiles/${from.int(0, 18)}/${from.int(0, 1)}/${from.int(0, 1)}/${from.int(0, 1)}.png`,
  "return address": (from) => `/login?next=https%3A%2F%2Fa.test%2F${word(from)}%253Fid%253D${from.int(1, 99)}`,
  "event by id": (from) => `/events/${from.int(1000, 9999)}/${slug(from)}`,
  "event of a month": (from) => `/events/${from.int(1998, 2027)}/${two(from.int(1, 12))}/`,
  "calendar, event by id": (from) => `/calendar/${from.int(2500, 9999)}/${from.int(1, 12)}-${slug(from)}`,
  "page by id": (from) => `/index.php?page=${from.int(1, 9_000_000)}`,
  "page by id and name": (from) => `/page/${from.int(1, 999_999)}/${slug(from)}/`,
  "place in a genome": (from) => `/browse?chr=${from.int(1, 22)}&start=${from.int(1, 240_000_000)}`,
  "shop filters, all that is set by itself": (from) =>
    `/shop/${word(from)}?brand=${word(from)}&color=${from.pick(COLOURS)}&size=${from.int(36, 46)}&sort=price&order=asc&limit=24&page=${from.int(1, 9)}`,
  "calendar month": (from) => `/calendar/${from.int(2001, 2028)}/${from.int(1, 12)}`,
  "dates of a stay": (from) =>
    `/rooms/${from.int(1, 99_999)}?checkin=2027-0${from.int(1, 9)}-01&checkout=2027-10-01&adults=2`,
  "plan for a year": (from) => `/${word(from)}-vision-20${from.int(30, 99)}/`,
};

/** Of traps that a URL alone gives away. */
export const TRAP_KINDS: Kinds = {
  "path that repeats": (from) => `/${`${word(from)}/${word(from)}/`.repeat(from.int(3, 6))}`,
  "segment that repeats": (from) => `/${word(from)}${`/${word(from)}`.repeat(from.int(4, 8))}/index.html`,
  "host in the path": (from) => `/${word(from)}/a.test/${word(from)}/a.test/${word(from)}`,
  "growing escapes": (from) => `/go?to=%${"25".repeat(from.int(2, 9))}2F${word(from)}`,
  "growing entities": (from) => `/list?id=1&${"amp;".repeat(from.int(2, 9))}page=2`,
  "parameters that pile up": (from) => `/list?view=grid${"&sort=up&sort=down".repeat(from.int(2, 5))}`,
  "one parameter again": (from) => `/list?x=1${`&lang=${from.pick(LANGUAGES)}`.repeat(from.int(4, 9))}`,
  facets: (from) =>
    `/shop?${["color", "size", "brand", "material", "price", "rating", "style"].map((name) => `${name}=${word(from)}`).join("&")}`,
  "numbered filters": (from) => `/shop?${Array.from({ length: from.int(6, 9) }, (_, i) => `filter${i}=on`).join("&")}`,
  "calendar months": (from) => `/calendar/${from.int(2029, 2399)}/${two(from.int(1, 12))}/`,
  "calendar days": (from) => `/events/${from.int(2029, 2399)}-${two(from.int(1, 12))}-${two(from.int(1, 28))}`,
  "calendar without a name": (from) => `/${word(from)}/${from.int(2037, 2399)}/0${from.int(1, 9)}/`,
  "calendar by parameters": (from) => `/view?month=${from.int(1, 12)}&year=${from.int(2029, 7749)}`,
  "session upon session": (from) => `/a;jsessionid=${hex(from, 32)}/b;jsessionid=${hex(from, 32)}`,
};

function shapes(kinds: Kinds, count: number, seed: number): Shape[] {
  const names = Object.keys(kinds);
  return Array.from({ length: count }, (_, nth) => {
    const kind = names[nth % names.length]!;
    return { kind, path: kinds[kind]!(random(seed, `${kind} ${nth}`), nth) };
  });
}

/** 500 honest ones, by turns of their kinds. */
export const honestShapes = (seed = 1): Shape[] => shapes(HONEST_KINDS, 500, seed);

/** 500 of traps. */
export const trapShapes = (seed = 1): Shape[] => shapes(TRAP_KINDS, 500, seed);
