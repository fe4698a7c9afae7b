/** A unified diff of two texts, by lines, in bounded time and memory however long and however different they are. */
import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from "diff";

export interface Side {
  readonly name: string;
  /** Stands beside the name: a time. */
  readonly says: string;
  readonly text: string;
}

export interface DiffLimits {
  /** So many lines may be added and removed before no shortest way is sought; work and memory grow with its square. */
  readonly maxEdits: number;
  readonly maxMs: number;
}

const LIMITS: DiffLimits = { maxEdits: 4_000, maxMs: 5_000 };

const CONTEXT = 3;

export interface TextDiff {
  /** "" when the texts are the same. */
  readonly patch: string;
  /** The texts are too different for the limits: all lines between the first and the last that differ are in the patch. */
  readonly coarse: boolean;
}

/** A line feed that is missing at the end counts as there. */
export function textDiff(one: Side, other: Side, limits = LIMITS): TextDiff {
  const [from, to] = [ended(one), ended(other)];
  if (from.text === to.text) return { patch: "", coarse: false };
  const fine = structuredPatch(from.name, to.name, from.text, to.text, from.says, to.says, {
    context: CONTEXT,
    maxEditLength: limits.maxEdits,
    timeout: limits.maxMs,
  });
  const patch = fine ?? coarsePatch(from, to);
  return { patch: formatPatch(patch, FILE_HEADERS_ONLY), coarse: fine === undefined };
}

function coarsePatch(from: Side, to: Side): StructuredPatch {
  const [old, young] = [linesOf(from.text), linesOf(to.text)];
  const most = Math.min(old.length, young.length);
  let head = 0;
  while (head < most && old[head] === young[head]) head++;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === young.at(-1 - tail)) tail++;
  const before = old.slice(Math.max(head - CONTEXT, 0), head);
  const after = old.slice(old.length - tail, old.length - tail + CONTEXT);
  const around = before.length + after.length;
  const [gone, come] = [old.slice(head, old.length - tail), young.slice(head, young.length - tail)];
  const start = head - before.length + 1;
  const hunk = {
    ...{ oldStart: start, oldLines: gone.length + around, newStart: start, newLines: come.length + around },
    lines: [
      ...before.map((line) => ` ${line}`),
      ...gone.map((line) => `-${line}`),
      ...come.map((line) => `+${line}`),
      ...after.map((line) => ` ${line}`),
    ],
  };
  return {
    ...{ oldFileName: from.name, newFileName: to.name, oldHeader: from.says, newHeader: to.says },
    hunks: [hunk],
  };
}

const ended = (side: Side): Side =>
  side.text === "" || side.text.endsWith("\n") ? side : { ...side, text: `${side.text}\n` };

/** Without their line feeds. */
const linesOf = (text: string): string[] => (text === "" ? [] : text.slice(0, -1).split("\n"));
