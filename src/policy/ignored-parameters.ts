/** Parameters that tell a site who is reading, not what to show: one table. The key of a URL leaves them out. */

/**
 * "any": whatever the value. "token": only when the value looks like a session's (letters and digits mixed, or very
 * long), because honest sites use the name for content too: `?sid=04/05/06` is a story, `?sid=123` a shop.
 * A name ending in "*" is a prefix. Names are compared in lower case.
 */
const IGNORED_PARAMETERS: Readonly<Record<string, "any" | "token">> = {
  // campaigns: Google Analytics, Matomo, Piwik, HubSpot, Marketo, Mailchimp, Vero, Omeda, Adobe, MailerLite, AT Internet
  "utm_*": "any",
  "mtm_*": "any",
  pk_campaign: "any",
  pk_kwd: "any",
  pk_keyword: "any",
  pk_source: "any",
  pk_medium: "any",
  pk_content: "any",
  pk_cid: "any",
  "hsa_*": "any",
  _hsenc: "any",
  _hsmi: "any",
  __hstc: "any",
  __hssc: "any",
  __hsfp: "any",
  hsctatracking: "any",
  mkt_tok: "any",
  mc_cid: "any",
  mc_eid: "any",
  vero_id: "any",
  vero_conv: "any",
  oly_anon_id: "any",
  oly_enc_id: "any",
  s_cid: "token",
  ml_subscriber: "any",
  ml_subscriber_hash: "any",
  _openstat: "any",
  wickedid: "any",
  rb_clickid: "any",
  // click identifiers: Google, Meta, Microsoft, Yandex, X, TikTok, LinkedIn, Instagram, Pinterest
  gclid: "any",
  gclsrc: "any",
  dclid: "any",
  gbraid: "any",
  wbraid: "any",
  srsltid: "any",
  _ga: "any",
  _gl: "any",
  fbclid: "any",
  msclkid: "any",
  yclid: "any",
  ysclid: "any",
  twclid: "any",
  ttclid: "any",
  li_fat_id: "any",
  igshid: "any",
  igsh: "any",
  epik: "any",
  // sessions: PHP, Java, ASP, ColdFusion, osCommerce, Zen Cart, phpBB and others
  phpsessid: "any",
  jsessionid: "any",
  "aspsessionid*": "any",
  "asp.net_sessionid": "any",
  cfid: "any",
  cftoken: "any",
  oscsid: "any",
  zenid: "any",
  sid: "token",
  sessid: "token",
  sessionid: "token",
  session_id: "token",
};

const exact = new Map<string, "any" | "token">();
const prefixes: [string, "any" | "token"][] = [];
for (const [name, when] of Object.entries(IGNORED_PARAMETERS)) {
  if (name.endsWith("*")) prefixes.push([name.slice(0, -1), when]);
  else exact.set(name, when);
}

const TOKEN = /^(?=.*\d)(?=.*[a-z])[\w.~-]{6,}$|^[\w.~-]{16,}$/i;

/** Whether a query's piece, `name=value` in one escape form, is left out of the key. */
export function isIgnored(piece: string): boolean {
  const end = piece.indexOf("=");
  const name = (end === -1 ? piece : piece.slice(0, end)).toLowerCase();
  const when = exact.get(name) ?? prefixes.find(([prefix]) => name.startsWith(prefix))?.[1];
  if (when === undefined) return false;
  return when === "any" || (end !== -1 && TOKEN.test(piece.slice(end + 1)));
}

/** `;jsessionid=...` of Java servers. */
const PATH_PARAMETERS = /;(?:jsessionid|phpsessid)=[^;/]*/gi;
/** A segment `(S(...))` of ASP.NET, and `(...)` of 24 letters and digits before a page of its first version. */
const PATH_SEGMENTS = /\/\((?:[AFSX]\([\w-]{20,}\))+\)(?=\/|$)|\/\([0-9a-z]{24}\)(?=\/.*\.aspx)/gi;
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/;

/** How many session ids a path (in one escape form) holds. */
export function pathSessions(path: string): number {
  if (!path.includes(";") && !path.includes("(")) return 0;
  return (path.match(PATH_PARAMETERS)?.length ?? 0) + (path.match(PATH_SEGMENTS)?.length ?? 0);
}

/** A path (in one escape form) without session ids. */
export function withoutPathSessions(path: string): string {
  if (!path.includes(";") && !path.includes("(")) return path;
  const bare = path.replace(PATH_PARAMETERS, "").replace(PATH_SEGMENTS, "");
  // "/a/..;jsessionid=1" must not become a path that a parser would resolve: the key of a key is the key.
  if (DOT_SEGMENT.test(bare)) return path;
  return bare === "" ? "/" : bare;
}
