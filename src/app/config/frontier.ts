/** `redis://HOST:PORT,...`: the Redis Cluster by which crawlers share a crawl, as it is written in `--frontier`. */
import { err, ok, type Result } from "../../base/result.ts";

export interface FrontierAddress {
  /** Some nodes of the cluster; the others are found by them. */
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly tls: boolean;
  /** Null: nobody is asked who he is. An empty user is Redis' own "default". */
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

const PORT = 6379;
const MEND =
  "is no Redis Cluster; write redis://HOST:PORT,HOST:PORT (rediss:// with TLS; USER:PASSWORD@ in front of the first)";
const ESCAPES = "in a password write @ as %40, / as %2F and : as %3A";
const NODE = /^(\[[0-9A-Fa-f:.]+\]|[^\s:/@?#[\]]+)(?::(\d{1,5}))?$/;

/** What it says, or what is wrong with it: the end of a sentence that starts with it. */
export function parseFrontier(text: string): Result<FrontierAddress, string> {
  const [, tls, user, password, names] = /^redis(s?):\/\/(?:([^:@/]*):([^@/]*)@)?([^@/]+)\/?$/i.exec(text) ?? [];
  const nodes = (names ?? "").split(",").map((name) => {
    const [, host, port = String(PORT)] = NODE.exec(name) ?? [];
    return host === undefined || Number(port) < 1 || Number(port) > 65_535
      ? null
      : { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
  });
  if (names === undefined || nodes.includes(null))
    return err(/@.*@|\/\/.*\/.*@/.test(text) ? `${MEND}; ${ESCAPES}` : MEND);
  const found = nodes.filter((node) => node !== null);
  try {
    const credentials =
      password === undefined ? null : { user: decodeURIComponent(user ?? ""), password: decodeURIComponent(password) };
    return ok({ nodes: found, tls: tls !== "", credentials });
  } catch {
    return err("has a % in its user or password that is no escape; write %25");
  }
}

/** As it may be shown: without user and password. */
export const frontierName = (text: string): string => text.replace(/^(redis{1,2}:\/\/)[^@/]*@/i, "$1");
