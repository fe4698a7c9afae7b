/** The line that every page goes along in a visit thread: fetch, read, keep. */
import { type FetchResponse, header, headers } from "../model/fetch-result.ts";
import { type Href, parseUrl } from "../model/url.ts";
import type { Answer, Errand, Visited } from "../model/visited.ts";
import { challengeOf } from "../policy/challenge.ts";
import type { VisitContext } from "./context.ts";
import { keep, knownBody } from "./keep.ts";
import { NOTHING_READ, read } from "./read.ts";

const ROBOTS_MOST_BYTES = 512 * 1024;

export async function visit(errand: Errand, context: VisitContext, signal: AbortSignal): Promise<Visited> {
  const { lease, task, href, address, robotsId, held } = errand;
  const purpose = task === "robots" ? "robots" : lease.url.source === "sitemap" ? "sitemap" : "page";
  const headers = fieldsOf(errand);
  const result = await context.fetcher.fetch({ href, address, purpose, ...(headers && { headers }) }, signal);
  const { startedAt, endedAt } = result;
  const visited = { lease, task, href, address, robotsId, startedAt, endedAt, held };
  if (result.kind === "failure") {
    const outcome = { kind: "failure", cause: result.cause, detail: result.detail } as const;
    return { ...visited, outcome, capture: null, page: null, links: [], linksAgain: null };
  }
  const mediaType = context.reading.identify(result);
  const answer = answerOf(result, errand);
  if (task === "probe") {
    // Nobody has asked for that page: it is looked at, not kept, and its links are nobody's.
    const looked = { ...context, rules: { ...context.rules, maxLinks: 0 } };
    const { page, gist } = await read(result, mediaType, answer, lease, looked);
    const seen = { ...visited, outcome: answer, capture: null, page, links: [], linksAgain: null };
    return gist === undefined ? seen : { ...seen, gist };
  }
  const known = knownBody(result, errand, answer, context); // asked for now: the answer comes while the page is read
  const reading = task === "page" ? await read(result, mediaType, answer, lease, context) : NOTHING_READ;
  const { page, links, linksAgain, listed, gist } = reading;
  // What a stop has broken off is read again: its links would be lost for good.
  if (signal.aborted && page?.readError != null) return { ...visited, ...BROKEN_OFF };
  const capture = isKept(result) ? keep(result, mediaType, errand, reading, await known, context) : null;
  const seen = { ...visited, outcome: answer, capture, page, links, linksAgain };
  return { ...seen, ...(gist !== undefined && { gist }), ...(listed !== undefined && { listed }) };
}

/** What a protocol module could not find has no content, and no head that would say so. */
const isKept = ({ httpVersion, status }: FetchResponse): boolean => httpVersion !== null || status < 300;

/** The fields of this request alone; undefined when there are none. Validators go out as they came, byte by byte. */
function fieldsOf({ cookie, held }: Errand): Record<string, string> | undefined {
  const fields: Record<string, string> = {};
  if (cookie !== null) fields.cookie = cookie;
  const { etag = null, lastModified = null } = held?.conditional ?? {};
  if (etag !== null) fields["if-none-match"] = etag;
  if (lastModified !== null) fields["if-modified-since"] = lastModified;
  return Object.keys(fields).length === 0 ? undefined : fields;
}

const BROKEN_OFF = {
  outcome: { kind: "failure", cause: "timeout", detail: "aborted" },
  capture: null,
  page: null,
  links: [],
  linksAgain: null,
} as const;

/** What an answer says for the control thread. */
export function answerOf(response: FetchResponse, { task, held }: Pick<Errand, "task" | "held">): Answer {
  const field = (name: string) => header(response.rawHeaders, name);
  return {
    kind: "answer",
    status: response.status,
    contentType: (field("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase(),
    bytes: response.body.length,
    bodyRead: response.bodyRead,
    location: locationOf(response),
    retryAfter: field("retry-after"),
    etag: field("etag"),
    lastModified: field("last-modified"),
    setCookies: headers(response.rawHeaders, "set-cookie"),
    robotsBody: task === "robots" ? robotsText(response.decoded) : null,
    // To who did not ask so it says nothing.
    notModified: response.status === 304 && held !== null && held.conditional !== null,
    challenge: challengeOf(response.status, field),
  };
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

function locationOf(response: FetchResponse): Href | null {
  if (!REDIRECTS.has(response.status)) return null;
  const location = header(response.rawHeaders, "location");
  if (location === null) return null;
  // Header bytes came as Latin-1; what servers mean by bytes above 0x7F in a Location is UTF-8 (as browsers read it).
  const parsed = parseUrl(Buffer.from(location, "latin1").toString("utf8"), response.href);
  return parsed.ok ? parsed.value.href : null;
}

/** RFC 9309: robots.txt is UTF-8; what is not becomes U+FFFD and matches nothing. */
function robotsText(body: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(body.subarray(0, ROBOTS_MOST_BYTES));
}
