/** How requests are made, and what of an answer is taken. Rows of the table of options. */
import { VERSION } from "../../version.ts";
import type { Option } from "../option.ts";

const SECOND = 1_000;

/** What is read unless `accept` says otherwise: whatever can hold links or text. */
const READABLE = [
  "text/*",
  "application/xhtml+xml",
  "application/xml",
  "application/*+xml",
  "application/json",
  "application/*+json",
  "application/pdf",
] as const;

export const HOW_TO_ASK = {
  robots: {
    group: "How to ask",
    kind: "flag",
    default: true,
    says: "do not ask for robots.txt: only for a site of your own",
  },
  userAgent: {
    group: "How to ask",
    kind: "agent",
    min: 1,
    max: 512,
    default: `trawlbot/${VERSION} (+https://github.com/trawl/trawl)`,
    defaultSays: "trawlbot/VERSION (+https://github.com/trawl/trawl)",
    says: "who asks: a name with 'bot' in it, a version, how to reach you",
  },
  headers: {
    group: "How to ask",
    flag: "header",
    kind: "header",
    many: true,
    default: [],
    ownToCrawler: true,
    says: "send this header field with every request",
  },
  hostHeaders: {
    group: "How to ask",
    flag: "host-header",
    kind: "hostHeader",
    many: true,
    default: [],
    runOnly: true,
    says: "send a header field to one host alone (https; write http://HOST for http)",
  },
  auth: {
    group: "How to ask",
    kind: "auth",
    many: true,
    default: [],
    runOnly: true,
    says: "user and password for one host (https; write http://HOST for http)",
  },
  wholeEvery: {
    group: "How to ask",
    kind: "int",
    min: 1,
    max: 10_000,
    default: 10,
    word: "LOOKS",
    says: "of so many looks at a page in a row whose server says that it has not changed, one asks for it whole; 1: all do",
  },
  cookies: {
    group: "How to ask",
    kind: "file",
    default: null,
    defaultSays: "no cookies",
    ownToCrawler: true,
    says: "take and send cookies; they are read from this file and saved there",
  },
  proxy: {
    group: "How to ask",
    kind: "proxy",
    default: null,
    defaultSays: "none",
    runOnly: true,
    says: "connect by way of this proxy: http://, https:// or socks5://",
  },
  proxyDns: {
    group: "How to ask",
    kind: "flag",
    default: false,
    runOnly: true,
    says: "let the proxy look names up; addresses are then not checked",
  },
  http2: {
    group: "How to ask",
    kind: "flag",
    default: false,
    says: "speak HTTP/2 with servers that offer it",
  },
  accept: {
    group: "How to ask",
    kind: "type",
    many: true,
    default: READABLE,
    says: "media types whose bodies are read; others are recorded, unread",
  },
  allowNet: {
    group: "How to ask",
    kind: "cidr",
    many: true,
    default: [],
    says: "allow addresses that are refused otherwise (loopback, private, link-local...), but for those that seeds name",
  },
  dns: {
    group: "How to ask",
    kind: "endpoint",
    many: true,
    default: [],
    defaultSays: "the system's resolvers",
    says: "ask this name server instead of the system's",
  },
  connectTimeout: {
    group: "How to ask",
    kind: "duration",
    min: 1,
    default: 10 * SECOND,
    says: "most time to connect, TLS included",
  },
  firstByteTimeout: {
    group: "How to ask",
    kind: "duration",
    min: 1,
    default: 30 * SECOND,
    says: "most time until the answer begins",
  },
  totalTimeout: {
    group: "How to ask",
    kind: "duration",
    min: 1,
    default: 120 * SECOND,
    says: "most time for a whole exchange; what came until then is kept",
  },
  insecure: {
    group: "How to ask",
    kind: "flag",
    default: false,
    says: "accept certificates that do not verify",
  },
} as const satisfies Record<string, Option>;
