/** Where the stretches of an HTML document end in which a "<" means nothing: comments, scripts, other raw text. */

/** Behind the comment that begins with the `<!--` at `open`; -1 when it never ends (HTML, 13.2.5.43 to 13.2.5.52). */
export function commentEnd(text: string, open: number): number {
  // The dashes of "<!--" may be those of "-->" too: "<!-->" and "<!--->" are whole comments.
  for (let at = text.indexOf("--", open + 2); at >= 0; at = text.indexOf("--", at + 1)) {
    if (text.charCodeAt(at + 2) === 0x3e) return at + 3;
    if (at >= open + 4 && text.charCodeAt(at + 2) === 0x21 && text.charCodeAt(at + 3) === 0x3e) return at + 4;
  }
  return -1;
}

/** Where the end tag of the element `name` (lower case) begins, at `from` or later; the text's length when nowhere. */
export function rawTextEnd(text: string, from: number, name: string): number {
  for (let at = text.indexOf("</", from); at >= 0; at = text.indexOf("</", at + 2)) {
    const end = at + 2 + name.length;
    if (end >= text.length) break;
    if (endsName(text.charCodeAt(end)) && text.slice(at + 2, end).toLowerCase() === name) return at;
  }
  return text.length;
}

const endsName = (code: number): boolean =>
  code === 0x3e || code === 0x2f || code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);

/**
 * Where the end tag of a script begins. Between `<!--` and `-->` a script may hold another `<script>` with its end tag
 * (HTML, 13.2.5.15 to 13.2.5.31, "escaped" and "double escaped").
 */
export function scriptEnd(text: string, from: number): number {
  const first = rawTextEnd(text, from, "script");
  if (first === text.length) return first;
  // Looked for in the script alone: a search of all that follows, for each script, would take quadratic time.
  const comment = text.slice(from, first).indexOf("<!--");
  return comment < 0 ? first : escapedScriptEnd(text, from + comment);
}

function escapedScriptEnd(text: string, from: number): number {
  const marks = /<!--|-->|<\/?script(?=[\t\n\f\r />])/gi;
  marks.lastIndex = from;
  let state: "plain" | "escaped" | "double" = "plain";
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === "<!--") {
      if (state === "plain") state = "escaped";
      marks.lastIndex = mark.index + 2; // its dashes may be those of "-->"
    } else if (mark[0] === "-->") {
      state = "plain";
    } else if (mark[0][1] !== "/") {
      if (state === "escaped") state = "double";
    } else if (state === "double") {
      state = "escaped";
    } else {
      return mark.index;
    }
  }
  return text.length;
}
