/** What URLs are called, by id: asked again and again for the few pages whose links are being visited. */
import type { Href } from "../model/url.ts";
import type { StateQueries } from "../ports/frontier.ts";

const KEPT = 1_000;

/** `of(0)`, and of what is not known, is null. */
export class Hrefs {
  readonly #urls: Pick<StateQueries, "byId">;
  readonly #known = new Map<number, Href | null>();

  constructor(urls: Pick<StateQueries, "byId">) {
    this.#urls = urls;
  }

  async of(id: number): Promise<Href | null> {
    if (id === 0) return null;
    let href = this.#known.get(id);
    if (href === undefined) {
      href = (await this.#urls.byId(id))?.href ?? null;
      if (this.#known.size >= KEPT) this.#known.clear();
      this.#known.set(id, href);
    }
    return href;
  }
}
