/** The program's version, from package.json, which stands two folders above both src/app and dist/app. */
import { readFileSync } from "node:fs";

export const VERSION: string = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
