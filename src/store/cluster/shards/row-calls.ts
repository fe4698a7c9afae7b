/** Rows that are asked for one by one in one turn of the event loop travel together: one call a shard, not one a row. */

/** A longer script keeps all others waiting too long. */
const AT_ONCE = 500;

interface Asked<R> {
  readonly locals: number[];
  /** By id in the shard. */
  readonly rows: Promise<ReadonlyMap<number, R>>;
}

export class RowCalls<R> {
  readonly #ask: (shard: number, locals: readonly number[]) => Promise<ReadonlyMap<number, R>>;
  readonly #asked = new Map<number, Asked<R>>();

  /** `ask`: the rows of those ids that there are, by id. */
  constructor(ask: (shard: number, locals: readonly number[]) => Promise<ReadonlyMap<number, R>>) {
    this.#ask = ask;
  }

  async row(shard: number, local: number): Promise<R | null> {
    let asked = this.#asked.get(shard);
    if (asked === undefined || asked.locals.length >= AT_ONCE) {
      asked = this.#begin(shard);
      this.#asked.set(shard, asked);
    }
    asked.locals.push(local);
    return (await asked.rows).get(local) ?? null;
  }

  #begin(shard: number): Asked<R> {
    const locals: number[] = [];
    const rows = (async () => {
      // When all that is ready to go on has gone on, and asked.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      if (this.#asked.get(shard)?.locals === locals) this.#asked.delete(shard);
      return this.#ask(shard, locals);
    })();
    return { locals, rows };
  }
}
