/** What people ask of a crawl, whether it runs or not: URLs to add, and a pause. */
import type { Instant } from "../base/clock.ts";
import type { Addition } from "../model/addition.ts";

/** Where people put it. It is kept when the call resolves, and stands until a crawl takes it. */
export interface InboxSlot {
  add(addition: Addition, now: Instant): Promise<void>;
  /** Whether that was something new. */
  setPaused(paused: boolean): Promise<boolean>;
  isPaused(): Promise<boolean>;
}

/** Where the running crawl finds it. */
export interface Inbox {
  /**
   * Takes what has come since the last look: URLs are admitted when it returns. True while the crawl is to pause. May be
   * called all the time: unless `eager` it looks only now and then. Never rejects for what others have put in wrongly.
   */
  look(eager: boolean): Promise<boolean>;
}
