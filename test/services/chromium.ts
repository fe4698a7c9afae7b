/** A headless Chromium of the system, driven by playwright-core, that can speak to loopback addresses alone. */
import { type BrowserContext, chromium } from "playwright-core";
import { findCommand, need } from "./command.ts";

/** Throws `MissingService` when Chromium is not there and cannot be installed. */
export async function openBrowser(): Promise<BrowserContext & AsyncDisposable> {
  const binary = await need("chromium", ["chromium"], async () => {
    return (await findCommand("chromium")) ?? (await findCommand("chromium-browser"));
  });
  // Root may not use the sandbox; what is shown here is the tests' own.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath: binary, args, timeout: 60_000 });
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 } });
  await context.route(
    (url) => url.protocol.startsWith("http") && url.hostname !== "127.0.0.1",
    (route) => route.abort(),
  );
  return Object.assign(context, { [Symbol.asyncDispose]: () => browser.close() });
}
