/** Ids by ids, of however many URLs: a map of its own holds no more than 2^24. */
const MAPS = 1_024;

export class Ids {
  readonly #maps: readonly Map<number, number>[] = Array.from({ length: MAPS }, () => new Map());

  get(id: number): number | undefined {
    return this.#maps[slotOf(id)]!.get(id);
  }

  set(id: number, to: number): void {
    this.#maps[slotOf(id)]!.set(id, to);
  }
}

/** Ids of a crawl in shards grow by the number of shards. */
const slotOf = (id: number): number => (id ^ Math.floor(id / MAPS)) & (MAPS - 1);
