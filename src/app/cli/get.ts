/** `trawl get DIR URL`: what the archive holds of a URL, on standard output. */
import type { Instant } from "../../base/clock.ts";
import { header } from "../../model/fetch-result.ts";
import { contentCodings, decodeBody } from "../../net/decode.ts";
import type { ArchivedResponse } from "../../warc/read-at.ts";
import { readArguments, type Table } from "../config/arguments.ts";
import { bodyElsewhere, nearest } from "../inspect/find-captures.ts";
import { PLACE } from "../place/place.ts";
import type { Command, Shell } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { withCaptures } from "./with-captures.ts";

const TABLE = {
  ...PLACE,
  at: {
    group: "Options",
    kind: "time",
    default: null,
    defaultSays: "the latest",
    says: "of several captures the one nearest to this time",
  },
  head: {
    group: "Options",
    kind: "flag",
    default: false,
    says: "the status line and the header fields as archived, instead of the body",
  },
  raw: { group: "Options", kind: "flag", default: false, says: "the body as it came, content-encoding and all" },
} as const satisfies Table;

/** An archived body is decoded to no more than this. */
const DECODED_MOST = 2 ** 30;
/** Deflate cannot do better than 1,032 to 1; the archive is one's own, so nothing below is taken for a bomb. */
const RATIO_MOST = 1_100;

export const getCommand: Command = {
  name: "get",
  usage: "get DIR URL [--at TIME]",
  says: "what the archive holds of a URL, on standard output",
  more: `The body without content-encoding, byte for byte otherwise; a revisit has that of its original. The
URL is found through state.db, or, where there is none, through the index. Exit code 4 when nothing
of it is archived.`,
  options: TABLE,
  async run(argv, shell) {
    const line = readArguments("get", argv, TABLE);
    const { given } = line;
    return withCaptures("get", line, shell, async ({ captures }, crawl) => {
      const { place, body } = nearest(captures, (given.at ?? null) as Instant | null)!;
      if (given.head) shell.stdout.write(headOf(await crawl.archive.at(place)));
      else if (body === null) {
        shell.stderr.write(`trawl: ${await bodyElsewhere(crawl, { place })}\n`);
        return EXIT.nothingFetched;
      } else await writeBody(await crawl.archive.answer(place, body), given.raw === true, shell);
      return EXIT.done;
    });
  },
};

/** As it stands in the record, with the empty line. */
function headOf({ statusLine, rawHeaders }: ArchivedResponse): Buffer {
  let head = `${statusLine}\r\n`;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) head += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  return Buffer.from(`${head}\r\n`, "latin1");
}

async function writeBody(response: ArchivedResponse, raw: boolean, shell: Shell): Promise<void> {
  const { warcHeaders, rawHeaders, body } = response;
  const truncated = header(warcHeaders, "warc-truncated");
  if (truncated !== null) shell.stderr.write(`trawl: the archived body is not the whole one (${truncated})\n`);
  if (raw) {
    shell.stdout.write(body);
    return;
  }
  const limits = { maxBytes: DECODED_MOST, maxRatio: RATIO_MOST };
  const { bytes, error } = await decodeBody(body, contentCodings(rawHeaders), truncated === null, limits);
  if (error !== null) shell.stderr.write(`trawl: the body does not decode (${error}); --raw gives it as it came\n`);
  shell.stdout.write(bytes);
}
