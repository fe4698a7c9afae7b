/** Prints docs/options.md: `npm run docs:options`. */
import { optionsPage } from "../cli/help-text.ts";
import { OPTIONS } from "../config/options.ts";

process.stdout.write(optionsPage(OPTIONS));
