/**
 * One byte a URL, by its id: whether it has ended; of those that have, which were dropped, and which are pending again; of
 * the others, the class that they wait in, and whether they still stand in the place where they were admitted.
 */
import { BytesById } from "./bytes-by-id.ts";
import type { Places } from "./queues.ts";

const CLASS_AT = 3;
const CLASS = 0b0011_1000;
/** It has left its place in the queue of its admission. */
const GONE = 0b0100_0000;
/** It has ended, now or before. The bits of its class and its place mean nothing then, or something else: */
const ENDED = 0b1000_0000;
/** It was dropped. */
const DROPPED = 0b0100_0000;
/** It is pending again. */
const BACK = 0b0000_0001;

export class UrlStates implements Places {
  readonly bytes = new BytesById();

  /** Waits in a class, where nothing was known. */
  admit(id: number, priority: number): void {
    const state = this.#get(id);
    if ((state & ENDED) === 0) this.#set(id, priority << CLASS_AT);
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

  /** Whether it still stands where it was admitted. */
  waits(id: number): boolean {
    return (this.#get(id) & (ENDED | GONE)) === 0;
  }

  leave(id: number): boolean {
    if (!this.waits(id)) return false;
    this.#set(id, this.#get(id) | GONE);
    return true;
  }

  /** Of what waits. */
  classOf(id: number): number {
    return (this.#get(id) & CLASS) >> CLASS_AT;
  }

  #get(id: number): number {
    return this.bytes.get(id);
  }

  #set(id: number, state: number): void {
    this.bytes.set(id, state);
  }
}
