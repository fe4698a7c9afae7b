/** The tables of state.db; its views are in ./views. The comments stay in the file: `.schema` in any SQLite shell shows them. */

import { CREATE_VIEWS, VISIT_INDEX } from "./views.ts";

/** In the database's header ("Trwl"): tells that a file is ours. */
export const APPLICATION_ID = 0x5472776c;
/** In the header as `user_version`. Raise it with every change that an older program would misread. */
export const SCHEMA_VERSION = 8;

/** What a visit's row holds besides its id: see the table. */
export const VISIT_COLUMNS = [
  "url_id",
  "href",
  "end",
  "detail",
  "attempt",
  "started_at",
  "ended_at",
  "status",
  "content_type",
  "bytes",
  "address",
  "redirect_to",
  "etag",
  "last_modified",
  "robots_id",
  "file",
  "offset",
  "length",
  "captured_at",
  "digest",
  "truncated",
  "media_type",
  "charset",
  "title",
  "language",
  "description",
  "canonical",
  "noindex",
  "nofollow",
  "handler",
  "width",
  "height",
  "open_graph",
  "json_ld",
  "links_found",
  "read_error",
  "simhash",
  "duplicate_of",
  "near_duplicate_of",
  "revisit_of",
  "history",
] as const;

/** What version 4 brought. */
const RETURNS = `CREATE TABLE due (
  -- When URLs that have ended are to be visited again.
  url_id INTEGER PRIMARY KEY,
  at REAL NOT NULL
) STRICT;
CREATE INDEX due_at ON due (at, url_id);

CREATE TABLE revisit (
  -- URLs that had ended and are pending again, until they end.
  url_id INTEGER PRIMARY KEY,
  host_id INTEGER NOT NULL,      -- host.id
  priority INTEGER NOT NULL,     -- the class that it waits in, or has been leased from
  seq INTEGER NOT NULL,          -- in order of coming back
  behind INTEGER NOT NULL        -- url.id of the last that was admitted before
) STRICT;
CREATE INDEX revisit_queue ON revisit (host_id, priority, seq);
`;

const VISIT_INDEX_TABLES = VISIT_INDEX.map(
  (table, level) => `CREATE TABLE ${table} (
  ${
    level === 0
      ? `-- Where the visits of a URL are, in ${VISIT_INDEX.length} tables, the first with the newest: what is too much for one goes into the next.
  -- Ask view visit_of.`
      : `-- As ${VISIT_INDEX[0]}.`
  }
  url_id INTEGER NOT NULL,       -- url.id
  visit_id INTEGER NOT NULL,     -- visit.id
  PRIMARY KEY (url_id, visit_id)
) STRICT, WITHOUT ROWID;`,
);

/** What makes a state of the version given one of the next; its views are made anew in any case. */
export const MIGRATIONS: ReadonlyMap<number, string> = new Map([
  [3, `ALTER TABLE visit ADD COLUMN history TEXT; ${RETURNS}`],
  [4, VISIT_INDEX_TABLES.at(-1)!],
  [5, "ALTER TABLE host ADD COLUMN again TEXT; ALTER TABLE host_change ADD COLUMN again TEXT;"],
  // The levels of a count of links say nothing of cash.
  [6, "ALTER TABLE journal RENAME COLUMN linked TO raised; UPDATE journal SET raised = x'' WHERE length(raised) > 0;"],
  [7, "ALTER TABLE host ADD COLUMN lessons TEXT; ALTER TABLE host_change ADD COLUMN lessons TEXT;"],
]);

const TABLES = `
CREATE TABLE host (
  -- Who has a queue, a robots.txt and a clock of its own. What has changed of late is in host_change: ask view hosts.
  -- Times are milliseconds since 1970, UTC, in all tables.
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,     -- scheme://name[:port]
  due_at REAL NOT NULL DEFAULT 0, -- the frontier leases none of its URLs before
  -- What politeness remembers; null until the host was first asked.
  ready_at REAL,                 -- the later of the two clocks that follow
  delay_until REAL,              -- end of the last request plus the delay
  backoff_until REAL,            -- after 429, 503, refusals
  backoff_steps INTEGER,
  slowed INTEGER,                -- 1: has answered 429 or 503, is not sped up again
  smoothed_ms REAL,              -- smoothed response time
  address TEXT,                  -- last connected to
  requests INTEGER,              -- for its URLs; those for its robots.txt are not counted
  dead TEXT,                     -- why it was given up, if it was
  again TEXT,                    -- JSON: what coming back to its pages has told of it; null: none has come back
  lessons TEXT                   -- JSON: patterns of URLs whose pages were worth nothing, and their credit; null: none
) STRICT;

CREATE TABLE host_change (
  -- What hosts became, in order: of a host the last row holds. Moved into host when there are many, or after some seconds.
  id INTEGER PRIMARY KEY,
  host_id INTEGER NOT NULL,      -- host.id
  due_at REAL NOT NULL,          -- this and the others: as in host
  ready_at REAL,
  delay_until REAL,
  backoff_until REAL,
  backoff_steps INTEGER,
  slowed INTEGER,
  smoothed_ms REAL,
  address TEXT,
  requests INTEGER,
  dead TEXT,
  again TEXT,
  lessons TEXT
) STRICT;

CREATE TABLE url (
  -- Every URL ever admitted, in order of admission. Rows are only appended (a followed self-redirect changes href and hops).
  id INTEGER PRIMARY KEY,
  host_id INTEGER NOT NULL,      -- host.id
  href TEXT NOT NULL,            -- as found and as fetched
  depth INTEGER NOT NULL,
  hops INTEGER NOT NULL,         -- redirects in a row that led here
  via INTEGER NOT NULL,          -- url.id where it was found, 0 for seeds
  source TEXT NOT NULL,          -- seed, added, link, embed, redirect, sitemap, listed, imported
  priority INTEGER NOT NULL,     -- class, 0 first
  admitted_at REAL NOT NULL
) STRICT;

CREATE TABLE visit (
  -- Every attempt at a URL, and every decision to make none (attempt 0). Rows are only appended.
  id INTEGER PRIMARY KEY,
  url_id INTEGER NOT NULL,       -- url.id
  href TEXT NOT NULL,            -- as requested
  end TEXT NOT NULL,             -- how it ended; retry or follow: another attempt comes
  detail TEXT,
  attempt INTEGER NOT NULL,
  started_at REAL NOT NULL,
  ended_at REAL NOT NULL,
  status INTEGER,
  content_type TEXT,             -- as declared
  bytes INTEGER NOT NULL,        -- as received
  address TEXT,
  redirect_to TEXT,
  etag TEXT,
  last_modified TEXT,
  robots_id INTEGER NOT NULL,    -- robots.id in force, 0 for none
  file TEXT,                     -- archive/FILE: where the response record is, or null when nothing was archived
  offset INTEGER,
  length INTEGER,
  captured_at REAL,
  digest TEXT,                   -- of the payload
  truncated TEXT,                -- length, time, disconnect: why the body was cut
  media_type TEXT,               -- after sniffing; null when the body was not read
  charset TEXT,
  title TEXT,
  language TEXT,
  description TEXT,
  canonical TEXT,
  noindex INTEGER,
  nofollow INTEGER,
  handler TEXT,
  width INTEGER,                 -- of an image, in pixels
  height INTEGER,
  open_graph TEXT,               -- JSON: Open Graph and Twitter card properties, a list of texts each
  json_ld TEXT,                  -- JSON: the list of JSON-LD blocks; what is no JSON stands in it as a text
  links_found INTEGER,
  read_error TEXT,               -- why reading stopped early
  simhash TEXT,                  -- of the visible text, 16 hexadecimal digits; null when there is too little
  duplicate_of INTEGER,          -- url.id that had the same body before, to the byte
  near_duplicate_of INTEGER,     -- url.id that had nearly the same text before
  revisit_of INTEGER,            -- url.id whose capture of the same digest holds the body; null: the record there does
  history TEXT                   -- JSON: what all visits up to this one have told (checks, changes, ...); null: it is the first
) STRICT;

${VISIT_INDEX_TABLES.join("\n")}

CREATE TABLE robots (
  -- Every copy of a robots.txt, or of the failure to get one. The latest of a host is in force.
  id INTEGER PRIMARY KEY,
  host_id INTEGER NOT NULL,      -- host.id
  fetched_at REAL NOT NULL,
  expires_at REAL NOT NULL,
  access TEXT NOT NULL,          -- rules, allow-all, unreachable (RFC 9309, 2.3.1)
  status INTEGER NOT NULL,
  failure TEXT,
  body TEXT NOT NULL,
  href TEXT NOT NULL,            -- the last hop of its redirects
  file TEXT,                     -- archive/FILE
  offset INTEGER,
  length INTEGER,
  captured_at REAL,
  digest TEXT,
  truncated TEXT
) STRICT;
CREATE INDEX robots_of_host ON robots (host_id);

CREATE TABLE request (
  -- Requests that are no visit: for robots.txt and the hops of its redirects, and what was broken off by a stop.
  id INTEGER PRIMARY KEY,
  host_id INTEGER NOT NULL,      -- host.id: who was asked
  href TEXT NOT NULL,
  address TEXT NOT NULL,
  started_at REAL NOT NULL,
  ended_at REAL NOT NULL,
  status INTEGER
) STRICT;

CREATE TABLE chunk (
  -- Host queues on disk: up to 64 ids of url, 4 bytes each, little-endian. Ends of queues are in memory; they are
  -- found again from journal.
  host_id INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  ids BLOB NOT NULL,
  PRIMARY KEY (host_id, priority, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE retry (
  -- URLs that were put off and have not ended.
  url_id INTEGER PRIMARY KEY,
  attempt INTEGER NOT NULL,      -- the number of the next attempt
  at REAL NOT NULL               -- not before
) STRICT;

${RETURNS}
CREATE TABLE journal (
  -- One row a transaction: what it admitted and ended, packed, and the counts after it. What memory holds is rebuilt
  -- from here without reading the wide tables.
  id INTEGER PRIMARY KEY,
  at REAL NOT NULL,
  pending INTEGER NOT NULL,      -- admitted and not ended
  leased INTEGER NOT NULL,       -- of these
  delayed INTEGER NOT NULL,      -- of these
  hosts INTEGER NOT NULL,        -- with URLs pending
  ended BLOB NOT NULL,           -- 8 bytes each: url.id, reason.code + 0x10000 dropped, 0x20000 drop undone, 0x40000 pending again; 32-bit little-endian
  raised BLOB NOT NULL,          -- 8 bytes each: url.id, and the level that its cash has risen to
  first_id INTEGER NOT NULL,     -- url.id of the first in admitted; the others follow
  admitted BLOB NOT NULL         -- 16 bytes each: fingerprint (two words), host.id, priority + 256 * level of cash
) STRICT;

CREATE TABLE seen (
  -- With --seen bloom+exact the fingerprint of every URL, with the other filters those of URLs that were dropped.
  hi INTEGER NOT NULL,
  lo INTEGER NOT NULL,
  id INTEGER NOT NULL,           -- url.id
  PRIMARY KEY (hi, lo)
) STRICT, WITHOUT ROWID;

CREATE TABLE reason (code INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;  -- of ends, in journal
CREATE TABLE mark (file TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;          -- how far output files are good
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
`;

export const SCHEMA = `${TABLES}
${CREATE_VIEWS}`;
