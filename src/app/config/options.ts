/** The one table of options. Types, flags, help, config-file checks and docs/options.md come from it. */

import type { Kinds, Option } from "./option.ts";
import { COMING_BACK } from "./options/coming-back.ts";
import { HOW_FAST } from "./options/how-fast.ts";
import { HOW_TO_ASK } from "./options/how-to-ask.ts";
import { MANY_MACHINES } from "./options/many-machines.ts";
import { REPORTING } from "./options/reporting.ts";
import { WHAT_TO_CRAWL } from "./options/what-to-crawl.ts";
import { WHAT_TO_KEEP } from "./options/what-to-keep.ts";

export const OPTIONS = {
  ...WHAT_TO_CRAWL,
  ...HOW_FAST,
  ...HOW_TO_ASK,
  ...COMING_BACK,
  ...WHAT_TO_KEEP,
  ...MANY_MACHINES,
  ...REPORTING,
};

export type OptionTable = typeof OPTIONS;
export type OptionName = keyof OptionTable;

type Single<O extends Option> = O extends { readonly choices: readonly (infer C)[] } ? C : Kinds[O["kind"]];
type Value<O extends Option> = O extends { readonly many: true }
  ? readonly Single<O>[]
  : O["default"] extends null
    ? Single<O> | null
    : Single<O>;

/** Every option with its value: durations in ms, sizes in bytes, lists always lists. Plain data. */
export type CrawlOptions = { readonly [N in OptionName]: Value<OptionTable[N]> };

/** The options in the table's order. */
export const OPTION_LIST: readonly (readonly [OptionName, Option])[] = Object.entries(OPTIONS) as [
  OptionName,
  Option,
][];
