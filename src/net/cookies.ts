/** Cookies by RFC 6265, a jar for each registrable domain; and the few that a chain of redirects needs when there are none. */
import { Cookie, CookieJar, canonicalDomain, getPublicSuffix, MemoryCookieStore } from "tough-cookie";
import type { Clock, Instant } from "../base/clock.ts";
import type { Href } from "../model/url.ts";
import type { Asker, Cookies } from "../ports/cookies.ts";
import type { StoredCookie } from "./cookie-file.ts";

/** Domains whose cookies are kept, the least recently used forgotten first. */
const DOMAINS_MOST = 10_000;
/** Of one registrable domain: RFC 6265 section 6.1 asks for 50 of one domain. The oldest go first. */
const COOKIES_MOST = 50;
/** Name and value together; RFC 6265 section 6.1 asks for as many bytes. Longer cookies are not taken. */
const COOKIE_LONGEST = 4_096;
/** Chains of redirects under way, and the characters of `Set-Cookie` that one may leave behind. */
const CHAINS_MOST = 4_096;
const CHAIN_LONGEST = 16_384;

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

/** An answer's `Set-Cookie` fields, and when they came. */
interface Said {
  readonly href: Href;
  readonly fields: readonly string[];
  readonly at: Instant;
}

/**
 * No cookies, but for one case: within a chain of redirects those go on that its answers have set. Many sites set one,
 * lead to a page of consent or back to the same page, and go in circles until it comes back. They belong to the chain
 * alone and are forgotten at its end. The fields are kept as they came: few of them are ever sent.
 */
export function chainCookies(clock: Pick<Clock, "now">): Cookies {
  const chains = new Map<number, readonly Said[]>();
  const found = ({ id, via, source }: Asker) => chains.get(id) ?? (source === "redirect" ? chains.get(via) : undefined);
  return {
    header(url, href) {
      const said = found(url);
      if (said === undefined) return null;
      const jar = new Jar();
      for (const { href, fields, at } of said) jar.keep(href, fields, at);
      return jar.header(href, clock.now());
    },
    keep(url, href, fields, then) {
      if (then === "retried") return;
      const before = found(url) ?? [];
      chains.delete(url.id);
      if (url.source === "redirect") chains.delete(url.via);
      if (then === "ended") return;
      const said = fields.length === 0 ? before : [...before, { href, fields, at: clock.now() }];
      if (said.length > 0 && lengthOf(said) <= CHAIN_LONGEST) touch(chains, url.id, said, CHAINS_MOST);
    },
  };
}

const lengthOf = (said: readonly Said[]): number =>
  said.reduce((sum, { fields }) => fields.reduce((length, field) => length + field.length, sum), 0);

/** The cookies of one registrable domain, or of one chain. No site can set one for another, nor for a public suffix. */
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
