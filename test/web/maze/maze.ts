/** The honest site and the traps as one web: what a host answers for a path, and what a crawl of it has seen. */
import { HONEST_HOST, honestSite, MENU_MARK } from "./honest.ts";
import { ENTRANCES, MIRRORED_PATHS, PORT, TRAPS_BESIDE, trapHost } from "./traps.ts";

export { HONEST_HOST, HONEST_PAGES } from "./honest.ts";

export interface Maze {
  /** HTML, or null for what does not exist. `port` as it stands in URLs: "" or ":8080". */
  serve(host: string, path: string): string | null;
  /** The paths of the honest site. */
  readonly honest: ReadonlySet<string>;
}

export function maze({ port = "", seed = 1, entrances = ENTRANCES } = {}): Maze {
  const pages = honestSite(seed);
  const filled = (text: string): string => text.replaceAll(PORT, port);
  const menu = entrances.map((href) => `<a href="${href}">elsewhere</a>`).join(" ");
  return {
    honest: new Set(pages.keys()),
    serve(host, path) {
      if (host !== HONEST_HOST) {
        const html = trapHost(host, path);
        return html === null ? null : filled(html);
      }
      const honest = pages.get(path);
      if (honest !== undefined) return filled(honest().replace(MENU_MARK, menu));
      const beside = Object.keys(TRAPS_BESIDE).find((prefix) => path.startsWith(prefix));
      return beside === undefined ? null : filled(TRAPS_BESIDE[beside]!(path));
    },
  };
}

/** Names that the web answers for. */
export const isMazeHost = (host: string): boolean =>
  host === HONEST_HOST || host === "soft.test" || /^(?:m[1-8]\.mirror|f\d+\.farm)\.test$/.test(host);

export interface Visits {
  /** Honest pages that were never asked for. */
  readonly missed: readonly string[];
  /** Contents of the mirrored site that no mirror was asked for. */
  readonly missedMirrored: readonly string[];
  readonly requests: number;
  /** Requests for anything else, robots.txt of trap hosts included. */
  readonly wasted: number;
  /** These, by trap. */
  readonly byTrap: ReadonlyMap<string, number>;
}

/** What a crawl spent its requests on. `asked`: hosts and paths, in order. */
export function visitsOf(asked: Iterable<{ readonly host: string; readonly path: string }>, { honest }: Maze): Visits {
  const left = new Set(honest);
  const mirrored = new Set(MIRRORED_PATHS);
  const byTrap = new Map<string, number>();
  let requests = 0;
  let wasted = 0;
  for (const { host, path } of asked) {
    requests++;
    if (host === HONEST_HOST && (left.delete(path) || honest.has(path) || path === "/robots.txt")) continue;
    if (host.endsWith(".mirror.test") && mirrored.delete(path)) continue;
    wasted++;
    const trap = host === HONEST_HOST ? `/${path.split(/[/?]/)[1]}` : host.replace(/^[mf]\d+/, "*");
    byTrap.set(trap, (byTrap.get(trap) ?? 0) + 1);
  }
  return { missed: [...left], missedMirrored: [...mirrored], requests, wasted, byTrap };
}
