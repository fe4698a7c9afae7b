/** `trawl pause DIR` and `trawl resume DIR`: holds a crawl, and lets it go on. */
import { readArguments } from "../config/arguments.ts";
import { openSlot } from "../place/open.ts";
import { PLACE, placeName, placeWords } from "../place/place.ts";
import type { Command, Shell } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { oneCrawl } from "./positionals.ts";

export const pauseCommand: Command = {
  name: "pause",
  usage: "pause DIR",
  says: "hold a crawl: a running one asks for nothing more until trawl resume",
  more: `Requests that are open end and are kept. The crawl stays paused, also when it is stopped and started
again, until trawl resume. A time limit goes on counting.`,
  options: PLACE,
  run: (argv, shell) => set(true, argv, shell),
};

export const resumeCommand: Command = {
  name: "resume",
  usage: "resume DIR",
  says: "let a paused crawl go on; one that was stopped goes on with its own command",
  options: PLACE,
  run: (argv, shell) => set(false, argv, shell),
};

async function set(paused: boolean, argv: readonly string[], shell: Shell): Promise<number> {
  const name = paused ? "pause" : "resume";
  const place = oneCrawl(name, readArguments(name, argv, PLACE), shell.cwd);
  await using slot = await openSlot(place);
  const changed = await slot.setPaused(paused);
  const now = paused ? `paused; trawl resume ${placeWords(place)} lets it go on` : "no longer paused";
  const before = paused ? "paused already" : "not paused";
  shell.stdout.write(`${placeName(place)} is ${changed ? now : before}.\n`);
  return EXIT.done;
}
