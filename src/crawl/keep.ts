/**
 * Every answer goes into the archive as it came, whatever it is; failures have no record there, only in the state (so do
 * the files that are not there). A body
 * that the archive holds already is not written again; what reading found stands beside the page.
 */
import type { Capture } from "../model/capture.ts";
import type { FetchResponse } from "../model/fetch-result.ts";
import type { Answer, Errand } from "../model/visited.ts";
import type { Revisit } from "../ports/archive.ts";
import type { VisitContext } from "./context.ts";
import type { Reading } from "./read.ts";

/** The reference would be as long as such a body. */
const SHORT_BYTES = 1024;

export interface KnownBody {
  readonly digest: string;
  readonly revisit: Revisit | null;
}

/** Who has the body of an answer to a page already; null when nobody is asked: the body is short, not whole, or no HTTP's. */
export async function knownBody(
  response: FetchResponse,
  { task, held }: Pick<Errand, "task" | "held">,
  { notModified }: Pick<Answer, "notModified">,
  { archive, originals }: Pick<VisitContext, "archive" | "originals">,
): Promise<KnownBody | null> {
  if (notModified && held !== null) {
    const { original } = held;
    return { digest: original.digest, revisit: { profile: "server-not-modified", original } };
  }
  const whole = response.bodyRead && response.truncated === null && response.httpVersion !== null;
  if (originals === null || task !== "page" || !whole || response.body.length < SHORT_BYTES) return null;
  const digest = archive.digest(response.body);
  const original = held?.original.digest === digest ? held.original : await originals.of(digest);
  return { digest, revisit: original === null ? null : { profile: "identical-payload-digest", original } };
}

export function keep(
  response: FetchResponse,
  mediaType: string,
  errand: Errand,
  reading: Reading,
  known: KnownBody | null,
  { archive, rules }: Pick<VisitContext, "archive" | "rules">,
): Capture {
  const complete = response.bodyRead || response.truncated !== null;
  return archive.append(complete ? response : { ...response, truncated: "unspecified" }, {
    robotsId: errand.robotsId,
    identifiedType: response.body.length > 0 ? mediaType : null,
    via: errand.via,
    ...(known === null ? {} : { digest: known.digest }),
    revisit: known?.revisit ?? null,
    metadata: rules.metadata ? metadataOf(response, errand, reading) : null,
    conversions: reading.conversions,
  });
}

/** The names are Heritrix's where it has one. A robots.txt has none: it was asked for by nobody's link. */
function metadataOf(
  { startedAt, endedAt }: FetchResponse,
  { task, lease, via }: Errand,
  { page, outlinks }: Reading,
): string[] | null {
  if (task === "robots") return null;
  const fields = ["fetchTimeMs", String(Math.round(endedAt - startedAt)), "depth", String(lease.url.depth)];
  if (via !== null) fields.push("via", via);
  if (page !== null && page.charset !== null) fields.push("charsetForLinkExtraction", page.charset);
  for (const outlink of outlinks) fields.push("outlink", outlink);
  return fields;
}
