/** Both back ends keep the promises of the port. */
import { SEEN_KINDS } from "../../src/dedup/seen-kinds.ts";
import { frontierConformance } from "../conformance/frontier.ts";
import { embeddedStore, memoryStore } from "./stores.ts";

frontierConformance("memory", memoryStore);
frontierConformance("embedded", () => embeddedStore());
frontierConformance("embedded, with help of a thread", () => embeddedStore(undefined, { logPages: 1, newest: 0 }));
for (const kind of SEEN_KINDS)
  if (kind !== "exact")
    frontierConformance(`embedded, seen: ${kind}`, () => embeddedStore(kind), { countsLinks: kind === "bloom+exact" });
