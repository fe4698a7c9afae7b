/** Short texts are compared whole, but for what a counter or the URL itself has put into them; pictures say what they show. */
import { hashText } from "../base/hash.ts";

const NUMBERS = /\d+/g;
/** Shorter names stand in a text by chance. */
const SHORTEST_NAME = 4;

/**
 * The hash of a text without its numbers and without the path of its URL (and the path's last name), as error pages
 * repeat it; and of the page's pictures (`src` as written), without their queries, which trackers and captchas fill anew.
 * A page of another picture is another page, though it has no word to say so. 16 hexadecimal digits.
 */
export function gistOf(text: string, href: string, pictures: readonly string[] = []): string {
  const { pathname } = new URL(href);
  let rest = text.toLowerCase();
  for (const path of [pathname, decoded(pathname)]) {
    const whole = path.toLowerCase();
    const name = whole.slice(whole.lastIndexOf("/", whole.length - 2) + 1);
    if (whole.length >= SHORTEST_NAME) rest = rest.replaceAll(whole, "");
    if (name.length >= SHORTEST_NAME) rest = rest.replaceAll(name, "");
  }
  const shown = pictures.map((src) => src.split(/[?#]/, 1)[0]).join(" ");
  const [hi, lo] = hashText(`${rest.replace(NUMBERS, "0")}\n${shown}`);
  return hi.toString(16).padStart(8, "0") + lo.toString(16).padStart(8, "0");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a stray percent sign
  }
}
