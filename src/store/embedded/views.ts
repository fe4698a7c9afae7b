/** The views of state.db, for anyone's SQL and our own. They hold nothing, and are made anew for a state of an older version. */

/** What of a host changes with its visits. */
export const HOST_COLUMNS = [
  "due_at",
  "ready_at",
  "delay_until",
  "backoff_until",
  "backoff_steps",
  "slowed",
  "smoothed_ms",
  "address",
  "requests",
  "dead",
  "again",
  "lessons",
] as const;

/** The tables of the index of visits, each larger than the one before. */
export const VISIT_INDEX = ["visit_of_0", "visit_of_1", "visit_of_2", "visit_of_3"] as const;

/** In order: what a view rests on is before it. */
const VIEWS = {
  hosts: `CREATE VIEW hosts AS
  -- Hosts as they are now: the columns of host.
  SELECT
    host.id,
    host.name,
${HOST_COLUMNS.map((name) => `    iif(changed.id IS NULL, host.${name}, changed.${name}) AS ${name}`).join(",\n")}
  FROM host
  LEFT JOIN (SELECT max(id) AS id, host_id, ${HOST_COLUMNS.join(", ")} FROM host_change GROUP BY host_id) AS changed
    ON changed.host_id = host.id;`,
  visit_of: `CREATE VIEW visit_of AS
  ${VISIT_INDEX.map((table) => `SELECT url_id, visit_id FROM ${table}`).join("\n  UNION ALL ")};`,
  urls: `CREATE VIEW urls AS
  -- Every URL with its latest visit, for people: the columns of the exports, priority, due_at and history.
  SELECT
    url.id,
    url.href AS url,
    host.name AS host,
    CASE
      WHEN visit.end NOT IN ('retry', 'follow') AND revisit.url_id IS NULL THEN 'ended'
      WHEN retry.at > unixepoch('subsec') * 1000 THEN 'delayed'
      ELSE 'queued'
    END AS state,
    visit.end,
    visit.detail,
    visit.status,
    nullif(visit.content_type, '') AS content_type,
    visit.media_type,
    visit.charset,
    CASE WHEN visit.status IS NOT NULL THEN visit.bytes END AS bytes,
    visit.title,
    visit.language,
    visit.description,
    visit.canonical,
    visit.noindex,
    visit.nofollow,
    visit.width,
    visit.height,
    visit.open_graph,
    visit.json_ld,
    visit.links_found AS links,
    visit.read_error,
    visit.redirect_to,
    url.depth,
    url.source,
    nullif(url.via, 0) AS via,
    visit.attempt,
    strftime('%Y-%m-%dT%H:%M:%fZ', url.admitted_at / 1000, 'unixepoch') AS admitted_at,
    CASE WHEN visit.address IS NOT NULL
      THEN strftime('%Y-%m-%dT%H:%M:%fZ', visit.started_at / 1000, 'unixepoch') END AS fetched_at,
    CASE WHEN visit.address IS NOT NULL
      THEN CAST(round(visit.ended_at - visit.started_at) AS INTEGER) END AS fetch_ms,
    visit.address,
    visit.etag,
    visit.last_modified,
    nullif(visit.robots_id, 0) AS robots_id,
    visit.duplicate_of,
    visit.near_duplicate_of,
    visit.simhash,
    visit.digest,
    visit.truncated,
    visit.file AS warc_file,
    visit.offset AS warc_offset,
    visit.length AS warc_length,
    visit.revisit_of,
    url.priority,
    strftime('%Y-%m-%dT%H:%M:%fZ', due.at / 1000, 'unixepoch') AS due_at,
    visit.history
  FROM url
  JOIN host ON host.id = url.host_id
  LEFT JOIN visit ON visit.id =
    (SELECT visit_id FROM visit_of WHERE visit_of.url_id = url.id ORDER BY visit_id DESC LIMIT 1)
  LEFT JOIN retry ON retry.url_id = url.id
  LEFT JOIN revisit ON revisit.url_id = url.id
  LEFT JOIN due ON due.url_id = url.id;`,
  requests: `CREATE VIEW requests AS
  -- Every request that was made, for people and for trawl report.
  SELECT url.host_id, visit.href, visit.address, visit.started_at, visit.ended_at, visit.status
  FROM visit JOIN url ON url.id = visit.url_id WHERE visit.address IS NOT NULL
  UNION ALL
  SELECT host_id, href, address, started_at, ended_at, status FROM request;`,
};

export const CREATE_VIEWS = Object.values(VIEWS).join("\n\n");

export const DROP_VIEWS = Object.keys(VIEWS)
  .map((name) => `DROP VIEW IF EXISTS ${name};`)
  .join("\n");
