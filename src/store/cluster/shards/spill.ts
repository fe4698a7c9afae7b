/**
 * Rows that are not needed soon leave Redis for the object store, in chunks, and come back when they are asked for. Lists of
 * what waits, and what is seen, stay: so nothing is lost, whichever rows are where.
 */
import { createHash } from "node:crypto";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Clock } from "../../../base/clock.ts";
import { BlobError, type Blobs } from "../../../ports/blobs.ts";
import type { Word } from "../redis/connection.ts";
import type { Patience } from "../segments/segments.ts";
import type { Shards } from "./shards.ts";
import { objectKey, objectName } from "./spilled-objects.ts";
import { ROWS } from "./standing.ts";

export interface SpillOptions {
  readonly blobs: Blobs;
  readonly patience: Patience;
  /** Rows that a shard may hold in Redis. */
  readonly most: number;
  /** As the cluster tells it. */
  readonly time: Clock;
}

/** Of one shard that are written together, as one object. */
const CHUNKS = 64;
/** Of what a shard may hold, so much stays when some of it goes. */
const KEPT = 0.9;
/** So many are looked at each time for some that may go. */
const LOOKED_AT = 256;
/** Chunks that were read lately: who looks at many URLs asks for their neighbours next. What is written is never changed. */
const READ_LATELY = 128;
const LENGTH_BYTES = 2;

export class Spill {
  readonly #shards: Shards;
  readonly #options: SpillOptions;
  readonly #opening = Math.random().toString(36).slice(2);
  #objects = 0;
  readonly #lately = new Map<string, Promise<Buffer[]>>();
  /** The rows that shards held when nothing more of them could go. */
  readonly #stuck = new Map<number, number>();

  constructor(shards: Shards, options: SpillOptions) {
    this.#shards = shards;
    this.#options = options;
  }

  /** Shards that hold more rows than they may give some away, more than they must: few objects are cheaper than many. */
  async sweep(): Promise<void> {
    const { most } = this.#options;
    await Promise.all(
      this.#shards.overfull(most).map(async ([shard, rows]) => {
        if (rows < (this.#stuck.get(shard) ?? 0) + ROWS) return;
        const chunks = Math.min(CHUNKS, Math.ceil((rows - most * KEPT) / ROWS));
        const gone = await this.#spill(shard, chunks);
        if (gone < chunks) this.#stuck.set(shard, rows - gone * ROWS);
        else this.#stuck.delete(shard);
      }),
    );
  }

  /** The rows of these ids of a shard are in Redis afterwards. */
  async bringBack(shard: number, ids: readonly number[]): Promise<void> {
    const chunks = new Set(ids.map((id) => String(Math.floor((id - 1) / ROWS))));
    await Promise.all(
      Array.from(chunks, async (chunk) => {
        const where = await this.placeOf(shard, chunk);
        if (where === null) return; // somebody else has brought it back
        await this.#shards.run("unspill", shard, [chunk, where, ...(await this.read(where))]);
      }),
    );
  }

  /** Where the rows of a chunk are; null: not in the object store. */
  async placeOf(shard: number, chunk: number | string): Promise<string | null> {
    const kept = (await this.#shards.bytes(shard, "HGET", ":spilled", String(chunk))) as Buffer | null;
    return kept === null ? null : kept.toString("latin1", 1, 1 + kept[0]!);
  }

  /** The rows of a chunk, as they were. @throws BlobError */
  read(where: string): Promise<Buffer[]> {
    const known = this.#lately.get(where);
    if (known !== undefined) return known;
    const rows = this.#read(where);
    this.#lately.set(where, rows);
    rows.catch(() => this.#lately.delete(where));
    const [oldest] = this.#lately.keys();
    if (this.#lately.size > READ_LATELY) this.#lately.delete(oldest!);
    return rows;
  }

  #read(where: string): Promise<Buffer[]> {
    const [name, offset, length] = where.split(":");
    const { blobs, patience } = this.#options;
    return patience(async () => {
      const range = { offset: Number(offset), length: Number(length) };
      const pieces = await Array.fromAsync(blobs.get(objectKey(name!), range));
      return rowsIn(Buffer.concat(pieces), `${blobs.name}/${objectKey(name!)}`);
    });
  }

  /** How many of so many chunks went. */
  async #spill(shard: number, wanted: number): Promise<number> {
    const chunks = await this.#shards.run<number[]>("cold", shard, [String(wanted), String(LOOKED_AT)]);
    if (chunks.length === 0) return 0;
    const name = objectName(shard, this.#options.time.now(), this.#opening, ++this.#objects);
    const packed: Buffer[] = [];
    const words: Word[] = [];
    let offset = 0;
    for (const chunk of chunks) {
      const rows = (await this.#shards.bytes(shard, "LRANGE", `:u:${chunk}`, "0", "-1")) as Buffer[];
      const bytes = packedRows(rows);
      packed.push(bytes);
      const sum = createHash("sha1");
      for (const row of rows) sum.update(row);
      words.push(String(chunk), sum.digest("hex"), `${name}:${offset}:${bytes.length}`);
      offset += bytes.length;
    }
    const { blobs, patience } = this.#options;
    await patience(() => blobs.put(objectKey(name), Buffer.concat(packed)));
    const told = await this.#shards.run<number[]>("spill", shard, words);
    return told.reduce((sum, one) => sum + one, 0);
  }
}

function packedRows(rows: readonly Buffer[]): Buffer {
  const parts = rows.flatMap((row) => {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt16LE(row.length);
    return [length, row];
  });
  return zstdCompressSync(Buffer.concat(parts), { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

function rowsIn(packed: Buffer, name: string): Buffer[] {
  const rows: Buffer[] = [];
  try {
    const bytes = zstdDecompressSync(packed);
    for (let at = 0; at < bytes.length; ) {
      const end = at + LENGTH_BYTES + bytes.readUInt16LE(at);
      rows.push(bytes.subarray(at + LENGTH_BYTES, end));
      at = end;
    }
  } catch (cause) {
    const why = (cause as Error).message;
    const mend = "put the object back from a copy or an earlier version of the store";
    throw new BlobError("corrupt", `the URLs in ${name} are damaged (${why}); ${mend}`, cause);
  }
  return rows;
}
