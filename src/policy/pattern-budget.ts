/**
 * How many more pages a pattern of URLs is worth, by what its pages have brought. Pure: accounts go in and come out.
 *
 * Every pattern may bring so many useless pages (copies, near copies that say nothing new, empty ones). Each costs one of its credit, each page
 * that is worth something gives two back: a pattern with one good page in three goes on for ever. When the credit is gone,
 * one URL in 4, 8, 16 ... is let through to see whether that is still so: the gap doubles with each useless page and halves
 * with each good one, which opens the pattern again. So an endless trap costs its credit and the logarithm of its URLs.
 */

export interface PatternBudget {
  /** Useless pages that it may still bring. */
  readonly credit: number;
  /** Pages that were worth something, since the account was opened. */
  readonly useful: number;
  /** With no credit left: of so many URLs one is let through. */
  readonly gap: number;
  /** URLs left out since one was let through. */
  readonly refused: number;
  /** The URL (its id) that was let through, until its page has come; 0 for none. */
  readonly probe: number;
}

const REWARD = 2;
const FIRST_GAP = 4;
/** A trial that brings no page (a failure, a robots rule) holds up the next one for so many gaps. */
const PATIENCE = 4;
const LAST_GAP = 2 ** 30;
/** A pattern that has been of so much use stands for itself: no wider one closes it. */
const PROVEN = 5;

export function newBudget(credit: number): PatternBudget {
  return { credit, useful: 0, gap: FIRST_GAP, refused: 0, probe: 0 };
}

export const isClosed = ({ credit }: PatternBudget): boolean => credit <= 0;

export const isProven = ({ useful, credit }: PatternBudget): boolean => useful >= PROVEN && credit > 0;

/**
 * After a page of the pattern. `cost`: 0 for one that was worth something, 1 for a useless one, less where that is less
 * sure. `credit`: what the pattern had at first, and never has more of.
 */
export function afterPage(budget: PatternBudget, urlId: number, cost: number, credit: number): PatternBudget {
  if (cost === 0)
    return {
      ...budget,
      credit: Math.min(budget.credit + REWARD, credit),
      useful: budget.useful + 1,
      gap: Math.max(budget.gap / 2, FIRST_GAP),
      refused: 0,
      probe: 0,
    };
  if (!isClosed(budget)) return { ...budget, credit: Math.max(budget.credit - cost, 0) };
  // Pages that were on their way when it closed say nothing new.
  return budget.probe === urlId ? { ...budget, gap: Math.min(budget.gap * 2, LAST_GAP), probe: 0 } : budget;
}

/** Asked for a URL of a closed pattern: whether it is let through, and the account after that. A URL is told the same again. */
export function letThrough(budget: PatternBudget, urlId: number): readonly [boolean, PatternBudget] {
  if (budget.probe === urlId) return [true, budget];
  const wait = budget.probe === 0 ? budget.gap : budget.gap * PATIENCE;
  if (budget.refused + 1 < wait) return [false, { ...budget, refused: budget.refused + 1 }];
  return [true, { ...budget, refused: 0, probe: urlId }];
}
