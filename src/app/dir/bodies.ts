/** Where the body of a capture stands: in its own record, or, of a revisit, in that of the capture that it refers to. */
import type { Capture, Locator } from "../../model/capture.ts";
import type { StateQueries } from "../../ports/frontier.ts";

/** Null when the capture that holds the body is not in the state. */
export async function bodyPlace(capture: Capture, state: Pick<StateQueries, "visitsOf">): Promise<Locator | null> {
  if (capture.revisitOf === undefined) return capture.response;
  for (const { capture: other } of await state.visitsOf(capture.revisitOf))
    if (other !== null && other.digest === capture.digest && other.revisitOf === undefined) return other.response;
  return null;
}
