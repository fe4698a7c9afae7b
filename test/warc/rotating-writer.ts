/** A process that does nothing but archive, in files that are full at once, and says after each sync what is durable; to be killed. */
import type { ArchiveMark, Capture } from "../../src/model/capture.ts";
import { archiveIn, exchange, note } from "./fixtures.ts";

/** A line of its output. */
export interface Durable {
  readonly marks: readonly ArchiveMark[];
  readonly captures: readonly Capture[];
}

if (import.meta.main) {
  const archive = await archiveIn(process.argv[2]!, { maxFileBytes: 4_000 });
  for (let i = 0; i < 100_000; i++) {
    const captures = [0, 1, 2].map((nth) => archive.append(exchange({ text: `page ${i} ${nth}`.repeat(20) }), note));
    const marks = await archive.sync();
    process.stdout.write(`${JSON.stringify({ marks, captures } satisfies Durable)}\n`);
  }
}
