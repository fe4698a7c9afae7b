/** Ids of URLs by their fingerprints, where a filter alone knows what was seen: the rows are read, once, and then what has come since. */
import { FingerprintTable } from "../../../dedup/fingerprint-table.ts";
import type { UrlName } from "../../../model/link.ts";
import type { Shards } from "./shards.ts";
import type { Spill } from "./spill.ts";
import { lastIdIn, ROWS } from "./standing.ts";

/** Chunks that are read at once. */
const AT_ONCE = 64;
/** A chunk that is on its way between Redis and the object store is asked for again. */
const TRIES = 10;
/** Where its fingerprint stands in a row (lua/shard.lua). */
const FINGERPRINT_AT = 3;

interface Read {
  /** 16 bytes a URL. */
  readonly ids: FingerprintTable;
  /** The last id that was read. */
  last: number;
}

export class RowIndex {
  readonly #shards: Shards;
  readonly #spill: Spill;
  readonly #read = new Map<number, Read>();
  /** By shard: who comes while rows are read waits, and reads what has come since. */
  readonly #reading = new Map<number, Promise<unknown>>();

  constructor(shards: Shards, spill: Spill) {
    this.#shards = shards;
    this.#spill = spill;
  }

  /** Ids within the shard, in order; 0: there is no such row. Reads those of the shard that it has not read yet. */
  async localIds(shard: number, fingerprints: readonly Buffer[]): Promise<number[]> {
    const before = this.#reading.get(shard);
    const reading = (before ?? Promise.resolve()).catch(() => {}).then(() => this.#readOn(shard));
    this.#reading.set(shard, reading);
    const ids = await reading;
    return fingerprints.map((one) => ids.find(one.readUInt32LE(4), one.readUInt32LE(0)));
  }

  async #readOn(shard: number): Promise<FingerprintTable> {
    const end = lastIdIn((await this.#shards.bytes(shard, "GET", "")) as Buffer | null);
    const read = this.#read.get(shard) ?? { ids: new FingerprintTable(end), last: 0 };
    this.#read.set(shard, read);
    while (read.last < end) {
      const first = Math.floor(read.last / ROWS);
      const count = Math.min(AT_ONCE, Math.ceil(end / ROWS) - first);
      const chunks = await Promise.all(Array.from({ length: count }, (_, nth) => this.#rows(shard, first + nth)));
      for (const [nth, rows] of chunks.entries()) this.#put(read, (first + nth) * ROWS, rows);
      read.last = Math.min(end, (first + count) * ROWS); // what has come since is read once more
    }
    return read.ids;
  }

  #put({ ids, last }: Read, before: number, rows: readonly Buffer[]): void {
    for (const [nth, row] of rows.entries()) {
      const id = before + nth + 1;
      if (id <= last || row.length === 0) continue; // of a drop that was undone nothing is left
      const [lo, hi] = [row.readUInt32LE(FINGERPRINT_AT), row.readUInt32LE(FINGERPRINT_AT + 4)];
      if (!ids.insert(hi, lo, id)) ids.replace(hi, lo, id);
    }
  }

  async #rows(shard: number, chunk: number): Promise<readonly Buffer[]> {
    for (let tried = 0; tried < TRIES; tried++) {
      const rows = (await this.#shards.bytes(shard, "LRANGE", `:u:${chunk}`, "0", "-1")) as Buffer[];
      if (rows.length > 0) return rows;
      const where = await this.#spill.placeOf(shard, chunk);
      if (where !== null) return this.#spill.read(where);
    }
    return [];
  }
}

/** As the scripts know it: its low word first. */
export function fingerprintOf({ fpHi, fpLo }: Pick<UrlName, "fpHi" | "fpLo">): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeUInt32LE(fpHi, bytes.writeUInt32LE(fpLo));
  return bytes;
}
