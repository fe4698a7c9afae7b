/** Cookies by RFC 6265, a jar for each registrable domain; and the few that a redirect to itself needs when there are none. */
import { Cookie, CookieJar, canonicalDomain, getPublicSuffix, MemoryCookieStore } from "tough-cookie";
import type { Clock } from "../base/clock.ts";
import type { Href } from "../model/url.ts";
import type { Cookies } from "../ports/cookies.ts";
import type { StoredCookie } from "./cookie-file.ts";

/** Domains whose cookies are kept, the least recently used forgotten first. */
const DOMAINS_MOST = 10_000;
/** Of one registrable domain: RFC 6265 section 6.1 asks for 50 of one domain. The oldest go first. */
const COOKIES_MOST = 50;
/** Name and value together; RFC 6265 section 6.1 asks for as many bytes. Longer cookies are not taken. */
const COOKIE_LONGEST = 4_096;
/** URLs on their way through a redirect to themselves. */
const CHAINS_MOST = 1_000;

/** All cookies, as a browser would keep them. */
export class SessionCookies implements Cookies {
  readonly #clock: Pick<Clock, "now">;
  readonly #jars = new Map<string, Jar>();
  /** Grows whenever a cookie is set: tells whether there is anything to save. */
  version = 0;

  constructor(clock: Pick<Clock, "now">, stored: readonly StoredCookie[]) {
    this.#clock = clock;
    for (const cookie of stored) this.#jar(cookie.domain).put(cookie);
  }

  header(_: unknown, href: Href): string | null {
    const key = registrable(hostnameOf(href));
    const jar = this.#jars.get(key);
    if (jar === undefined) return null;
    touch(this.#jars, key, jar, DOMAINS_MOST);
    return jar.header(href, this.#clock.now());
  }

  keep(_: unknown, href: Href, fields: readonly string[]): void {
    if (fields.length === 0) return;
    this.version++;
    this.#jar(hostnameOf(href)).keep(href, fields, this.#clock.now());
  }

  /** Those that have not expired, by domain. */
  all(): StoredCookie[] {
    const now = this.#clock.now();
    return [...this.#jars.values()].flatMap((jar) => jar.all(now));
  }

  #jar(hostname: string): Jar {
    const key = registrable(hostname);
    const jar = this.#jars.get(key) ?? new Jar();
    touch(this.#jars, key, jar, DOMAINS_MOST);
    return jar;
  }
}

/**
 * No cookies, but for one case: a redirect to its own key that sets some is asked again with them, else it would go in
 * circles (the "cookie wall"). They belong to that URL alone and are forgotten when it leads elsewhere.
 */
export function chainCookies(clock: Pick<Clock, "now">): Cookies {
  const chains = new Map<number, Jar>();
  return {
    header: ({ id }, href) => chains.get(id)?.header(href, clock.now()) ?? null,
    keep({ id }, href, fields, followed) {
      if (!followed) chains.delete(id);
      else if (fields.length > 0) {
        const jar = chains.get(id) ?? new Jar();
        jar.keep(href, fields, clock.now());
        touch(chains, id, jar, CHAINS_MOST);
      }
    },
  };
}

/** The cookies of one registrable domain. No cookie can be set for another one, nor for a public suffix. */
class Jar {
  readonly #store = new MemoryCookieStore();
  readonly #jar = new CookieJar(this.#store, { looseMode: true, prefixSecurity: "silent" });

  header(href: Href, now: number): string | null {
    // Expiry is looked at here: the library would take the time from the machine, not from the crawl's clock.
    const cookies = this.#jar
      .getCookiesSync(href, { expire: false, sort: true })
      .filter((cookie) => isFresh(cookie, now));
    return cookies.length === 0 ? null : cookies.map((cookie) => cookie.cookieString()).join("; ");
  }

  keep(href: Href, fields: readonly string[], now: number): void {
    for (const field of fields.slice(0, COOKIES_MOST)) {
      const cookie = Cookie.parse(field, { loose: true });
      if (cookie === undefined || cookie.key.length + cookie.value.length > COOKIE_LONGEST) continue;
      // Max-Age counts from now, whenever it is looked at later (RFC 6265 section 5.2.2).
      if (typeof cookie.maxAge === "number") cookie.expires = new Date(now + cookie.maxAge * 1_000);
      this.#jar.setCookieSync(cookie, href, { now: new Date(now), ignoreError: true });
    }
    this.#trim(now);
  }

  put({ name, value, domain, path, expires, secure, httpOnly, hostOnly }: StoredCookie): void {
    const cookie = new Cookie({
      key: name,
      value,
      domain,
      path,
      secure,
      httpOnly,
      hostOnly,
      pathIsDefault: false,
      ...(expires === null ? {} : { expires: new Date(expires * 1_000) }),
    });
    this.#store.putCookie(cookie, () => {});
  }

  all(now: number): StoredCookie[] {
    return this.#cookies()
      .filter((cookie) => isFresh(cookie, now))
      .map((cookie) => ({
        name: cookie.key,
        value: cookie.value,
        domain: cookie.domain ?? "",
        path: cookie.path ?? "/",
        expires: cookie.expires instanceof Date ? Math.round(cookie.expires.getTime() / 1_000) : null,
        secure: cookie.secure,
        httpOnly: cookie.httpOnly,
        hostOnly: cookie.hostOnly ?? true,
      }));
  }

  #cookies(): Cookie[] {
    let found: Cookie[] = [];
    this.#store.getAllCookies((_, cookies) => {
      found = cookies ?? [];
    });
    return found;
  }

  #trim(now: number): void {
    const cookies = this.#cookies(); // in the order of their making
    const stale = cookies.filter((cookie) => !isFresh(cookie, now));
    const fresh = cookies.length - stale.length;
    const excess = cookies.filter((cookie) => isFresh(cookie, now)).slice(0, Math.max(0, fresh - COOKIES_MOST));
    for (const { domain, path, key } of [...stale, ...excess]) this.#store.removeCookie(domain!, path!, key, () => {});
  }
}

function isFresh({ expires }: Cookie, now: number): boolean {
  return !(expires instanceof Date) || expires.getTime() > now;
}

function hostnameOf(href: Href): string {
  return new URL(href).hostname;
}

/** The part of a name that one registers (public suffix list, its private section included); an address is its own. */
function registrable(hostname: string): string {
  const name = canonicalDomain(hostname) ?? hostname;
  try {
    return getPublicSuffix(name, { ignoreError: true, allowSpecialUseDomain: true }) ?? name;
  } catch {
    return name; // a suffix by itself, or an address
  }
}

/** Makes the entry the most recently used of at most so many. */
function touch<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value!);
}
