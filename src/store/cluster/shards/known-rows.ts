/** The rows of URLs, asked for by id, by fingerprint, or all in order: in Redis, and in the object store where they are spilled. */
import type { EndReason } from "../../../model/end.ts";
import type { HostKey } from "../../../model/host.ts";
import type { UrlName } from "../../../model/link.ts";
import type { UrlRecord } from "../../../model/record.ts";
import type { Word } from "../redis/connection.ts";
import { type Pointer, pointerOf } from "../segments/entry.ts";
import { RowCalls } from "./row-calls.ts";
import { fingerprintOf, RowIndex } from "./row-index.ts";
import { endOf, type KeptUrl, urlOf } from "./rows.ts";
import { Grouped, type Shards } from "./shards.ts";
import type { Spill } from "./spill.ts";
import { ROWS } from "./standing.ts";

/** As tell.lua says it. */
type Told = readonly [
  local: number,
  state: UrlRecord["state"] | "gone" | "spilled" | "seen",
  host: HostKey,
  dueAt: string,
  visit: string,
  reason: string,
  level: number,
  tail: string,
  fpHi: number,
  fpLo: number,
];

/** A row as it stands, in Redis or in the object store. */
export interface Row {
  readonly url: KeptUrl;
  readonly fpHi: number;
  readonly fpLo: number;
  readonly state: UrlRecord["state"];
  readonly isDrop: boolean;
  readonly dueAt: number | null;
  /** Where its latest record stands; of a drop, behind which record it comes. */
  readonly visit: Pointer | null;
  readonly end: EndReason | null;
  readonly level: number;
}

/** So many rows are asked for at once when all are gone through. */
export const ROWS_AT_ONCE = 64 * ROWS;
/** The same when those of one shard are. */
const CHUNKS_AT_ONCE = 16;

export class KnownRows {
  readonly #shards: Shards;
  readonly #spill: Spill;
  readonly #index: RowIndex;
  readonly #calls = new RowCalls<Row>(async (shard, locals) => {
    const rows = await this.#told(shard, "ids", locals.map(String));
    return new Map(rows.flatMap((row) => (row === null ? [] : [[this.#shards.localOf(row.url.id).local, row]])));
  });

  constructor(shards: Shards, spill: Spill) {
    this.#shards = shards;
    this.#spill = spill;
    this.#index = new RowIndex(shards, spill);
  }

  /** The row of a URL, in the shard that it would be in. */
  async find(shard: number, url: Pick<UrlName, "fpHi" | "fpLo">): Promise<Row | null> {
    const [row] = await this.#told(shard, "seen", [fingerprintOf(url)]);
    return row ?? null;
  }

  named(urls: readonly UrlName[]): Promise<(Row | null)[]> {
    return this.#inShards(urls, "seen", (url) => [this.#shards.of(url.host), fingerprintOf(url)]);
  }

  /** Those of a shard, in the order of their ids, some at a time. */
  async *in(shard: number): AsyncIterable<Row[]> {
    for (let from = 0; ; from += CHUNKS_AT_ONCE) {
      const chunks = Array.from({ length: CHUNKS_AT_ONCE }, (_, nth) => String(from + nth));
      const rows = await this.#told(shard, "rows", chunks);
      if (rows.length === 0) return;
      yield rows.filter((row) => row !== null);
    }
  }

  row(id: number): Promise<Row | null> {
    const { shard, local } = this.#shards.localOf(id);
    return this.#calls.row(shard, local);
  }

  /** Of ids that there are. */
  async of(ids: readonly number[]): Promise<Row[]> {
    const rows = await this.#inShards(ids, "ids", (id) => {
      const { shard, local } = this.#shards.localOf(id);
      return [shard, String(local)];
    });
    return rows as Row[];
  }

  /** An answer for each, in order; each shard is asked once. */
  async #inShards<T>(
    items: readonly T[],
    what: "ids" | "seen",
    wordOf: (item: T) => readonly [shard: number, word: Word],
  ): Promise<(Row | null)[]> {
    const words = new Grouped<number, Word>();
    const places = items.map((item): readonly [number, number] => {
      const [shard, word] = wordOf(item);
      words.add(shard, word);
      return [shard, words.get(shard)!.length - 1];
    });
    const told = new Map(
      await Promise.all(
        Array.from(words, async ([shard, some]) => [shard, await this.#told(shard, what, some)] as const),
      ),
    );
    return places.map(([shard, nth]) => told.get(shard)![nth]!);
  }

  /** All of them, in the order of their ids, a few at a time. */
  async *all(afterId: number): AsyncIterable<Row[]> {
    const chunksAtOnce = Math.max(1, Math.floor(ROWS_AT_ONCE / ROWS / this.#shards.count));
    for (let from = Math.max(0, Math.floor((this.#shards.localOf(afterId).local - 1) / ROWS)); ; from += chunksAtOnce) {
      const chunks = Array.from({ length: chunksAtOnce }, (_, nth) => String(from + nth));
      const told = (await this.#shards.each((shard) => this.#told(shard, "rows", chunks))).flat();
      if (told.length === 0) return;
      yield told.filter((row) => row !== null).sort((a, b) => a.url.id - b.url.id);
    }
  }

  /** Null for what is not known, and for an id under which a drop was recorded that is none any more. What is spilled is read where it is. */
  async #told(shard: number, what: "ids" | "rows" | "seen" | "given", which: readonly Word[]): Promise<(Row | null)[]> {
    const told = await this.#shards.ask<Told[]>("tell", shard, [what, ...which]);
    const searched = await this.#searched(
      shard,
      which.filter((_, nth) => told[nth]?.[1] === "seen"),
    );
    const rows = told.map(([local, state, host, dueAt, visit, reason, level, tail, fpHi, fpLo]) => {
      if (state === "seen") return searched.shift()!;
      if (state === "spilled") return this.#spilled(shard, local, host, what === "rows");
      if (state === undefined || state === "gone") return null;
      const url = urlOf(this.#shards.idOf({ shard, local }), host, tail.slice(1));
      return {
        ...{ url, fpHi, fpLo, state, level, isDrop: tail.startsWith("d") },
        dueAt: dueAt === "" ? null : Number(dueAt),
        visit: visit === "" ? null : pointerOf(visit),
        end: reason === "" ? null : endOf(reason),
      };
    });
    return (await Promise.all(rows)).flat();
  }

  /** Of fingerprints that a filter has seen, or seems to. */
  async #searched(shard: number, fingerprints: readonly Word[]): Promise<(Row | null)[]> {
    if (fingerprints.length === 0) return [];
    const ids = await this.#index.localIds(shard, fingerprints as readonly Buffer[]);
    const there = ids.filter((id) => id > 0);
    const rows = there.length === 0 ? [] : await this.#told(shard, "ids", there.map(String));
    return ids.map((id) => (id > 0 ? rows.shift()! : null));
  }

  /** The row of an id, or all of its chunk. */
  async #spilled(shard: number, local: number, where: string, isWhole: boolean): Promise<(Row | null)[]> {
    const first = local - ((local - 1) % ROWS);
    const rows = await this.#spill.read(where);
    const wanted = rows.flatMap((row, nth) => (isWhole || first + nth === local ? [String(first + nth), row] : []));
    return this.#told(shard, "given", wanted);
  }
}
