/** What a commit records, as it stands in the object store, and how one entry names another. */
import type { HostKey } from "../../../model/host.ts";
import type { VisitRecord } from "../../../model/record.ts";
import type { RequestRecord } from "../../../model/request.ts";
import type { RobotsCopy } from "../../../model/robots-copy.ts";

/** Where an entry stands. */
export interface Pointer {
  /** Of its segment, from 1. */
  readonly ordinal: number;
  /** Among the entries of its segment, from 0. */
  readonly index: number;
}

interface Of<K extends string, T> {
  readonly kind: K;
  readonly host: HostKey;
  /** Of a visit, the one before it of the same URL; null where there is none. */
  readonly previous: Pointer | null;
  readonly value: T;
}

export type Entry = Of<"visit", VisitRecord> | Of<"robots", RobotsCopy> | Of<"request", RequestRecord>;

const RADIX = 36;

/** As Redis keeps it. */
export function pointerText({ ordinal, index }: Pointer): string {
  return `${ordinal.toString(RADIX)}.${index.toString(RADIX)}`;
}

/** Of a text that `pointerText` has made. */
export function pointerOf(text: string): Pointer {
  const [ordinal, index] = text.split(".");
  return { ordinal: Number.parseInt(ordinal!, RADIX), index: Number.parseInt(index!, RADIX) };
}
