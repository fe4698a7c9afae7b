/** Which addresses may be connected to: global unicast, and what the user has opened (`--allow-net`). */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { err, ok, type Result } from "../base/result.ts";
import type { AddressGuard } from "../ports/resolver.ts";
import { SPECIAL_V4, SPECIAL_V6, type SpecialBlock } from "./special-addresses.ts";

/** An address block: an address and how many of its leading bits count. Bits behind them are ignored. */
export interface Cidr {
  readonly address: ipaddr.IPv4 | ipaddr.IPv6;
  readonly bits: number;
}

/** "10.0.0.0/8", "fd00::/8", or a single address ("127.0.0.1", "::1"). The error is a sentence with the mend. */
export function parseCidr(text: string): Result<Cidr, string> {
  const slash = text.indexOf("/");
  const host = slash < 0 ? text : text.slice(0, slash);
  const length = slash < 0 ? null : text.slice(slash + 1);
  const address = parseAddress(host);
  const width = address?.kind() === "ipv4" ? 32 : 128;
  const bits = length === null ? width : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  if (address === null || !(bits <= width)) {
    return err(`"${text}" is not an address or a range of addresses; write it as 10.0.0.0/8, fd00::/8 or 127.0.0.1`);
  }
  return ok({ address, bits });
}

/**
 * A guard that lets global unicast addresses pass, and those inside `allow` (CIDR ranges or single addresses).
 * An address that carries an IPv4 address is judged by it where packets would go there (IPv4-mapped: only when `allow`
 * opens it; NAT64 64:ff9b::/96: as the IPv4 address itself); 6to4 and Teredo are refused, and so is whatever has a
 * zone id or is not an address in its canonical text form (`net.isIP`), since only that form is never looked up as a name.
 * Throws on a range that does not parse: check with `parseCidr` first.
 */
export function addressGuard(allow: readonly string[]): AddressGuard {
  const open = allow.map((text) => {
    const cidr = parseCidr(text);
    if (!cidr.ok) throw new TypeError(cidr.error);
    return cidr.value;
  });
  const judge = (address: ipaddr.IPv4 | ipaddr.IPv6): string | null => {
    if (open.some((cidr) => contains(cidr, address))) return null;
    const embedded = embeddedV4(address);
    if (embedded?.how === "mapped" && open.some((cidr) => contains(cidr, embedded.address))) return null;
    const block = mostSpecific(address);
    if (block !== undefined && !block.row.reachable) return `${block.row.name} (${block.row.source})`;
    return embedded?.how === "nat64" ? judge(embedded.address) : null;
  };
  // A crawl asks for the same few thousand addresses again and again; a judgement costs microseconds, a look here does not.
  const known = new Map<string, string | null>();
  return (address) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    const parsed = parseAddress(address);
    const verdict = parsed !== null ? judge(parsed) : address.includes("%") ? "zone id (RFC 4007)" : "not an address";
    if (known.size >= KNOWN_MOST) known.clear();
    known.set(address, verdict);
    return verdict;
  };
}

const KNOWN_MOST = 8192;

/**
 * The address that a URL's host names without any look-up: an IP literal (IPv6 in brackets, as `URL.hostname` prints it)
 * or a loopback name (`localhost`, `*.localhost`, RFC 6761 section 6.3); null for other names. WHATWG parsing has already
 * brought 127.1, 0x7f.1 and 2130706433 into the dotted form.
 */
export function literalAddress(hostname: string): string | null {
  if (hostname.startsWith("[")) {
    const inner = hostname.slice(1, -1);
    return hostname.endsWith("]") && isIP(inner) === 6 ? inner : null;
  }
  if (isIP(hostname) !== 0) return hostname;
  return isLoopbackName(hostname) ? "127.0.0.1" : null;
}

/** RFC 6761 section 6.3: these names are loopback, whatever a server says. */
export function isLoopbackName(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}

/** Only what the system will take as an address, never as a name to look up; no zone ids. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (isIP(text) === 0 || text.includes("%")) return null;
  // The library reads ::1.2.3.4 as ::ffff:1.2.3.4; in plain groups it cannot.
  return ipaddr.parse(
    text.includes(":")
      ? text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => `${hexPair(a, b)}:${hexPair(c, d)}`)
      : text,
  );
}

const hexPair = (high: string, low: string): string => (Number(high) * 256 + Number(low)).toString(16);

function contains(cidr: Cidr, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return cidr.address.kind() === address.kind() && address.match(cidr.address as never, cidr.bits);
}

interface Row extends Cidr {
  readonly row: SpecialBlock;
}

/** Longest prefix first, so that the first hit decides. */
const bySpecificity = (rows: readonly SpecialBlock[]): readonly Row[] =>
  rows
    .map((row) => {
      const [address, bits] = ipaddr.parseCIDR(row.block);
      return { row, address, bits };
    })
    .sort((a, b) => b.bits - a.bits);

const V4_ROWS = bySpecificity(SPECIAL_V4);
const V6_ROWS = bySpecificity(SPECIAL_V6);

function mostSpecific(address: ipaddr.IPv4 | ipaddr.IPv6): Row | undefined {
  return (address.kind() === "ipv4" ? V4_ROWS : V6_ROWS).find((row) => contains(row, address));
}

const NAT64: Cidr = { address: ipaddr.parse("64:ff9b::"), bits: 96 };

function embeddedV4(
  address: ipaddr.IPv4 | ipaddr.IPv6,
): { readonly how: "mapped" | "nat64"; readonly address: ipaddr.IPv4 } | null {
  if (!(address instanceof ipaddr.IPv6)) return null;
  const how = address.isIPv4MappedAddress() ? "mapped" : contains(NAT64, address) ? "nat64" : null;
  return how === null ? null : { how, address: new ipaddr.IPv4(address.toByteArray().slice(12)) };
}
