/**
 * The IANA special-purpose address registries as one table: which blocks are not the public internet, and by which RFC.
 *
 * Source: https://www.iana.org/assignments/iana-ipv4-special-registry and .../iana-ipv6-special-registry, all rows, held
 * against copies of both taken on 2026-07-18 (the newest row is 100:0:0:1::/64 of 2025-04); procedures of RFC 6890 and
 * RFC 8190. Multicast from the IPv4 address space registry and RFC 4291, site-local from RFC 3879. The most specific
 * block decides. `reachable` is the column "Globally Reachable" where it says True; "N/A" and blanks count as False. Rows
 * marked "cloud metadata" are ours: most lie in blocks refused anyway and only get a better name; 168.63.129.16 does not.
 */

export interface SpecialBlock {
  readonly block: string;
  readonly name: string;
  readonly source: string;
  readonly reachable?: true;
}

const special = (block: string, name: string, source: string): SpecialBlock => ({ block, name, source });
const reachable = (block: string, name: string, source: string): SpecialBlock => ({
  block,
  name,
  source,
  reachable: true,
});

export const SPECIAL_V4: readonly SpecialBlock[] = [
  special("0.0.0.0/8", "this network", "RFC 791"),
  special("0.0.0.0/32", "this host on this network", "RFC 1122"),
  special("10.0.0.0/8", "private use", "RFC 1918"),
  special("100.64.0.0/10", "shared address space", "RFC 6598"),
  special("100.100.100.200/32", "cloud metadata", "Alibaba Cloud"),
  special("127.0.0.0/8", "loopback", "RFC 1122"),
  special("168.63.129.16/32", "cloud metadata", "Azure WireServer"),
  special("169.254.0.0/16", "link-local", "RFC 3927"),
  special("169.254.169.254/32", "cloud metadata", "RFC 3927"),
  special("172.16.0.0/12", "private use", "RFC 1918"),
  special("192.0.0.0/24", "IETF protocol assignments", "RFC 6890"),
  special("192.0.0.0/29", "IPv4 service continuity", "RFC 7335"),
  special("192.0.0.8/32", "IPv4 dummy address", "RFC 7600"),
  reachable("192.0.0.9/32", "Port Control Protocol anycast", "RFC 7723"),
  reachable("192.0.0.10/32", "TURN anycast", "RFC 8155"),
  special("192.0.0.170/32", "NAT64/DNS64 discovery", "RFC 8880"),
  special("192.0.0.171/32", "NAT64/DNS64 discovery", "RFC 8880"),
  special("192.0.2.0/24", "documentation", "RFC 5737"),
  reachable("192.31.196.0/24", "AS112", "RFC 7535"),
  reachable("192.52.193.0/24", "AMT", "RFC 7450"),
  special("192.88.99.0/24", "deprecated 6to4 relay anycast", "RFC 7526"),
  special("192.88.99.2/32", "6a44 relay anycast", "RFC 6751"),
  special("192.168.0.0/16", "private use", "RFC 1918"),
  reachable("192.175.48.0/24", "AS112 direct delegation", "RFC 7534"),
  special("198.18.0.0/15", "benchmarking", "RFC 2544"),
  special("198.51.100.0/24", "documentation", "RFC 5737"),
  special("203.0.113.0/24", "documentation", "RFC 5737"),
  special("224.0.0.0/4", "multicast", "RFC 5771"),
  special("240.0.0.0/4", "reserved", "RFC 1112"),
  special("255.255.255.255/32", "limited broadcast", "RFC 8190"),
];

export const SPECIAL_V6: readonly SpecialBlock[] = [
  // Global unicast is allocated from 2000::/3 alone; what no row below names is decided by these two.
  special("::/0", "not allocated as global unicast", "RFC 4291"),
  reachable("2000::/3", "global unicast", "RFC 4291"),
  special("::/128", "unspecified", "RFC 4291"),
  special("::1/128", "loopback", "RFC 4291"),
  special("::ffff:0:0/96", "IPv4-mapped", "RFC 4291"),
  reachable("64:ff9b::/96", "IPv4/IPv6 translation", "RFC 6052"),
  special("64:ff9b:1::/48", "local IPv4/IPv6 translation", "RFC 8215"),
  special("100::/64", "discard only", "RFC 6666"),
  special("100:0:0:1::/64", "dummy prefix", "RFC 9780"),
  special("2001::/23", "IETF protocol assignments", "RFC 2928"),
  special("2001::/32", "Teredo", "RFC 4380"),
  reachable("2001:1::1/128", "Port Control Protocol anycast", "RFC 7723"),
  reachable("2001:1::2/128", "TURN anycast", "RFC 8155"),
  reachable("2001:1::3/128", "DNS-SD service registration anycast", "RFC 9665"),
  special("2001:2::/48", "benchmarking", "RFC 5180"),
  reachable("2001:3::/32", "AMT", "RFC 7450"),
  reachable("2001:4:112::/48", "AS112", "RFC 7535"),
  special("2001:10::/28", "deprecated ORCHID", "RFC 4843"),
  reachable("2001:20::/28", "ORCHIDv2", "RFC 7343"),
  reachable("2001:30::/28", "drone remote identification", "RFC 9374"),
  special("2001:db8::/32", "documentation", "RFC 3849"),
  special("2002::/16", "6to4", "RFC 3056"),
  reachable("2620:4f:8000::/48", "AS112 direct delegation", "RFC 7534"),
  special("3fff::/20", "documentation", "RFC 9637"),
  special("5f00::/16", "segment routing identifiers", "RFC 9602"),
  special("fc00::/7", "unique local", "RFC 4193"),
  special("fd00:ec2::254/128", "cloud metadata", "Amazon EC2"),
  special("fe80::/10", "link-local", "RFC 4291"),
  special("fec0::/10", "deprecated site-local", "RFC 3879"),
  special("ff00::/8", "multicast", "RFC 4291"),
];
