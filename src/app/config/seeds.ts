/** Seeds as people write them, made into URLs: from the command line, a list file, a configuration. */
import { stat } from "node:fs/promises";
import { isIP } from "node:net";
import { fileURLToPath } from "node:url";
import { KNOWN, parseUrl, type UrlError, WEB } from "../../model/url.ts";

export interface Seeds {
  /** In fetch form, in the order given, each once. */
  readonly seeds: readonly string[];
  /** A sentence for each that is none. */
  readonly faults: readonly string[];
}

/**
 * A seed without a scheme is taken as https, as browsers do now; as http when it is `localhost` or an IP address, where
 * certificates are rare. What has white space in it, or something before `://` that is no scheme, is left as it is: nobody
 * means a host called "ht!tp".
 */
export function completeSeed(typed: string): string {
  const text = typed.trim();
  if (/\s/.test(text) || /^[^/?#]*:\/\//.test(text)) return text;
  if (/^[a-z][a-z0-9+.-]*:(?!\d{1,5}(?:[/?#]|$))/i.test(text)) return text; // a scheme, not a host with its port
  const host = text.replace(/^\/\//, "").split(/[/?#]/, 1)[0]!;
  const name = host.replace(/^\[(.*)\](:\d+)?$/, "$1").replace(/^([^:]*):\d+$/, "$1");
  const plain = name.toLowerCase() === "localhost" || name.endsWith(".localhost") || isIP(name) !== 0;
  return `${plain ? "http" : "https"}://${text.replace(/^\/\//, "")}`;
}

/** `what` they are called in the sentences. Files are taken as seeds, and nowhere else. */
export function readSeeds(texts: Iterable<string>, what = "seed"): Seeds {
  const limits = what === "seed" ? KNOWN : WEB;
  const seeds = new Set<string>();
  const faults: string[] = [];
  for (const text of texts) {
    const whole = completeSeed(text);
    const bare = whole !== text && !/[.:/]/.test(text) && text.toLowerCase() !== "localhost";
    const parsed = parseUrl(whole, undefined, limits);
    if (bare) faults.push(`${what} "${text}" is not a URL; write it whole, https://${text}/`);
    else if (!parsed.ok) faults.push(`${what} "${shorten(text)}" ${FAULTS[parsed.error]}`);
    else seeds.add(parsed.value.href);
  }
  return { seeds: [...seeds], faults };
}

const FAULTS: { readonly [E in UrlError]: string } = {
  "not-a-url": "is not a URL; write it whole, https://example.com/",
  "no-host": "has no host; write it whole, https://example.com/",
  scheme: "is neither http nor https; Trawl fetches only those",
  "other-machine": "is a file of another machine; write file:///path",
  "too-long": "is longer than 2,048 characters; shorten it",
};

/** Seeds that are files must be there; the URL of a directory ends with a slash, so that all below it is what is below its path. */
export async function settleFiles({ seeds, faults }: Seeds): Promise<Seeds> {
  const settled = new Set<string>();
  const more: string[] = [];
  for (const seed of seeds) {
    if (!seed.startsWith("file:")) {
      settled.add(seed);
      continue;
    }
    try {
      const isDirectory = (await stat(fileURLToPath(seed))).isDirectory();
      const { pathname } = new URL(seed);
      settled.add(isDirectory && !pathname.endsWith("/") ? `file://${pathname}/` : seed);
    } catch {
      more.push(`seed "${shorten(seed)}" is no file or directory that can be read; write file:///path`);
    }
  }
  return { seeds: [...settled], faults: [...faults, ...more] };
}

const shorten = (text: string): string => (text.length > 100 ? `${text.slice(0, 97)}...` : text);

/** The seeds in a list file: one a line; blank lines and lines that start with `#` are skipped; BOM and CRLF are fine. */
export function seedLines(text: string): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}
