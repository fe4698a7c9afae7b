/** Serves a fake web until told to stop: `node test/web/serve.ts --hosts 50 --addresses 5 --log web.jsonl`. */
import { parseArgs } from "node:util";
import { fakeWeb } from "./fake-web.ts";
import type { FakeWebOptions } from "./options.ts";
import type { Order, Ready } from "./spawn.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    hosts: { type: "string" },
    pages: { type: "string" },
    orphans: { type: "string" },
    addresses: { type: "string" },
    network: { type: "string" },
    port: { type: "string" },
    "dns-port": { type: "string" },
    sitemaps: { type: "boolean" },
    gallery: { type: "boolean" },
    log: { type: "string" },
    /** A FakeWebOptions as JSON: what has no flag. Flags win. */
    options: { type: "string" },
  },
});

const flags: Record<string, unknown> = {
  seed: number("seed"),
  hosts: number("hosts"),
  pagesPerHost: number("pages"),
  orphansPerHost: number("orphans"),
  addresses: number("addresses"),
  network: values.network,
  port: number("port"),
  dnsPort: number("dns-port"),
  sitemaps: values.sitemaps,
  gallery: values.gallery,
  logFile: values.log,
};
const options = {
  ...(JSON.parse(values.options ?? "{}") as FakeWebOptions),
  ...Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)),
} as FakeWebOptions;

const web = await fakeWeb(options);
const ready: Ready = {
  port: web.port,
  dnsPort: web.dnsPort,
  dns: web.dns,
  addresses: web.addresses,
  allowNet: web.allowNet,
  seeds: [web.origin(0), ...(options.gallery ? [web.origin("odd.test")] : [])].map((origin) => `${origin}/`),
  log: options.logFile ?? null,
};
process.stdout.write(`${JSON.stringify(ready)}\n`);
process.send?.(ready);

let stopping = false;
async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  await web[Symbol.asyncDispose]();
  if (process.connected) process.disconnect();
}
// Ctrl-C reaches the whole group: one that was spawned leaves the end to its parent.
process.on("SIGINT", () => {
  if (!process.connected) void stop();
});
process.on("SIGTERM", () => void stop());
// Whoever spawned it is gone: nobody would ever stop it.
process.on("disconnect", () => void stop());
process.on("message", async (order: Order) => {
  if (order.kind === "close") return stop();
  if (order.kind === "behave") web.behave(order.rule);
  else await web.log.flush();
  process.send?.({ kind: "done" });
});

function number(flag: "seed" | "hosts" | "pages" | "orphans" | "addresses" | "port" | "dns-port"): number | undefined {
  const text = values[flag];
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new Error(`--${flag} takes a whole number, not "${text}"`);
  return Number(text);
}
