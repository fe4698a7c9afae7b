/** One oddity of the gallery: a host, what it answers, and the ends that a right crawler may record. */
import type { EndReason } from "../../src/model/end.ts";
import type { Behaviour } from "./behaviour.ts";
import type { NameRecord } from "./dns.ts";
import type { RobotsAnswer } from "./robots.ts";
import type { Certificate } from "./secure.ts";

export interface Specimen {
  /** By path; what no rule names is a page at `/` and 404 elsewhere. */
  readonly paths?: Readonly<Record<string, Behaviour>>;
  readonly robots?: RobotsAnswer;
  /** Spoken to by HTTPS, with this certificate. */
  readonly certificate?: Certificate;
  /** In place of an ordinary address; `@` stands for one that the web listens on. */
  readonly dns?: NameRecord;
  /** What odd.test links to; `/` unless told. */
  readonly start?: string;
  /** The form under which `start` is recorded, where a redirect to its own key changes it. */
  readonly recordedAs?: string;
  /** How the URL at `start` may end; deadlines are up to the crawler, so tests shorten them. */
  readonly ends: readonly EndReason[];
  /** The ends of further URLs that it leads to. `{port}` is the web's port. */
  readonly leadsTo?: Readonly<Record<string, readonly EndReason[]>>;
}
