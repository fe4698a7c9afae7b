/** What must hold of a crawl's directory at every moment, also just after a kill -9. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { verify } from "../../src/app/inspect/verify/verify.ts";
import { openDirectory } from "../../src/app/place/directory.ts";
import { readEnded } from "../../src/store/embedded/journal.ts";
import { ask } from "../e2e/trawl.ts";

export interface Standing {
  /** What is wrong, in words; empty when all is well. */
  readonly faults: readonly string[];
  /** Every URL that was admitted, ended or not. */
  readonly admitted: ReadonlySet<string>;
}

const ENDS = `SELECT urls.id, urls.url, urls.state, count(*) AS ends FROM visit JOIN urls ON urls.id = visit.url_id
  WHERE visit.end NOT IN ('retry', 'follow') GROUP BY urls.id`;

/** Reads the whole directory, and changes nothing. `before`: what was admitted when last looked. */
export async function standingOf(dir: string, before: ReadonlySet<string>): Promise<Standing> {
  // Killed before anything was admitted.
  if (!existsSync(join(dir, "state.db")) || !existsSync(join(dir, "archive")))
    return { faults: before.size === 0 ? [] : ["the state is gone"], admitted: new Set() };
  await using crawl = await openDirectory(dir, { frozen: true });
  const { state } = crawl;
  const faults = [...(await verify(crawl, () => {})).told];
  const returns = returnsIn(dir);
  for (const { id, url, state: is, ends } of ask(dir, ENDS)) {
    const back = returns.get(id as number) ?? 0;
    if (ends !== back + (is === "ended" ? 1 : 0))
      faults.push(`${url} ended ${ends} times, came back ${back}, is ${is}`);
  }

  const admitted = new Set(
    ask(dir, "SELECT url.href FROM urls JOIN url USING (id) WHERE attempt IS NULL OR attempt > 0").map(hrefOf),
  );
  // A redirect to its own key changes the form of an admitted URL: compare without the slash that it adds.
  const known = new Set([...admitted].map(bare));
  for (const href of before) if (!known.has(bare(href))) faults.push(`${href} was admitted, and is lost`);

  const [counted] = ask(dir, "SELECT count(*) AS urls, count(DISTINCT host) AS hosts FROM urls WHERE state <> 'ended'");
  const { queued, leased, delayed, hosts } = await state.pending();
  if (queued + leased + delayed !== counted!.urls || hosts !== counted!.hosts)
    faults.push(
      `pending: ${queued + leased + delayed} on ${hosts} hosts, counted ${counted!.urls} on ${counted!.hosts}`,
    );
  const ends = ask(dir, "SELECT end, count(*) AS n FROM urls WHERE state = 'ended' GROUP BY end");
  const byEnd = JSON.stringify(ends.map(({ end, n }) => [end, n]).sort());
  const told = JSON.stringify([...(await state.endCounts())].sort());
  if (byEnd !== told) faults.push(`ends: ${told}, counted ${byEnd}`);
  return { faults, admitted };
}

/** How often each URL has come back, by its id. */
function returnsIn(dir: string): ReadonlyMap<number, number> {
  const returns = new Map<number, number>();
  using db = new DatabaseSync(join(dir, "state.db"), { readOnly: true });
  readEnded(db, (id, _code, what) => {
    if (what === "returned") returns.set(id, (returns.get(id) ?? 0) + 1);
  });
  return returns;
}

const hrefOf = ({ href }: Record<string, unknown>): string => String(href);
const bare = (href: string): string => href.replace(/\/(?=$|\?)/, "");
