/** One fetcher of several: the web's, and for other schemes the protocol modules. */
import type { Fetcher } from "../ports/fetcher.ts";
import type { ProtocolModule } from "../ports/protocol.ts";

/** Disposing of it disposes of `web`. The factory throws when two modules claim one scheme. */
export function fetcherByScheme(web: Fetcher, modules: readonly ProtocolModule[]): Fetcher {
  const byScheme = new Map<string, ProtocolModule>();
  for (const module of modules)
    for (const scheme of module.schemes) {
      if (byScheme.has(scheme) || /^https?:$/.test(scheme)) throw new TypeError(`two modules fetch ${scheme}`);
      byScheme.set(scheme, module);
    }
  return {
    fetch(request, signal) {
      const { href } = request;
      const module = byScheme.get(href.slice(0, href.indexOf(":") + 1));
      return (module ?? web).fetch(request, signal);
    },
    [Symbol.asyncDispose]: () => web[Symbol.asyncDispose](),
  };
}
