/** What our reader of tags finds in a document, in the form of the reference (parse5-reader). */
import { decodeText } from "../../src/media/character-references.ts";
import * as tag from "../../src/media/tags.ts";
import { ELEMENTS, type Found, fold } from "./parse5-reader.ts";

export function readWithTags(text: string): Found {
  const tags = new tag.TagReader(text);
  const links = new Set<string>();
  let base: string | null = null;
  let title: string | null = null;
  let language: string | null = null;
  for (let name = tags.next(); name !== ""; name = tags.next()) {
    const url = tags.value(name === "object" ? tag.DATA : HREFS.has(name) ? tag.HREF : tag.SRC);
    if (tags.foreign) {
      const href = tags.value(tag.HREF) ?? tags.value(tag.XLINK_HREF);
      if (name === "a" && href !== null) links.add(`a ${href}`);
      continue;
    }
    const element = name === "image" ? "img" : name;
    if (ELEMENTS.includes(element) && url !== null) links.add(`${element} ${url}`);
    if (name === "base") base ??= tags.value(tag.HREF);
    if (name === "title") title ??= fold(decodeText(tags.content()));
    if (name === "html") language ??= tags.value(tag.LANG);
  }
  return { links: [...links].sort(), base, title, language };
}

const HREFS = new Set(["a", "area", "link", "base"]);
