/** What a document that is read says of when its links change, packed for the control thread: of those of its own domain. */
import type { Instant } from "../base/clock.ts";
import { type HostKey, hostnameOf } from "../model/host.ts";
import type { NewUrl, RawLink } from "../model/link.ts";
import { type Listed, type ListedWords, listedWords } from "../model/listed.ts";
import { believable } from "../policy/hints.ts";
import { changeFrequencyOf, lastmodOf } from "../policy/listed-time.ts";
import { registrableDomain } from "../policy/url-key.ts";

export class Said {
  /** Whose document it is. */
  readonly #host: HostKey;
  /** Its domain, once it is asked for: most documents say nothing. */
  #domain: string | null = null;
  readonly #entries: (Listed & Pick<NewUrl, "fpHi" | "fpLo">)[] = [];

  constructor(host: HostKey) {
    this.#host = host;
  }

  /** `url`: what the link became. Nothing is kept of one that is left out; nobody else knows when a page changed. */
  note({ host, fpHi, fpLo, drop }: NewUrl, { lastmod, changefreq }: RawLink): void {
    if ((lastmod === undefined && changefreq === undefined) || drop !== undefined) return;
    if (host !== this.#host && !this.#isOfDomain(host)) return;
    this.#entries.push({
      fpHi,
      fpLo,
      lastmod: lastmod === undefined ? null : lastmodOf(lastmod),
      changefreq: changefreq === undefined ? null : changeFrequencyOf(changefreq),
    });
  }

  #isOfDomain(host: HostKey): boolean {
    this.#domain ??= registrableDomain(hostnameOf(this.#host));
    return registrableDomain(hostnameOf(host)) === this.#domain;
  }

  /** Null when nothing was said that may be believed. `now`: when the document was read. */
  packed(now: Instant): ListedWords | null {
    const isBelievable = believable(
      this.#entries.flatMap(({ lastmod }) => lastmod ?? []),
      now,
    );
    const words: number[] = [];
    for (const { fpHi, fpLo, lastmod, changefreq } of this.#entries) {
      const date = lastmod !== null && isBelievable(lastmod) ? lastmod : null;
      if (date !== null || changefreq !== null) words.push(fpHi, fpLo, ...listedWords({ lastmod: date, changefreq }));
    }
    return words.length === 0 ? null : Uint32Array.from(words);
  }
}
