/** Every answer goes into the archive as it came, whatever it is; failures have no record there, only in the state. */
import type { Capture } from "../model/capture.ts";
import type { FetchResponse } from "../model/fetch-result.ts";
import type { Errand } from "../model/visited.ts";
import type { VisitContext } from "./context.ts";

export function keep(
  response: FetchResponse,
  mediaType: string,
  errand: Errand,
  { archive }: Pick<VisitContext, "archive">,
): Capture {
  const identifiedType = response.body.length > 0 ? mediaType : null;
  const complete = response.bodyRead || response.truncated !== null;
  return archive.append(complete ? response : { ...response, truncated: "unspecified" }, {
    robotsId: errand.robotsId,
    identifiedType,
    via: null,
  });
}
