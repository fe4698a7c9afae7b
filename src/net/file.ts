/**
 * `file:` URLs: the example of a protocol module. It reads below the directories that it is given and nowhere else,
 * wherever names and symbolic links lead. A directory answers with a list of links.
 */
import { constants, type Stats } from "node:fs";
import { type FileHandle, open, opendir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../base/clock.ts";
import type { Truncation } from "../model/capture.ts";
import type { FetchRequest, FetchResult, RawHeaders } from "../model/fetch-result.ts";
import type { ProtocolModule } from "../ports/protocol.ts";
import { mediaTypeFilter } from "./media-types.ts";

export interface FileOptions {
  readonly clock: Clock;
  /** Directories, as absolute paths. They may be symbolic links themselves. */
  readonly roots: readonly string[];
  /** Never read, and not listed: an absolute path. */
  readonly except?: string;
  /** The media type of what begins with these bytes. */
  readonly identify: (first: Uint8Array) => string;
  /** Longer files are cut. 16 MiB. */
  readonly maxBytes?: number;
  /** From opening to the last byte. 120 s. */
  readonly totalMs?: number;
  /** As a fetcher's. */
  readonly acceptTypes?: readonly string[];
}

/** As many as types are told by (`policy/media-type`). */
const FIRST_BYTES = 1445;
const PIECE_BYTES = 256 * 1024;
/** Of a directory; more are cut, as links of a page are. */
const MOST_NAMES = 50_000;

interface Content {
  readonly status: number;
  readonly statusText: string;
  readonly rawHeaders: RawHeaders;
  readonly body: Uint8Array;
  readonly bodyRead: boolean;
  readonly truncated: Truncation | null;
}

/** What is not there, or may not be read, has a status as HTTP has it, and nothing else. */
const without = (status: number, statusText: string): Content => ({
  ...{ status, statusText, rawHeaders: [], body: new Uint8Array(0), bodyRead: true, truncated: null },
});

const NOT_FOUND = without(404, "Not Found");
const FORBIDDEN = without(403, "Forbidden");

/** Throws on a bad media type pattern. */
export function fileProtocol(options: FileOptions): ProtocolModule {
  const { clock, totalMs = 120_000 } = options;
  const read = reader(options);
  return {
    schemes: ["file:"],
    async fetch({ href, address }: FetchRequest, signal?: AbortSignal): Promise<FetchResult> {
      const startedAt = clock.now();
      const ended = new AbortController();
      const late = clock.sleep(totalMs, ended.signal).then(() => "late" as const);
      const stopped = new Promise<"aborted">((resolve) => {
        const stop = () => resolve("aborted");
        if (signal?.aborted) stop();
        signal?.addEventListener("abort", stop, { once: true, signal: ended.signal });
      });
      const reading = read(href, ended.signal).catch(faultOf);
      const outcome = await Promise.race([reading, late, stopped]);
      ended.abort();
      const asked = { href, address, startedAt, endedAt: clock.now(), requestHead: "" };
      if (outcome === "late" || outcome === "aborted")
        return { ...asked, kind: "failure", cause: "timeout", detail: outcome === "late" ? "total" : outcome };
      if ("fault" in outcome) return { ...asked, kind: "failure", cause: "closed", detail: outcome.fault };
      return { ...asked, kind: "response", httpVersion: null, ...outcome, decoded: outcome.body, decodeError: null };
    },
  };
}

/** By the system's code; any other is a fault of the disk, or of too much at once, and may pass. */
function faultOf(cause: unknown): Content | { readonly fault: string } {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (cause instanceof URIError || /^(ENOENT|ENOTDIR|ENAMETOOLONG|ELOOP|ERR_INVALID_\w+)$/.test(code)) return NOT_FOUND;
  if (/^(EACCES|EPERM)$/.test(code)) return FORBIDDEN;
  if (!code.startsWith("E")) throw cause; // a bug, not a bad disk
  return { fault: code };
}

function reader(options: FileOptions): (href: string, ended: AbortSignal) => Promise<Content> {
  const { identify, except, maxBytes = 16 * 1024 * 1024 } = options;
  const wants = mediaTypeFilter(options.acceptTypes ?? ["*/*"]);
  let places: Promise<{ readonly roots: readonly string[]; readonly except: string | null }> | null = null;
  const real = (path: string) => realpath(path).catch(() => path);
  const find = async () => ({
    roots: await Promise.all(options.roots.map(real)),
    except: except === undefined ? null : await real(except),
  });

  return async (href, ended) => {
    places ??= find();
    const { roots, except } = await places;
    const path = await realpath(fileURLToPath(href));
    if (!roots.some((root) => isWithin(path, root)) || (except !== null && isWithin(path, except))) return FORBIDDEN;
    const facts = await stat(path);
    if (facts.isDirectory()) return listing(href, path, facts, except, maxBytes);
    if (!facts.isFile()) return FORBIDDEN; // a pipe or a device may wait for ever, or never end
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const first = await readUpTo(file, FIRST_BYTES, ended);
    const type = identify(first);
    const rawHeaders = ["Content-Type", type, ...lastModified(facts)];
    if (!wants(type)) return { ...without(200, "OK"), rawHeaders, bodyRead: false };
    // Not by the size that it says: files of the system say none, and others grow.
    const rest = first.length < FIRST_BYTES ? [] : await readUpTo(file, maxBytes + 1 - first.length, ended);
    const whole = Buffer.concat([first, Buffer.from(rest)]);
    const truncated = whole.length > maxBytes ? "length" : null;
    return { ...without(200, "OK"), rawHeaders, body: whole.subarray(0, maxBytes), truncated };
  };
}

const isWithin = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);

const lastModified = ({ mtimeMs }: Stats): string[] =>
  Number.isFinite(mtimeMs) ? ["Last-Modified", new Date(mtimeMs).toUTCString()] : [];

async function readUpTo(file: FileHandle, most: number, ended: AbortSignal): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let left = most;
  while (left > 0 && !ended.aborted) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(left, PIECE_BYTES)));
    if (bytesRead === 0) break;
    pieces.push(buffer.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return Buffer.concat(pieces);
}

/** Names that begin with a dot are left out, as web servers do. Links begin at the root: the URL may lack its slash. */
async function listing(
  href: string,
  path: string,
  facts: Stats,
  except: string | null,
  maxBytes: number,
): Promise<Content> {
  const names: string[] = [];
  let truncated: Truncation | null = null;
  for await (const entry of await opendir(path)) {
    if (entry.name.startsWith(".") || join(path, entry.name) === except) continue;
    if (names.length === MOST_NAMES) {
      truncated = "length";
      break;
    }
    names.push(entry.isDirectory() ? `${entry.name}/` : entry.name);
  }
  const { pathname } = new URL(href);
  const base = pathname.endsWith("/") ? pathname : `${pathname}/`;
  const title = escaped(fileURLToPath(`file://${base}`));
  const items = names.sort().map((name) => {
    const link = encodeURIComponent(name).replace(/%2F$/, "/");
    return `<li><a href="${base}${link}">${escaped(name)}</a>\n`;
  });
  const page = `<!DOCTYPE html>\n<meta charset="utf-8">\n<title>${title}</title>\n<ul>\n${items.join("")}</ul>\n`;
  const body = Buffer.from(page, "utf8");
  if (body.length > maxBytes) truncated = "length";
  const rawHeaders = ["Content-Type", "text/html", ...lastModified(facts)];
  return { ...without(200, "OK"), rawHeaders, body: body.subarray(0, maxBytes), truncated };
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
