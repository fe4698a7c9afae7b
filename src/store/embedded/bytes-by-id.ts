/** A byte for each id, in pages: as few as a small crawl has, and few pages for a large one. */
const PAGE_BITS = 16;
/** Bytes of a page, and ids in it. */
export const PAGE_BYTES = 1 << PAGE_BITS;
const NOTHING = new Uint8Array(PAGE_BYTES);

export class BytesById {
  readonly #pages: Uint8Array[] = [];

  /** Those that there are, in order of ids: no copies. */
  get pages(): readonly Uint8Array[] {
    return this.#pages;
  }

  /** The page that follows those restored before. It is not copied. */
  restorePage(page: Uint8Array): void {
    this.#pages.push(page);
  }

  /** 0 where none was set. */
  get(id: number): number {
    return (this.#pages[id >>> PAGE_BITS] ?? NOTHING)[id & (PAGE_BYTES - 1)]!;
  }

  set(id: number, byte: number): void {
    const nth = id >>> PAGE_BITS;
    while (nth >= this.#pages.length) this.#pages.push(new Uint8Array(PAGE_BYTES));
    this.#pages[nth]![id & (PAGE_BYTES - 1)] = byte;
  }
}
