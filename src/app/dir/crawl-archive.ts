/** The archive of a crawl as it is read: from files on this disk, or, where a file is not here, by ranged reads of the store. */
import { archiveKey } from "../../blobs/segments.ts";
import { StoredFiles } from "../../blobs/stored-files.ts";
import type { Locator } from "../../model/capture.ts";
import type { Blobs } from "../../ports/blobs.ts";
import { ArchiveError } from "../../warc/error.ts";
import { type ArchivedResponse, readRecordAt, recordIn } from "../../warc/read-at.ts";
import { type ArchiveFile, archiveFiles } from "./archive-files.ts";
import { isHere, openStore, type StoreConfig } from "./store.ts";

/** Where it is: on this disk, in a store, or in both. */
type Places =
  | { readonly folder: string; readonly store: StoreConfig | null }
  | { readonly folder: null; readonly store: StoreConfig };

export class CrawlArchive implements AsyncDisposable {
  readonly #places: Places;
  /** Opened when it is needed: most archives are here as a whole. */
  #stored: Promise<StoredFiles | null> | null = null;

  constructor(places: Places) {
    this.#places = places;
  }

  /** One record. Throws an `ArchiveError` with code "damaged" when it is nowhere, a `BlobError` when the store cannot be asked. */
  async at(locator: Locator): Promise<ArchivedResponse> {
    const { folder } = this.#places;
    try {
      if (folder !== null && (await isHere(folder, locator.file))) return await readRecordAt(folder, locator);
    } catch (cause) {
      // It may have gone up, and away, between two looks.
      if (!(cause instanceof ArchiveError) || (await isHere(folder!, locator.file))) throw cause;
    }
    const stored = await this.#files();
    if (stored === null) return readRecordAt(folder!, locator);
    const place = `${stored.name}/${archiveKey(locator.file)}`;
    return recordIn(Buffer.concat(await Array.fromAsync(stored.bytes(locator.file, locator))), place, locator);
  }

  /**
   * The answer at `place` with the body that the record at `body` holds; null: an empty one. Where the answer was that
   * nothing had changed, the body's own fields say how it is to be read.
   */
  async answer(place: Locator, body: Locator | null): Promise<ArchivedResponse> {
    const answer = await this.at(place);
    if (body === place) return answer;
    if (body === null) return { ...answer, body: Buffer.alloc(0) };
    const original = await this.at(body);
    const { rawHeaders } = /^\S+ 304\b/.test(answer.statusLine) ? original : answer;
    return { ...answer, rawHeaders, body: original.body };
  }

  /** See `archiveFiles`. */
  async files(marks: ReadonlyMap<string, number> | null): Promise<readonly ArchiveFile[]> {
    return archiveFiles(this.#places.folder, marks, await this.#files());
  }

  /** Null when the crawl has none. */
  async blobs(): Promise<Blobs | null> {
    return (await this.#files())?.blobs ?? null;
  }

  #files(): Promise<StoredFiles | null> {
    const { store } = this.#places;
    this.#stored ??= store === null ? Promise.resolve(null) : openStore(store).then(filesIn);
    return this.#stored;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#stored?.catch(() => null))?.blobs[Symbol.asyncDispose]();
  }
}

const filesIn = (blobs: Blobs | null): StoredFiles | null => (blobs === null ? null : new StoredFiles(blobs));
