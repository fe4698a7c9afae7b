/** Both back ends keep the promises of the port. */
import { frontierConformance } from "../conformance/frontier.ts";
import { embeddedStore, memoryStore } from "./stores.ts";

frontierConformance("memory", memoryStore);
frontierConformance("embedded", embeddedStore);
