/** `trawl verify DIR`: whether a crawl's archive is whole, and agrees with its state, index and pages. */
import { readArguments, type Table } from "../config/arguments.ts";
import { type Verification, verify } from "../inspect/verify/verify.ts";
import { openRemains } from "../place/open.ts";
import { PLACE } from "../place/place.ts";
import { until } from "../place/stopping.ts";
import { count, counted, size } from "../wording.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { oneCrawl } from "./positionals.ts";
import { untilStopped } from "./signals.ts";
import { workDisplay } from "./work-display.ts";

const TABLE = {
  ...PLACE,
  json: { group: "Options", kind: "flag", default: false, says: "as one JSON object" },
} as const satisfies Table;

export const verifyCommand: Command = {
  name: "verify",
  usage: "verify DIR",
  says: "whether a crawl is whole: reads all of its archive, changes nothing",
  more: `Every record is read, every digest recomputed, and archive, state.db, index and pages.jsonl are
held against each other. A crawl that is running is verified as of its last commit; what crawlers
have written since is counted, and in order. Exit code 3 when anything is damaged.`,
  options: TABLE,
  async run(argv, shell) {
    const line = readArguments("verify", argv, TABLE);
    const { given } = line;
    const place = oneCrawl("verify", line, shell.cwd);
    return await untilStopped(shell, async (signal) => {
      await using crawl = until(signal, await openRemains(place, { frozen: true }));
      const display = workDisplay(
        shell.stderr,
        shell,
        (done, total) => `Read ${size(done)}${total === null ? "" : ` of ${size(total)}`}`,
      );
      const onProgress = (done: number, total: number): void => {
        signal.throwIfAborted();
        display.at(done, total);
      };
      const verification = await verify(crawl, onProgress, shell.clock.now()).finally(display.end);
      shell.stdout.write(given.json ? jsonOf(verification) : `${reportOf(crawl.name, verification).join("\n")}\n`);
      return verification.faults === 0 ? EXIT.done : EXIT.disk;
    });
  },
};

function reportOf(name: string, verification: Verification): string[] {
  const { archive, claims, hasState, leftOver, pages, faults, told, notes } = verification;
  const types = [...archive.byType].map(([type, n]) => `${count(n)} ${type || "without a type"}`).join(", ");
  const digests = `${counted(archive.blocks, "block")} and ${counted(archive.payloads, "payload")}`;
  const files = `${counted(archive.files, "file")}, ${size(archive.bytes)}, ${counted(archive.records, "record")}`;
  return [
    name,
    `  archive  ${files}${types === "" ? "" : `: ${types}`}`,
    `  digests  ${digests} recomputed and right`,
    ...(hasState
      ? [
          `  state    ${counted(claims.captures, "capture")}${claims.revisits > 0 ? ` (${counted(claims.revisits, "revisit")})` : ""}, ${counted(claims.robots, "copy", "copies")} of robots.txt`,
        ]
      : []),
    ...(pages === null ? [] : [`  pages    ${counted(pages, "line")}`]),
    ...(claims.indexed === null ? [] : [`  index    ${counted(claims.indexed, "line")}`]),
    ...(archive.unsettled > 0
      ? [`  running  ${counted(archive.unsettled, "response")} written, and not settled yet`]
      : []),
    ...(archive.unclaimed > 0 && hasState
      ? [`  note     ${counted(archive.unclaimed, "response")} in the archive that the state does not speak of`]
      : []),
    ...(leftOver !== null && leftOver.objects > 0
      ? [
          `  note     ${counted(leftOver.objects, "object")} (${size(leftOver.bytes)}) in the store that nothing points to; crawlers take them away`,
        ]
      : []),
    ...notes.map((note) => `  note     ${note}`),
    ...told.map((fault) => `  FAULT    ${fault}`),
    ...(faults > told.length ? [`  FAULT    and ${count(faults - told.length)} more`] : []),
    faults === 0 ? "Sound." : `Damaged: ${counted(faults, "fault")}.`,
  ];
}

function jsonOf({ archive, claims, leftOver, pages, faults, told, notes }: Verification): string {
  const { byType, ...counts } = archive;
  const body = { sound: faults === 0, archive: { ...counts, byType: Object.fromEntries(byType) } };
  return `${JSON.stringify({ ...body, state: claims, leftOver, pages, faults, firstFaults: told, notes })}\n`;
}
