/** Outside rows for warc: real WARC files, good and broken, and the SURT vectors of the Internet Archive's own tools. */
import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { importArchives } from "../../src/app/import/import.ts";
import { verify } from "../../src/app/inspect/verify/verify.ts";
import { openDirectory } from "../../src/app/place/directory.ts";
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

const CAPTURES = /^(response|revisit|resource)$/;

/** The target of the nth record: the list leaves out those of warcinfo records. */
const uriOf = ({ types, target_uris }: Sample, nth: number): string =>
  target_uris[types.slice(0, nth).filter((type) => type !== "warcinfo").length] ?? "";

/** What a directory holds that the sample was imported into. */
async function imported(file: string): Promise<{ captures: number; faults: number }> {
  const dir = await mkdtemp(path.join(tmpdir(), "trawl-cases-"));
  try {
    const reading = { handlers: [], nearDuplicates: false, assets: false, maxBody: 2 ** 24, userAgent: "casebot" };
    const { plan } = await importArchives({ files: [file], dir, link: false, reading, fault() {}, onProgress() {} });
    await using crawl = await openDirectory(dir);
    return { captures: plan.captures, faults: (await verify(crawl, () => {})).faults };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

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
    // Sound when imported, but for the one sample whose own digest is wrong; ARC gives nothing.
    name: "warc/import",
    async run(casesDir) {
      const samples = await json<Sample[]>(casesDir, "warc/expected.json");
      const runs: { sample: Sample; captures: number; faults: number }[] = [];
      for (const sample of samples.filter((one) => isArc(one) || isPlain(one)))
        runs.push({ sample, ...(await imported(path.join(casesDir, "warc/samples", sample.file))) });
      return judgeRows(runs, true, ({ sample, captures, faults }) => {
        const isHttp = (_: string, i: number) => /^https?:/.test(uriOf(sample, i));
        const wanted = isArc(sample)
          ? 0
          : sample.types.filter((type, i) => CAPTURES.test(type) && isHttp(type, i)).length;
        const wrong = sample.python_warcio_check.digest_fail;
        return same(`${sample.file} captures`, captures, wanted) ?? same(`${sample.file} faults`, faults, wrong);
      });
    },
  },
  {
    name: "warc/surt",
    async run(casesDir) {
      const { defaultIASurt } = await json<Surts>(casesDir, "url/urlcanon/surt.json");
      return judgeRows(Object.entries(defaultIASurt), true, ([url, expected]) => same(url, surt(url), expected));
    },
  },
];
