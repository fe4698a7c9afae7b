/** The ways in which records are packed, by name and by what they look like. */
import { GZIP } from "./gzip.ts";
import type { Packing } from "./packing.ts";
import { ZSTD } from "./zstd.ts";

export type PackingName = "gzip" | "zstd";

export const PACKINGS: { readonly [N in PackingName]: Packing } = { gzip: GZIP, zstd: ZSTD };

/** The packing of a file, or of a unit, that begins with these bytes; null when it is plain. */
export function packingOf(bytes: Buffer): Packing | null {
  return Object.values(PACKINGS).find(({ magic }) => bytes.indexOf(magic) === 0) ?? null;
}

/** Whether a file of this name is one of ours. */
export function isArchiveName(name: string): boolean {
  return Object.values(PACKINGS).some(({ suffix }) => name.endsWith(suffix));
}
