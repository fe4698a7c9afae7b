/** The cookies of a crawl. The control thread holds them all, so that a session outlives the thread that began it. */
import type { LeasedUrl } from "../model/lease.ts";
import type { Href } from "../model/url.ts";

export type Asker = Pick<LeasedUrl, "id" | "via" | "source">;

/** What became of a URL with an answer: another URL, or another form of it, is asked for in its place; it has ended; it is tried again. */
export type AfterAnswer = "redirected" | "ended" | "retried";

export interface Cookies {
  /** What the field `Cookie` says when `url` is visited by a request for `href`; null: there is no such field. */
  header(url: Asker, href: Href): string | null;
  /** Takes the `Set-Cookie` fields of the answer for `href`. */
  keep(url: Asker, href: Href, fields: readonly string[], then: AfterAnswer): void;
}
