/**
 * What the relation of a `<link>` (or of a `Link` field) makes of its target. A page: another document that a reader may
 * go to. Nothing: an origin to warm up, or an endpoint that one does not GET. All else is an asset of the page.
 */
import type { LinkKind } from "../model/link.ts";

const ASSETS = new Set(["stylesheet", "icon", "apple-touch-icon", "mask-icon", "manifest", "preload", "modulepreload"]);

const PAGES = new Set(
  (
    "alternate amphtml appendix author bookmark canonical chapter contents copyright first glossary help home index " +
    "last license me next prerender prev previous privacy-policy section shortlink start subsection terms-of-service " +
    "toc top up"
  ).split(" "),
);

const NOTHING = new Set(
  (
    "dns-prefetch preconnect pingback webmention edituri wlwmanifest https://api.w.org/ micropub openid.server " +
    "openid.delegate openid2.provider openid2.local_id authorization_endpoint token_endpoint indieauth-metadata hub " +
    "compression-dictionary expect profile"
  ).split(" "),
);

/** `rel`: as written. `type`: the media type that it announces, "" when none. Null: no link. */
export function linkKind(rel: string, type: string): LinkKind | null {
  const relations = rel.toLowerCase().split(/[\t\n\f\r ]+/);
  let kind: LinkKind | null = "embed";
  for (const relation of relations) {
    if (ASSETS.has(relation)) return "embed"; // "alternate stylesheet" is a style sheet
    if (PAGES.has(relation)) kind = "page";
    else if (NOTHING.has(relation) && kind === "embed") kind = null;
  }
  // An alternate that is data (oEmbed, an API's JSON) is not for readers.
  return kind === "page" && /json|oembed|opensearch/i.test(type) ? "embed" : kind;
}

/** Whether the tokens of `rel` name the relation (lower case). */
export function hasRelation(rel: string, relation: string): boolean {
  return rel
    .toLowerCase()
    .split(/[\t\n\f\r ]+/)
    .includes(relation);
}
