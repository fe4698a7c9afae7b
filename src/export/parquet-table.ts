/** A table as Parquet, in pieces: rows are held only until their group is full. */

import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import type { Instant } from "../base/clock.ts";
import type { Stream } from "../base/streamed.ts";

export type Kind = "text" | "int" | "long" | "real" | "flag" | "time";

export interface ParquetColumn<Row> {
  readonly name: string;
  readonly kind: Kind;
  readonly of: (row: Row) => string | number | boolean | null;
}

export const column = <Row>(name: string, kind: Kind, of: ParquetColumn<Row>["of"]): ParquetColumn<Row> => ({
  name,
  kind,
  of,
});

const TYPES: { readonly [K in Kind]: Omit<SchemaElement, "name"> } = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  int: { type: "INT32" },
  long: { type: "INT64" },
  real: { type: "DOUBLE" },
  flag: { type: "BOOLEAN" },
  time: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
};

/** Rows held at once. Readers skip whole groups of rows, so groups should be neither small nor few. */
const ROWS_A_GROUP = 16_384;

export interface ParquetLimits {
  /** The program and its version. */
  readonly createdBy?: string;
  readonly rowsAGroup?: number;
}

/** The file in pieces, one for each group of rows and one for its end. */
export async function* tableChunks<Row>(
  columns: readonly ParquetColumn<Row>[],
  rows: Stream<Row>,
  { createdBy = "trawl", rowsAGroup = ROWS_A_GROUP }: ParquetLimits = {},
): AsyncGenerator<Uint8Array> {
  const writer = new DrainedWriter();
  const parquet = new ParquetWriter({ writer, schema: schemaOf(columns), createdBy });
  const emptyGroup = (): Value[][] => columns.map(() => []);
  const write = (group: readonly Value[][], rowGroupSize: number) =>
    parquet.write({ columnData: columns.map(({ name }, i) => ({ name, data: group[i]! })), rowGroupSize });
  let group = emptyGroup();
  let held = 0;
  for await (const row of rows) {
    for (let i = 0; i < columns.length; i++) group[i]!.push(cellOf(columns[i]!, row));
    if (++held < rowsAGroup) continue;
    await write(group, held);
    yield writer.drain();
    group = emptyGroup();
    held = 0;
  }
  if (held > 0) await write(group, held);
  await parquet.finish();
  yield writer.drain();
}

const schemaOf = (columns: readonly ParquetColumn<never>[]): SchemaElement[] => [
  { name: "root", num_children: columns.length },
  ...columns.map(({ name, kind }): SchemaElement => ({ name, repetition_type: "OPTIONAL", ...TYPES[kind] })),
];

type Value = string | number | boolean | bigint | Date | null;

function cellOf<Row>({ kind, of }: ParquetColumn<Row>, row: Row): Value {
  const value = of(row);
  if (value === null) return null;
  if (kind === "long") return BigInt(Math.round(value as number));
  return kind === "time" ? new Date(Math.floor(value as Instant)) : value;
}

/** Keeps what was written only until it is taken. */
class DrainedWriter extends ByteWriter {
  drain(): Uint8Array {
    const bytes = this.getBytes().slice();
    this.index = 0; // where the buffer is written next; `offset` goes on counting from the file's beginning
    return bytes;
  }
}
