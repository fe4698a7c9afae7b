/** Outside rows for warc: real WARC files, good and broken, and the SURT vectors of the Internet Archive's own tools. */
import { createReadStream } from "node:fs";
import path from "node:path";
import { header } from "../../src/model/fetch-result.ts";
import { checkBlockDigest, checkPayloadDigest } from "../../src/warc/digests.ts";
import { readRecords, type WarcDamage, type WarcRecord } from "../../src/warc/reader.ts";
import { surt } from "../../src/warc/surt.ts";
import { json, judgeRows, same } from "./rows.ts";
import type { CaseSet } from "./run.ts";

interface Sample {
  readonly file: string;
  readonly records_by_python_warcio: number;
  readonly types: readonly string[];
  readonly target_uris: readonly string[];
  readonly python_warcio_check: { readonly digest_fail: number };
  readonly jwarc_validate: { readonly messages: readonly string[] };
}

/** ARC is another format, which we do not read. */
const isArc = ({ file }: Sample) => /\.arc(\.gz)?$/.test(file);
/** One validator gives up, the other reads on. */
const VALIDATORS_DIFFER: ReadonlySet<string> = new Set(["example-bad.warc.gz.bad"]);

const targetUri = (record: WarcRecord) => header(record.fields, "warc-target-uri")?.replace(/^<(.*)>$/, "$1");

interface Reading {
  readonly sample: Sample;
  readonly records: readonly WarcRecord[];
  readonly damage: readonly WarcDamage[];
}

/** Read in blocks of an odd size, so that every boundary falls inside a block and across blocks. */
async function readings(casesDir: string, wanted: (sample: Sample) => boolean): Promise<Reading[]> {
  const samples = await json<Sample[]>(casesDir, "warc/expected.json");
  return Promise.all(
    samples.filter(wanted).map(async (sample) => {
      const records: WarcRecord[] = [];
      const damage: WarcDamage[] = [];
      const bytes = createReadStream(path.join(casesDir, "warc/samples", sample.file), { highWaterMark: 97 });
      for await (const item of readRecords(bytes)) {
        if (item.kind === "record") records.push(item);
        else damage.push(item);
      }
      return { sample, records, damage };
    }),
  );
}

function sampleSet(
  name: string,
  binding: boolean,
  wanted: (sample: Sample) => boolean,
  check: (reading: Reading) => string | null,
): CaseSet {
  return { name, run: async (casesDir) => judgeRows(await readings(casesDir, wanted), binding, check) };
}

const isPlain = (sample: Sample) => !isArc(sample) && !VALIDATORS_DIFFER.has(sample.file);

interface Surts {
  readonly defaultIASurt: Readonly<Record<string, string>>;
}

export const sets: readonly CaseSet[] = [
  sampleSet("warc/records", true, isPlain, ({ sample, records, damage }) => {
    const types = records.map((record) => record.type);
    const uris = records.filter((record) => record.type !== "warcinfo").map(targetUri);
    return (
      same(`${sample.file} types`, types, sample.types) ??
      same(`${sample.file} target URIs`, uris, sample.target_uris) ??
      same(`${sample.file} damage`, damage, [])
    );
  }),
  sampleSet("warc/digests", true, isPlain, ({ sample, records }) => {
    const checks = records.flatMap((record) => [checkBlockDigest(record), checkPayloadDigest(record)]);
    return same(
      `${sample.file} wrong digests`,
      checks.filter((c) => c === "wrong").length,
      sample.python_warcio_check.digest_fail,
    );
  }),
  sampleSet(
    "warc/flaws",
    true,
    (sample) => VALIDATORS_DIFFER.has(sample.file),
    ({ sample, records }) => {
      const shared = records.filter((record) => record.flaws.includes("shared-member")).length;
      const said = `not record-at-a-time compressed - ${shared} WARC records in 1 gzip members`;
      return sample.jwarc_validate.messages[0] === said
        ? null
        : `${sample.file}: ${sample.jwarc_validate.messages[0]}, got ${shared}`;
    },
  ),
  sampleSet("warc/not-a-warc", true, isArc, ({ sample, records, damage }) =>
    same(sample.file, [records.length, damage.length], [0, 1]),
  ),
  {
    name: "warc/surt",
    async run(casesDir) {
      const { defaultIASurt } = await json<Surts>(casesDir, "url/urlcanon/surt.json");
      return judgeRows(Object.entries(defaultIASurt), true, ([url, expected]) => same(url, surt(url), expected));
    },
  },
];
