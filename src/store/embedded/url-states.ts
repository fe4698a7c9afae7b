/**
 * One byte a URL, by its id: whether it has ended; of those that have, which were dropped, and which are pending again; of
 * the others, the class that they wait in, whether they still stand in the place where they were admitted, and how many
 * links to them were met.
 */
import type { Places } from "./queue.ts";

const LEVEL = 0b0000_0111;
const CLASS_AT = 3;
const CLASS = 0b0011_1000;
/** It has left its place in the queue of its admission. */
const GONE = 0b0100_0000;
/** It has ended, now or before. The bits of its class, its place and its links mean nothing then, or something else: */
const ENDED = 0b1000_0000;
/** It was dropped. */
const DROPPED = 0b0100_0000;
/** It is pending again. */
const BACK = 0b0000_0001;

/** Ids in a page: as few as a small crawl has, and few pages for a large one. */
const PAGE_BITS = 16;
/** Bytes of a page, and ids in it. */
export const STATES_PAGE = 1 << PAGE_BITS;
const PAGE = STATES_PAGE;
const NOTHING = new Uint8Array(PAGE);

export class UrlStates implements Places {
  readonly #pages: Uint8Array[] = [];

  /** Copies of all pages, in order of ids. */
  pages(): Uint8Array[] {
    return this.#pages.map((page) => page.slice());
  }

  /** The page that follows those restored before. It is not copied. */
  restorePage(page: Uint8Array): void {
    this.#pages.push(page);
  }

  /** Waits in a class, where nothing was known; what was known of the links to it stays. */
  admit(id: number, priority: number): void {
    const state = this.#get(id);
    if ((state & ENDED) === 0) this.#set(id, (state & LEVEL) | (priority << CLASS_AT));
  }

  /** It has, and is not pending again. */
  hasEnded(id: number): boolean {
    return (this.#get(id) & (ENDED | BACK)) === ENDED;
  }

  /** It has, be it pending again or not. */
  hasEverEnded(id: number): boolean {
    return (this.#get(id) & ENDED) !== 0;
  }

  wasDropped(id: number): boolean {
    return this.#get(id) === (ENDED | DROPPED);
  }

  end(id: number): void {
    this.#set(id, ENDED);
  }

  drop(id: number): void {
    this.#set(id, ENDED | DROPPED);
  }

  /** One that has ended, and was not dropped, can be pending again. */
  canComeBack(id: number): boolean {
    return this.#get(id) === ENDED;
  }

  comeBack(id: number): void {
    this.#set(id, ENDED | BACK);
  }

  comesBack(id: number): boolean {
    return this.#get(id) === (ENDED | BACK);
  }

  waits(id: number): boolean {
    return (this.#get(id) & (ENDED | GONE)) === 0;
  }

  leave(id: number): boolean {
    if (!this.waits(id)) return false;
    this.#set(id, this.#get(id) | GONE);
    return true;
  }

  levelOf(id: number): number {
    return this.#get(id) & LEVEL;
  }

  setLevel(id: number, level: number): void {
    this.#set(id, (this.#get(id) & ~LEVEL) | level);
  }

  /** Of what waits. */
  classOf(id: number): number {
    return (this.#get(id) & CLASS) >> CLASS_AT;
  }

  setClass(id: number, priority: number): void {
    this.#set(id, (this.#get(id) & ~CLASS) | (priority << CLASS_AT));
  }

  #get(id: number): number {
    return (this.#pages[id >>> PAGE_BITS] ?? NOTHING)[id & (PAGE - 1)]!;
  }

  #set(id: number, state: number): void {
    const nth = id >>> PAGE_BITS;
    while (nth >= this.#pages.length) this.#pages.push(new Uint8Array(PAGE));
    this.#pages[nth]![id & (PAGE - 1)] = state;
  }
}
