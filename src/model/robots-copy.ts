/** A copy of a robots.txt, or of the failure to get one. It is stored, and every capture names the copy in force. */
import type { Instant } from "../base/clock.ts";
import type { Capture } from "./capture.ts";
import type { HostKey } from "./host.ts";
import type { Href } from "./url.ts";

export interface RobotsCopy {
  /** Given by the store; 0 before it is stored. */
  readonly id: number;
  readonly host: HostKey;
  readonly fetchedAt: Instant;
  readonly expiresAt: Instant;
  /** What RFC 9309 section 2.3.1 makes of the answer. */
  readonly access: "rules" | "allow-all" | "unreachable";
  /** HTTP status of the last hop, or 0 when there was no answer. */
  readonly status: number;
  /** Why there was no answer, when there was none. */
  readonly failure: string | null;
  /** The decoded body (UTF-8, at most 512 KiB); "" unless `access` is "rules". */
  readonly body: string;
  /** The URL that answered: the last hop of the redirects. */
  readonly href: Href;
  readonly capture: Capture | null;
}
