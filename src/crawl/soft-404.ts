/**
 * Hosts that answer 200 for pages they do not have. A host of many alike pages is asked once, in its usual turn, for one
 * that cannot exist; if it answers 200, pages like that answer end as `soft-404` from then on. In memory alone: after a
 * restart a host must look suspicious anew.
 */
import { distance, NEAR, parseSimhash } from "../dedup/simhash.ts";
import type { HostKey } from "../model/host.ts";
import type { LeasedUrl } from "../model/lease.ts";
import type { Href } from "../model/url.ts";
import type { Visited } from "../model/visited.ts";

/** So many useless pages, and half of all since the first, make a host suspicious. */
const SUSPICIOUS = 5;
const MOST_HOSTS = 20_000;

/** What is known of a page's text: one of the two, or nothing. */
interface Look {
  readonly simhash: string | null;
  readonly gist: string | null;
}

interface HostNotes {
  pages: number;
  alike: number;
  /** Where the last of them was, with the slash at its end. */
  directory: string;
  /** "asked": also once the host has answered as it should. */
  probe: "not yet" | "asked" | Look;
}

export class SoftNotFound {
  readonly #hosts = new Map<HostKey, HostNotes>();
  readonly #random: () => number;
  readonly #enabled: boolean;

  constructor(random: () => number, enabled: boolean) {
    this.#random = random;
    this.#enabled = enabled;
  }

  /** A page was fetched; `alike`: it is much like another of its host, or empty. */
  learn({ host, href }: LeasedUrl, alike: boolean): void {
    let notes = this.#hosts.get(host);
    if (notes === undefined) {
      if (!alike) return;
      notes = { pages: 0, alike: 0, directory: "", probe: "not yet" };
      this.#hosts.set(host, notes);
      if (this.#hosts.size > MOST_HOSTS) this.#hosts.delete(this.#hosts.keys().next().value!);
    }
    notes.pages++;
    if (!alike) return;
    notes.alike++;
    const path = href.split("?", 1)[0]!;
    notes.directory = path.slice(0, path.lastIndexOf("/") + 1);
  }

  /** A URL that cannot exist, beside the alike pages, when it is time to ask the host for one; it is given once. */
  probe(host: HostKey): Href | null {
    const notes = this.#enabled ? this.#hosts.get(host) : undefined;
    if (notes === undefined || notes.probe !== "not yet") return null;
    if (notes.alike < SUSPICIOUS || notes.alike * 2 < notes.pages) return null;
    notes.probe = "asked";
    return `${notes.directory}no-such-page-${Math.floor(this.#random() * 2 ** 48).toString(36)}` as Href;
  }

  /** What the host answered to the probe. */
  answered({ lease, outcome, page, gist }: Visited): void {
    const notes = this.#hosts.get(lease.url.host);
    if (notes === undefined || outcome.kind !== "answer" || outcome.status !== 200 || page === null) return;
    if (page.simhash !== null || gist !== undefined) notes.probe = { simhash: page.simhash, gist: gist ?? null };
  }

  /** Whether a page is what the host says of pages that it does not have. Roots are what they are. */
  isOne({ lease, page, gist, outcome }: Visited): boolean {
    const notes = this.#hosts.get(lease.url.host);
    if (notes === undefined || typeof notes.probe === "string" || page === null) return false;
    if (outcome.kind !== "answer" || outcome.status !== 200 || lease.url.href === `${lease.url.host}/`) return false;
    if (page.simhash === null) return gist !== undefined && gist === notes.probe.gist;
    if (notes.probe.simhash === null) return false;
    return distance(parseSimhash(page.simhash), parseSimhash(notes.probe.simhash)) <= NEAR;
  }
}
