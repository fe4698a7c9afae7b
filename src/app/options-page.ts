/** Prints docs/options.md: `npm run docs:options`. */
import { optionsPage } from "./help.ts";
import { OPTIONS } from "./options.ts";

process.stdout.write(optionsPage(OPTIONS));
