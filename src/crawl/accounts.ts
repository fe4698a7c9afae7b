/** Budgets by name, as many as memory has room for: the one not touched for longest is forgotten, and begins anew. */
import { afterPage, isClosed, isProven, letThrough, newBudget, type PatternBudget } from "../policy/pattern-budget.ts";

export class Accounts {
  readonly #budgets = new Map<string, PatternBudget>();
  readonly #credit: number;
  readonly #most: number;
  #closed = 0;

  /** `credit`: useless pages that each may bring at first. `most`: accounts kept. */
  constructor(credit: number, most: number) {
    this.#credit = credit;
    this.#most = most;
  }

  /** Accounts that have no credit left. */
  get closed(): number {
    return this.#closed;
  }

  get size(): number {
    return this.#budgets.size;
  }

  has(name: string): boolean {
    return this.#budgets.has(name);
  }

  /** A page was worth something: told only where there is an account. */
  reward(name: string, urlId: number): void {
    const budget = this.#budgets.get(name);
    if (budget !== undefined) this.#put(name, afterPage(budget, urlId, 0, this.#credit), budget);
  }

  /** A page was useless; `cost` as in `afterPage`. */
  charge(name: string, urlId: number, cost = 1): void {
    const budget = this.#budgets.get(name);
    this.#put(name, afterPage(budget ?? newBudget(this.#credit), urlId, cost, this.#credit), budget);
  }

  isProven(name: string): boolean {
    const budget = this.#budgets.get(name);
    return budget !== undefined && isProven(budget);
  }

  /** Whether a URL may be asked for, as far as this account goes. One that is let through as a trial stays so. */
  admits(name: string, urlId: number): boolean {
    const budget = this.#budgets.get(name);
    if (budget === undefined || !isClosed(budget)) return true;
    const [pass, after] = letThrough(budget, urlId);
    this.#put(name, after, budget);
    return pass;
  }

  /** Those with least credit, at most so many. */
  least(most: number): [name: string, budget: PatternBudget][] {
    return [...this.#budgets].sort(([, one], [, other]) => one.credit - other.credit).slice(0, most);
  }

  /** An account as it was when it was kept elsewhere. */
  restore(name: string, budget: PatternBudget): void {
    this.#put(name, budget, this.#budgets.get(name));
  }

  #put(name: string, budget: PatternBudget, before: PatternBudget | undefined): void {
    this.#closed += Number(isClosed(budget)) - Number(before !== undefined && isClosed(before));
    this.#budgets.delete(name);
    this.#budgets.set(name, budget); // last touched is last in the map's order
    if (this.#budgets.size <= this.#most) return;
    const [oldest, forgotten] = this.#budgets.entries().next().value!;
    this.#closed -= Number(isClosed(forgotten));
    this.#budgets.delete(oldest);
  }
}
