/** Names to addresses, and which addresses may be spoken to. */
import type { Result } from "../base/result.ts";

/** "none": no such name, or no address of it; "failed": servers answered with failure or not at all. */
export type DnsError = { readonly kind: "none" | "failed"; readonly detail: string };

export interface Resolver {
  /**
   * All addresses of a name, IPv4 first; cached by the records' TTL (bounded), negative answers too, one look-up at a
   * time a name, a stale answer when the servers fail. An IP literal (IPv6 in brackets or bare) is its own answer.
   */
  resolve(hostname: string): Promise<Result<readonly string[], DnsError>>;
}

/** Why an address may not be connected to ("loopback (RFC 1122)"), or null when it may. */
export type AddressGuard = (address: string) => string | null;
