/** Entries of segments as a crawl records them, from one number each. */
import type { HostKey } from "../../../../src/model/host.ts";
import type { Href } from "../../../../src/model/url.ts";
import type { Entry, Pointer } from "../../../../src/store/cluster/segments/entry.ts";
import { recordOf, url } from "../../../conformance/frontier-world.ts";

export function visitEntry(urlId: number, previous: Pointer | null = null): Entry {
  const { href, host } = url(`h${urlId}.test`, "page");
  const lease = { url: { id: urlId, href }, attempt: 1 } as Parameters<typeof recordOf>[0];
  return { kind: "visit", host, previous, value: recordOf(lease, "fetched", urlId) };
}

export function requestEntry(n: number): Entry {
  const host = `http://h${n}.test` as HostKey;
  const value = {
    host,
    href: `${host}/robots.txt` as Href,
    address: "192.0.2.1",
    startedAt: n,
    endedAt: n,
    status: 200,
  };
  return { kind: "request", host, previous: null, value };
}
