/** `--where FIELD=VALUE`: which of a crawl's URLs are meant. */
import { DROP_REASONS, VISIT_REASONS } from "../../model/end.ts";
import { matchesMediaType } from "../../model/media-type.ts";
import type { VisitRecord } from "../../model/record.ts";
import { didYouMean } from "../config/closest.ts";
import type { Option } from "../config/option.ts";
import { parseValue } from "../config/values.ts";
import { UsageError } from "../usage-error.ts";

/** Whether a URL, with its latest visit or the one in question, is meant. */
export type Where = (href: string, visit: VisitRecord | null) => boolean;

const ENDS: ReadonlySet<string> = new Set([...VISIT_REASONS, ...DROP_REASONS]);
const TIME: Option = { kind: "time", default: null, group: "Options", says: "" };
const TYPE: Option = { kind: "type", default: null, group: "Options", says: "" };

/** Each makes a test of a value, or says what the value should have been. */
const FIELDS: Readonly<Record<string, (value: string) => Where | string>> = {
  status(value) {
    const [, from, to = from] = /^([1-9]\d\d)(?:-([1-9]\d\d))?$/.exec(value.replace(/^([1-9])xx$/i, "$100-$199")) ?? [];
    if (from === undefined) return "is no status; write 200, 4xx or 400-499";
    return (_, visit) => visit?.status != null && visit.status >= Number(from) && visit.status <= Number(to);
  },
  type(value) {
    const pattern = parseValue(TYPE, value);
    if (!pattern.ok) return pattern.error;
    return (_, visit) => matchesMediaType(String(pattern.value), typeOf(visit));
  },
  host(value) {
    const name = value.toLowerCase();
    if (!/^(\*\.)?[^*/\s]+$/.test(name)) return "is no host; write example.com, example.com:8080 or *.example.com";
    return (href) => {
      const url = new URL(href);
      if (name.startsWith("*.")) return url.hostname === name.slice(2) || url.hostname.endsWith(name.slice(1));
      return url.hostname === name || url.host === name;
    };
  },
  end(value) {
    if (!ENDS.has(value))
      return `is no way to end${didYouMean(value, [...ENDS]) || `; they are ${[...ENDS].join(", ")}`}`;
    return (_, visit) => visit?.end === value;
  },
  since: (value) => timed(value, (at, bound) => at >= bound),
  until: (value) => timed(value, (at, bound) => at < bound),
};

function timed(value: string, holds: (at: number, bound: number) => boolean): Where | string {
  const bound = parseValue(TIME, value);
  if (!bound.ok) return bound.error;
  return (_, visit) => visit?.address != null && holds(visit.startedAt, bound.value as number);
}

/** After sniffing, or, where the body was not read, as declared. */
function typeOf(visit: VisitRecord | null): string {
  return visit?.page?.mediaType ?? (visit?.contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/**
 * All that is said must hold; of several values of one field one must, but for the bounds of time. Null when nothing is
 * said. Throws a `UsageError`.
 */
export function parseWhere(texts: readonly string[]): Where | null {
  const byField = new Map<string, Where[]>();
  for (const text of texts) {
    const [, field = text, value] = /^(.*?)=(.*)$/s.exec(text) ?? [];
    const make = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    if (make === undefined || value === undefined) {
      const hint = make === undefined ? didYouMean(field, Object.keys(FIELDS)) : "";
      const mend =
        hint || "; write status=200, type=text/html, host=example.com, end=fetched, since=TIME or until=TIME";
      throw new UsageError("bad-value", `--where: "${text}" says no field and value${mend}`);
    }
    const test = make(value);
    if (typeof test === "string") throw new UsageError("bad-value", `--where: "${value}" ${test}`);
    byField.set(field, [...(byField.get(field) ?? []), test]);
  }
  if (byField.size === 0) return null;
  const fields = [...byField].map(([field, tests]): Where => {
    if (field === "since" || field === "until") return (href, visit) => tests.every((test) => test(href, visit));
    return (href, visit) => tests.some((test) => test(href, visit));
  });
  return (href, visit) => fields.every((holds) => holds(href, visit));
}
