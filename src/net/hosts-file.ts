/** The system's own table of names (hosts(5)), read whole, once. */
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";

/** Addresses by lower-case name, IPv4 first. */
export type Hosts = ReadonlyMap<string, readonly string[]>;

export const SYSTEM_HOSTS_FILE =
  process.platform === "win32"
    ? `${process.env.SystemRoot ?? "C:\\Windows"}\\System32\\drivers\\etc\\hosts`
    : "/etc/hosts";

/** A file that cannot be read is an empty table; lines that are not as hosts(5) says are skipped. */
export async function readHosts(path: string): Promise<Hosts> {
  return parseHosts(await readFile(path, "utf8").catch(() => ""));
}

export function parseHosts(text: string): Hosts {
  const hosts = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase().replace(/\.$/, "");
      const addresses = hosts.get(key) ?? [];
      if (!addresses.includes(address)) addresses.push(address);
      hosts.set(key, addresses);
    }
  }
  for (const addresses of hosts.values()) addresses.sort((a, b) => isIP(a) - isIP(b));
  return hosts;
}
