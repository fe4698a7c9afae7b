/** When pages are visited again. Rows of the table of options. */
import { REVISIT_POLICIES } from "../../../policy/revisit-rate.ts";
import type { Option } from "../option.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const COMING_BACK = {
  continuous: {
    group: "Coming back",
    kind: "flag",
    default: false,
    runOnly: true,
    ofSharedCrawl: true,
    says: "never end: visit pages again as they are likely to have changed, and follow what is new",
  },
  revisitEvery: {
    group: "Coming back",
    kind: "duration",
    min: 1_000,
    default: 7 * DAY,
    says: "mean time between two visits of a page, all pages together",
  },
  revisitBudget: {
    group: "Coming back",
    kind: "number",
    min: 0.001,
    default: null,
    defaultSays: "as --revisit-every has it",
    word: "VISITS",
    says: "visits a day to pages that are known, in all",
  },
  revisitMin: {
    group: "Coming back",
    kind: "duration",
    min: 1_000,
    default: HOUR,
    says: "no page is visited again sooner",
  },
  revisitMax: {
    group: "Coming back",
    kind: "duration",
    min: 1_000,
    default: 90 * DAY,
    says: "every page is visited again so soon at the latest, as far as the budget goes",
  },
  revisitShare: {
    group: "Coming back",
    kind: "number",
    min: 0,
    max: 1,
    default: 0.5,
    word: "SHARE",
    says: "of all fetches, and of those of each host, at most so many are visits to known pages while others are new",
  },
  revisitPolicy: {
    group: "Coming back",
    kind: "choice",
    choices: REVISIT_POLICIES,
    default: "freshness",
    says: "freshness: most pages up to date; uniform: all as often; proportional: as often as they change",
  },
} as const satisfies Record<string, Option>;
