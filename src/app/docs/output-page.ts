/** docs/output.md, made from the columns of exports, the fields of changes and the schema of state.db: `npm run docs:output` prints it. */
import { changeFields } from "../../export/changes.ts";
import { columns } from "../../export/columns.ts";
import { SCHEMA } from "../../store/embedded/schema.ts";
import { markdownTable } from "../cli/help-text.ts";

interface SqlTable {
  readonly name: string;
  readonly says: string;
  /** Name and comment of each column. */
  readonly columns: readonly (readonly [name: string, says: string])[];
}

/** The whole page, as the formatter would leave it. */
export function outputPage(): string {
  const rows = named(columns);
  const tables = tablesOf(SCHEMA).map(
    ({ name, says, columns }) =>
      `### ${name}\n\n${says === "" ? "" : `${says}\n\n`}${markdownTable(
        ["column", "what it holds"],
        columns.map(([column, words]) => [`\`${column}\``, words]),
      )}\n`,
  );
  const fields = markdownTable(["field", "what it says"], named(changeFields));
  return [
    PREAMBLE,
    `${markdownTable(["column", "what it says"], rows)}\n`,
    CHANGES,
    `${fields}\n`,
    STATE,
    ...tables,
  ].join("\n");
}

const named = (rows: readonly { readonly name: string; readonly says: string }[]): string[][] =>
  rows.map(({ name, says }) => [`\`${name}\``, says]);

/** What the `CREATE TABLE` statements of a schema say, its comments included. Written for our own schema, not for any SQL. */
export function tablesOf(schema: string): SqlTable[] {
  const many =
    /^CREATE TABLE (\w+) \(\n(.*?)\n\) STRICT|^CREATE TABLE (\w+) \(([^\n]*)\) STRICT;(?: +-- ([^\n]*))?$/gms;
  const one = (text: string): SqlTable["columns"] =>
    text.split(/, /).map((column) => [column.split(" ", 1)[0]!, ""] as const);
  return [...schema.matchAll(many)].map(([, name, body, short, inline, says]) =>
    name !== undefined ? tableOf(name, body!) : { name: short!, says: says ?? "", columns: one(inline!) },
  );
}

/** A comment on lines of its own belongs to the table when it comes first, to the column below it otherwise. */
function tableOf(name: string, body: string): SqlTable {
  const found: [string, string][] = [];
  let above: string[] = [];
  let says = "";
  for (const line of body.split("\n").map((text) => text.trim())) {
    const [, column, comment = ""] = /^([a-z]\w*) .*?(?:-- (.*))?$/.exec(line) ?? [];
    if (line.startsWith("-- ")) above.push(line.slice(3));
    else if (column !== undefined) {
      if (found.length === 0) says = above.join(" ");
      const heading = found.length === 0 || above.length === 0 ? "" : `${above.join(" ").replace(/\.$/, "")}: `;
      found.push([column, heading + comment]);
      above = [];
    }
  }
  return { name, says, columns: found };
}

const PREAMBLE = `# What a crawl leaves

<!-- Made by \`npm run docs:output\` from src/export/columns.ts, src/export/changes.ts and src/store/embedded/schema.ts. -->

Everything is in the crawl's directory, \`crawls/HOST\` or what \`--dir\` names.

${markdownTable(
  ["in DIR", "what it is"],
  [
    ["`crawl.json`", "The configuration that the crawl runs with. Passwords are not in it."],
    ["`state.db`", "All that is known of every URL, host and request: SQLite, open to your SQL while the crawl runs."],
    ["`lock.db`", "Held by the process that is crawling; empty."],
    ["`archive/*.warc.gz`", "WARC 1.1: requests and responses as received, a gzip member a record. Or `*.warc.zst`."],
    ["`indexes/index.cdxj`", "Where each capture is in the archive, sorted by SURT and time. Written when a run ends."],
    [
      "`pages/pages.jsonl`",
      "A line a URL that was asked for, or that robots.txt denied, each time that it ended. Not those left out on admission.",
    ],
    ["`logs/*.jsonl`", "What each run had to say, an event a line."],
    ["`spool/`", "What `trawl add` and `trawl pause` leave for the crawl."],
  ],
)}

## Columns

Each line of \`pages.jsonl\` and of \`--jsonl\`, each row of \`trawl export\` as \`.jsonl\` and \`.csv\`, and each row of the view
\`urls\` in \`state.db\` has these columns. An export has every URL, also those that were left out or not asked for yet. The
columns of \`.parquet\` are named as in Common Crawl's index.

A URL that is visited again has a line for each time in \`pages.jsonl\`; the last one holds. In its row are the facts of the
page as it was seen last: those of an answer "not modified" (304), which has no body, are of the visit before, and so are those
of a page that is gone, has moved, is forbidden, or could not be reached.
`;

const CHANGES = `## Changes

\`--events FILE\` appends a line for each page that is new, has changed, has gone, or has come back; \`--events -\` writes them to
standard output. A page has changed when its visible text differs in more than three bits of its SimHash from what it was when
it changed last; where there is too little text to tell, when any byte differs. What cannot be reached is as it was, and is not
told. In FILE each change stands once, whatever happens: a line is on disk before the state knows of it, and a crawl that was
killed cuts off what no commit has counted. Of crawlers that share a crawl each has a file of its own, with the changes of
the pages that it visited. On standard output a line comes after the commit, so that a kill may swallow one.
`;

const STATE = `## state.db

Begin with the view \`urls\`: a row a URL, with the columns above (yes and no are 1 and 0), \`priority\`, \`due_at\` (when it
is to be visited again) and \`history\` (JSON: what coming back to it has told; null while it was visited once).

\`\`\`sh
sqlite3 -readonly DIR/state.db "SELECT end, count(*) FROM urls GROUP BY end"
sqlite3 -readonly DIR/state.db "SELECT url, bytes, fetch_ms FROM urls WHERE status = 200 ORDER BY fetch_ms DESC LIMIT 10"
sqlite3 -readonly DIR/state.db "SELECT url, history->'checks', history->'changes', due_at FROM urls WHERE history IS NOT NULL"
\`\`\`

\`bytes\` is the length of the body as received: compressed, where the server compressed it. View \`hosts\` has a row a
host as it is now, view \`visit_of\` the ids in \`visit\` by URL, view \`requests\` every request that was made, those for
robots.txt too. Times in the tables are milliseconds since 1970, UTC; in the view \`urls\` and in exports they are ISO 8601.
The tables may change with the version; the names in \`urls\` are meant to stay.
`;

if (import.meta.main) process.stdout.write(outputPage());
