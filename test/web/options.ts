/** What a fake web can be told. Plain data: it travels to another process as JSON. */
import type { Rule } from "./behaviour.ts";
import type { ChangingOptions } from "./changing.ts";
import type { NameRecord } from "./dns.ts";
import type { RobotsAnswer } from "./robots.ts";

export interface FakeWebOptions {
  /** The same seed and sizes give the same web; 1. */
  readonly seed?: number;
  /** `h0.test`, `h1.test` ...; 10. */
  readonly hosts?: number;
  /** The root among them; 30. */
  readonly pagesPerHost?: number;
  /** Pages a host that only its sitemap names; 0. Means nothing without `sitemaps`. */
  readonly orphansPerHost?: number;
  /** Loopback addresses that the hosts are spread over, host i on address i mod n; 2, at most 200. */
  readonly addresses?: number;
  /** The first three numbers of the addresses; "127.0.1". `.1` is the first, nobody ever listens on `.254`. */
  readonly network?: string;
  /** 0: any free port, the same on all addresses. */
  readonly port?: number;
  readonly dnsPort?: number;
  /** Bytes of a page, from and to; [5000, 50000]. */
  readonly bytes?: readonly [number, number];
  /** Compress pages for those who accept it; true. */
  readonly gzip?: boolean;
  /** Write links in all the ways that people do (relative, tracked, upper case ...); true. */
  readonly dressed?: boolean;
  /** The first that fits decides. */
  readonly rules?: readonly Rule[];
  /** By host name; `*` for the hosts not named. When left out: none, a few rules, or rules with wildcards, by turns. */
  readonly robots?: Readonly<Record<string, RobotsAnswer>>;
  /** Every host has a sitemap index that lists all its pages, and names it in its robots.txt; false. */
  readonly sitemaps?: boolean;
  /** The hosts of gallery.ts and of its traps; false. */
  readonly gallery?: boolean;
  /** The honest site of maze/ and the traps around it; false. */
  readonly maze?: boolean;
  /** Pages change as time goes by; without it they never do. */
  readonly changing?: ChangingOptions;
  /** Further names. */
  readonly names?: Readonly<Record<string, NameRecord>>;
  /** Seconds; 60. */
  readonly ttl?: number;
  /** Where the log is also written, as JSON lines. */
  readonly logFile?: string;
}
