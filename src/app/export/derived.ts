/** WET and WAT of a crawl: the text of its pages, and what is known of its answers, made of the archive. */
import { ahead } from "../../base/in-step.ts";
import { isPresent } from "../../model/end.ts";
import { header, type RawHeaders } from "../../model/fetch-result.ts";
import type { VisitRecord } from "../../model/record.ts";
import type { ReadOnlyState } from "../../ports/read-only.ts";
import { type Derived, derivedChunks } from "../../warc/derived.ts";
import { answerIn, parseHttp } from "../../warc/http.ts";
import type { WarcRecord } from "../../warc/reader.ts";
import { ANSWERS_AHEAD, answerTo, MOST_BODY_BYTES } from "../dir/answers.ts";
import { seenIn } from "../page-content.ts";
import { VERSION } from "../version.ts";
import { archivedRecords } from "./archive-records.ts";
import type { ExportJob } from "./job.ts";
import { idsOf, isMain, outlinksIn } from "./links.ts";
import type { Where } from "./where.ts";

/** Of each page that was fetched (HTML, PDF, plain text) what a reader sees of it, a block a line. */
export const writeWet = (job: ExportJob): Promise<void> => write(job, "wet", texts(job));

/** Of each answer its status, header fields, title and links. */
export const writeWat = (job: ExportJob): Promise<void> => write(job, "wat", facts(job));

function write(job: ExportJob, what: string, records: AsyncIterable<Derived>): Promise<void> {
  const info = { software: `trawl/${VERSION}`, description: `${what.toUpperCase()} of a crawl` };
  const counted = job.tally.each("record", records);
  return job.emit(derivedChunks(info, `crawl.warc.${what}.gz`, job.now, counted));
}

async function* texts(job: ExportJob): AsyncGenerator<Derived> {
  const answers = ahead(presentPages(job), ANSWERS_AHEAD, async (visit) => ({
    visit,
    answer: await answerTo(visit, job, MOST_BODY_BYTES),
  }));
  for await (const { visit, answer } of answers) {
    if (answer === null) continue;
    const text = await seenIn(answer.document(), { lines: true }).catch(() => ""); // a PDF that nobody can read
    if (text.trim() === "") continue;
    yield {
      type: "conversion",
      targetUri: visit.href,
      at: visit.capture!.at,
      refersTo: answer.recordId,
      contentType: "text/plain",
      language: visit.page?.language ?? null,
      text: text.endsWith("\n") ? text : `${text}\n`,
    };
  }
}

async function* presentPages({ state, where, onProgress }: ExportJob): AsyncGenerator<VisitRecord> {
  let seen = 0;
  for await (const { href, visit } of state.urls({ endedOnly: true })) {
    if ((++seen & 63) === 0) onProgress("URLs", seen, null);
    if (visit !== null && isPresent(visit.end) && (where === null || where(href, visit))) yield visit;
  }
}

/** An answer, and the metadata record that follows it, if one does. */
async function* facts(job: ExportJob): AsyncGenerator<Derived> {
  const { state, where } = job;
  for await (const file of archivedRecords(job)) {
    let main: WarcRecord | null = null;
    let metadata: Buffer | null = null;
    for await (const record of file.records) {
      if (record.type === "metadata") metadata = record.block;
      if (!isMain(record.type)) continue;
      if (main !== null) yield factsOf(main, metadata, file.name);
      main = where === null || (await isMeant(record, file.name, state, where)) ? record : null;
      metadata = null;
    }
    if (main !== null) yield factsOf(main, metadata, file.name);
  }
}

/** Whether a record is of a visit that is meant. One of no URL of the crawl (a robots.txt) is not. */
async function isMeant(
  { fields, offset }: WarcRecord,
  file: string,
  state: ReadOnlyState,
  where: Where,
): Promise<boolean> {
  const [id] = await idsOf([header(fields, "warc-target-uri") ?? ""], state);
  const visits = id == null ? [] : await state.visitsOf(id);
  const visit = visits.find(({ capture }) => capture?.response.file === file && capture.response.offset === offset);
  return visit !== undefined && where(visit.href, visit);
}

/** In the shape of Common Crawl's WAT, as far as it is known here. */
function factsOf(main: WarcRecord, metadata: Buffer | null, file: string): Derived {
  const field = (name: string) => header(main.fields, name) ?? "";
  const { startLine, rawHeaders, body } =
    main.type === "resource" ? answerIn(main.fields, main.block) : parseHttp(main.block);
  const headLength = main.block.length - body.length;
  const [, version = "", status = "", reason = ""] = /^(\S*) ?(\S*) ?(.*)$/.exec(startLine) ?? [];
  const links = metadata === null ? [] : [...outlinksIn(metadata)];
  const envelope = {
    Container: {
      Filename: file,
      Compressed: true,
      Offset: String(main.offset),
      "Gzip-Metadata": { "Deflate-Length": String(main.length) },
    },
    Envelope: {
      Format: "WARC",
      "WARC-Header-Metadata": objectOf(main.fields),
      "Payload-Metadata": {
        "Actual-Content-Type": field("content-type"),
        "Actual-Content-Length": String(main.blockLength),
        "Block-Digest": field("warc-block-digest"),
        "HTTP-Response-Metadata": {
          "Response-Message": { Version: version, Status: status, Reason: reason },
          Headers: objectOf(rawHeaders),
          "Headers-Length": String(headLength),
          "Entity-Length": String(main.blockLength - headLength),
          "Entity-Digest": field("warc-payload-digest"),
          ...(metadata === null
            ? {}
            : {
                "HTML-Metadata": {
                  Links: links.map(({ toUrl, element, nofollow }) => ({
                    path: PATHS[element] ?? element,
                    url: toUrl,
                    ...(nofollow ? { rel: "nofollow" } : {}),
                  })),
                },
              }),
        },
      },
    },
  };
  return {
    type: "metadata",
    targetUri: field("warc-target-uri"),
    at: Date.parse(field("warc-date")),
    refersTo: field("warc-record-id"),
    contentType: "application/json",
    text: JSON.stringify(envelope),
  };
}

/** As WAT files say where a link stood. */
const PATHS: Readonly<Record<string, string>> = {
  a: "A@/href",
  area: "AREA@/href",
  link: "LINK@/href",
  img: "IMG@/src",
  script: "SCRIPT@/src",
  iframe: "IFRAME@/src",
  form: "FORM@/action",
};

/** A field that comes twice keeps both values. */
function objectOf(fields: RawHeaders): Record<string, string> {
  const object: Record<string, string> = Object.create(null);
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i]!;
    object[name] = name in object ? `${object[name]}, ${fields[i + 1]}` : fields[i + 1]!;
  }
  return object;
}
