/** All that a state tells of a crawl, in words that do not depend on its ids. */
import type { UrlRecord, VisitRecord } from "../../../src/model/record.ts";
import type { Backend } from "../../../src/ports/frontier.ts";

export async function toldBy(state: Backend): Promise<object> {
  const records = await Array.fromAsync(state.urls());
  const name = async (id: number | null | undefined): Promise<string | null> => {
    const known = id == null ? null : await state.nameOf(id);
    return known === null ? null : `${known.host} ${known.fpHi} ${known.fpLo}`;
  };
  const copies = await Array.fromAsync(state.robotsCopies());
  const copyOf = (robotsId: number) => copies.find(({ id }) => id === robotsId)?.fetchedAt ?? null;
  const visited = async (visit: VisitRecord): Promise<object> => ({
    ...visit,
    urlId: await name(visit.urlId),
    robotsId: copyOf(visit.robotsId),
    duplicateOf: await name(visit.duplicateOf),
    nearDuplicateOf: await name(visit.nearDuplicateOf),
    revisitOf: await name(visit.capture?.revisitOf),
    capture: visit.capture === null ? null : { ...visit.capture, revisitOf: null },
  });
  const urls: [string, object][] = [];
  for (const { id, via, visit: _, state: is, ...more } of records as UrlRecord[]) {
    const visits = await Promise.all((await state.visitsOf(id)).map(visited));
    const told = { ...more, via: await name(via), visits, importance: await state.importance(id) };
    urls.push([(await name(id))!, { ...told, pending: is !== "ended" }]);
  }
  const { queued, leased, delayed, hosts } = await state.pending();
  const texts = (items: readonly object[]): string[] => items.map((item) => JSON.stringify(item)).sort();
  const hostStates = await Promise.all(
    [...new Set(records.map(({ host }) => host))].sort().map((host) => state.host(host)),
  );
  return {
    urls: Object.fromEntries(urls.sort(([a], [b]) => (a < b ? -1 : 1))),
    ends: Object.fromEntries([...(await state.endCounts())].sort()),
    pending: { urls: queued + leased + delayed, hosts },
    robots: copies.map(({ id: _, ...copy }) => copy),
    requests: texts(await Array.fromAsync(state.requests())),
    hostStates,
  };
}
