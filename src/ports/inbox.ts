/** What people ask of a crawl while it runs: URLs to add, and a pause. */

export interface Inbox {
  /**
   * Takes what has come since the last look: URLs are admitted when it returns. True while the crawl is to pause. May be
   * called all the time: unless `eager` it looks only now and then. Never rejects for what others have put in wrongly.
   */
  look(eager: boolean): Promise<boolean>;
}
