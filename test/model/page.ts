/** Pages for tests. */
import type { PageInfo } from "../../src/model/page.ts";

/** What reading found of a page of HTML that says nothing of itself, but for what is told. */
export function pageInfo(changes: Partial<PageInfo> = {}): PageInfo {
  return {
    mediaType: "text/html",
    charset: "UTF-8",
    title: null,
    language: null,
    description: null,
    canonical: null,
    noindex: false,
    nofollow: false,
    handler: "html",
    width: null,
    height: null,
    openGraph: null,
    jsonLd: null,
    linksFound: 0,
    readError: null,
    simhash: null,
    ...changes,
  };
}
