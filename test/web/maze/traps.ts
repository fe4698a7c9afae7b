/** A gallery of traps without end, on the honest site's own host and on hosts of their own. */
import { random } from "../random.ts";
import { vocabulary } from "../words.ts";
import { HONEST_HOST, page } from "./honest.ts";

const words = vocabulary(7);
const MONTHS = "January February March April May June July August September October November December".split(" ");
const FACETS = ["marke", "farbe", "groesse", "material", "preis", "form", "sort"];
const VALUES = ["a", "b", "c", "d", "e"];
const MIRRORS = 8;
const MIRRORED = 40;
const two = (n: number): string => String(n).padStart(2, "0");
const anchor = (path: string, text = "here"): string => `<a href="${path.replaceAll("&", "&amp;")}">${text}</a>`;
const written = new Map<string, string>();
const prose = (what: string, sentences: number): string => {
  const known = written.get(`${sentences} ${what}`);
  if (known !== undefined) return known;
  const from = random(7, what);
  const text = Array.from({ length: sentences }, () => words.sentence(3, from)).join(" ");
  written.set(`${sentences} ${what}`, text);
  return text;
};
/** What servers hand out anew with each page. */
const token = (seed: string): string => {
  const from = random(7, seed);
  return Array.from({ length: 4 }, () => from.word().toString(16).padStart(8, "0")).join("");
};

type Trap = (path: string) => string;

/** By the beginning of the path, on the honest site's host. */
export const TRAPS_BESIDE: Readonly<Record<string, Trap>> = {
  "/calendar/": (path) => {
    const [, year = "2026", month = "11", day] = /\/(\d{4})\/(\d{1,2})(?:\/(\d{1,2}))?/.exec(path) ?? [];
    const at = (offset: number): string => {
      const months = Number(year) * 12 + Number(month) - 1 + offset;
      return `/calendar/${Math.trunc(months / 12)}/${two((months % 12) + 1)}/`;
    };
    const days = Array.from({ length: 28 }, (_, i) => anchor(`${at(0)}${two(i + 1)}`, String(i + 1)));
    const title = `${day ?? ""} ${MONTHS[Number(month) - 1]} ${year}`;
    return page(
      title,
      `<h1>${title}</h1><p>There is nothing on. Come back another time, or tell us of an event that you would like to see here.</p>${day === undefined ? days.join(" ") : ""}${anchor(at(-1), "before")} ${anchor(at(1), "next")} ${anchor(at(12), "next year")} ${anchor(at(-12), "last year")}`,
    );
  },
  "/diary/": (path) => {
    // Without a word that gives it away: only its pages do.
    const at = Number(/week-(\d+)/.exec(path)?.[1] ?? 0);
    const near = [at - 1, at + 1, at + 4, at + 52].filter((week) => week > 0);
    return page(
      "Diary",
      `<h1>Week ${at}</h1><p>No entries for this week yet.</p>${near.map((week) => anchor(`/diary/week-${week}`)).join(" ")}`,
    );
  },
  "/maze/": (path) =>
    page(
      "A maze",
      `<p>${prose("maze", 6)}</p>${["left/", "right/", "left/right/"].map((to) => anchor(`${path.replace(/[^/]*$/, "")}${to}`)).join(" ")}`,
    ),
  "/s/": (path) => {
    const nth = Number(/item-(\d+)/.exec(path)?.[1] ?? 0);
    const links = Array.from({ length: 20 }, (_, i) => anchor(`/s/${token(`${path} ${i}`)}/item-${i}.html`));
    return page(`Item ${nth}`, `<h1>Item ${nth}</h1><p>${prose(`item ${nth}`, 8)}</p>${links.join(" ")}`);
  },
  "/visit": (path) => {
    const nth = Number(/id=(\d+)/.exec(path)?.[1] ?? 0);
    const links = Array.from({ length: 20 }, (_, i) => anchor(`/visit?id=${i}&visitor=${token(`${path} ${i}`)}`));
    return page(`Visit ${nth}`, `<h1>Visit ${nth}</h1><p>${prose(`visit ${nth}`, 8)}</p>${links.join(" ")}`);
  },
  "/finder": (path) => {
    const chosen = new URLSearchParams(path.split("?")[1] ?? "");
    const found = Array.from({ length: 40 }, (_, i) => i).filter((i) =>
      FACETS.every(
        (facet, f) =>
          facet === "sort" || !chosen.has(facet) || VALUES.indexOf(chosen.get(facet)!) === (i * (f + 2) + f) % 5,
      ),
    );
    const goods = found.map((i) => `<li>${prose(`goods ${i}`, 2)}`).join("");
    const links = FACETS.flatMap((facet) =>
      VALUES.map((value) => {
        const next = new URLSearchParams(chosen);
        next.set(facet, value);
        return anchor(`/finder?${next}`, value);
      }),
    );
    return page(
      "Finder",
      `<h1>Finder</h1><p>${found.length === 0 ? "Nothing fits. Take a filter away." : `<ul>${goods}</ul>`}</p>${links.join(" ")}`,
    );
  },
  "/go": (path) =>
    page(
      "Go",
      `<p>${prose("go", 5)}</p>${anchor(`/go?to=${encodeURIComponent(path)}`)} ${anchor(`/go?back=${encodeURIComponent(path)}`)}`,
    ),
  "/list": (path) => {
    const at = Number(/page=(\d+)/.exec(path)?.[1] ?? 1);
    const entries = Array.from({ length: 10 }, (_, i) => `<li>${prose(`entry ${Math.min(at, 6)} ${i}`, 2)}`);
    return page(
      `Page ${at}`,
      `<h1>Page ${at}</h1><ul>${entries.join("")}</ul>${[at + 1, at + 2, at + 3, at * 2].map((n) => anchor(`/list?page=${n}`, String(n))).join(" ")}`,
    );
  },
  "/pile": (path) =>
    page(
      "Pile",
      `<p>${prose("pile", 5)}</p>${["sort=up", "sort=down", "view=list", `f${path.length}=on`].map((one) => anchor(`${path}${path.includes("?") ? "&" : "?"}${one}`)).join(" ")}`,
    ),
};

/** Hosts that are nothing else; null for a name that is none of them. */
export function trapHost(host: string, path: string): string | null {
  if (host === "soft.test") return softNotFound(path);
  if (/^m[1-9]\.mirror\.test$/.test(host) && Number(host[1]) <= MIRRORS) return mirrored(path);
  return /^f\d{1,9}\.farm\.test$/.test(host) ? farm(host, path) : null;
}

/** 200 and the same friendly page for every name, with links to more names. */
function softNotFound(path: string): string {
  if (path === "/") return page("Soft", `<h1>Soft</h1><p>${prose("soft", 10)}</p>${anchor("/lost/start")}`);
  const from = random(7, path);
  const links = Array.from({ length: 4 }, () =>
    anchor(`/lost/${words.any(from)}-${words.any(from)}/${words.any(from)}`),
  );
  return page(
    "Oh!",
    `<p>${prose("sorry", 6)} We could not find that page. Maybe one of these is what you want?</p>${links.join(" ")}`,
  );
}

/** One small site, the same on all its hosts. */
function mirrored(path: string): string {
  const nth = path === "/" ? 0 : Number(/^\/article-([a-z]+)$/.exec(path)?.[1]?.length ?? 0);
  const name = (n: number): string => `/article-${"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz".slice(0, n)}`;
  const links = Array.from({ length: MIRRORED - 1 }, (_, i) => anchor(name(i + 1), `article ${i + 1}`));
  return page(`Mirrored ${nth}`, `<h1>Mirrored ${nth}</h1><p>${prose(`mirrored ${nth}`, 10)}</p>${links.join(" ")}`);
}

/** Each host has a few pages of one template and leads to three hosts more. */
function farm(host: string, path: string): string {
  const nth = Number(/\d+/.exec(host)![0]);
  const hosts = [1, 2, 3].map((i) => anchor(`http://f${nth * 3 + i}.farm.test${PORT}/`, "partner"));
  const own = [1, 2, 3, 4].map((i) => anchor(`/offer-${i}.html`, "offer"));
  return page(
    "Best offers",
    `<h1>Best offers ${nth} ${path}</h1><p>${prose("farm", 14)}</p>${own.join(" ")}${hosts.join(" ")}`,
  );
}

/** Where the port of the web belongs, if it has one. */
export const PORT = "{port}";

/** What the honest site's front page links to beside its own. */
export const ENTRANCES: readonly string[] = [
  ...Object.keys(TRAPS_BESIDE).map((path) => `http://${HONEST_HOST}${PORT}${path}`),
  `http://soft.test${PORT}/`,
  ...Array.from({ length: MIRRORS }, (_, i) => `http://m${i + 1}.mirror.test${PORT}/`),
  `http://f1.farm.test${PORT}/`,
];

/** The distinct pages of the mirrored site, as their paths. */
export const MIRRORED_PATHS: readonly string[] = [
  "/",
  ...Array.from(
    { length: MIRRORED - 1 },
    (_, i) => `/article-${"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz".slice(0, i + 1)}`,
  ),
];
