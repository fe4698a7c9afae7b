/** What a document that is read says of when its links change, packed for the control thread. */
import type { Instant } from "../base/clock.ts";
import type { NewUrl, RawLink } from "../model/link.ts";
import { type Listed, type ListedWords, listedWords } from "../model/listed.ts";
import { believable } from "../policy/hints.ts";
import { changeFrequencyOf, lastmodOf } from "../policy/listed-time.ts";

export class Said {
  readonly #entries: (Listed & Pick<NewUrl, "fpHi" | "fpLo">)[] = [];

  /** `url`: what the link became. Nothing is kept of one that is left out. */
  note({ fpHi, fpLo, drop }: NewUrl, { lastmod, changefreq }: RawLink): void {
    if ((lastmod === undefined && changefreq === undefined) || drop !== undefined) return;
    this.#entries.push({
      fpHi,
      fpLo,
      lastmod: lastmod === undefined ? null : lastmodOf(lastmod),
      changefreq: changefreq === undefined ? null : changeFrequencyOf(changefreq),
    });
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
