/** The cookies of a crawl. The control thread holds them all, so that a session outlives the thread that began it. */
import type { LeasedUrl } from "../model/lease.ts";
import type { Href } from "../model/url.ts";

type Asker = Pick<LeasedUrl, "id">;

export interface Cookies {
  /** What the field `Cookie` says when `url` is visited by a request for `href`; null: there is no such field. */
  header(url: Asker, href: Href): string | null;
  /**
   * Takes the `Set-Cookie` fields of the answer for `href`. `followed`: it was a redirect to its own key, and the same
   * URL is asked for next.
   */
  keep(url: Asker, href: Href, fields: readonly string[], followed: boolean): void;
}
