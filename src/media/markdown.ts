/** A tree as Markdown, by Turndown, with what it leaves to others: any `<pre>` is code, and data stands in GitHub's tables. */
import type Turndown from "turndown";
import { cellsOf, firstRow, isData, tableOf } from "./data-table.ts";
import type { TreeElement } from "./tree.ts";

export function toMarkdown(content: TreeElement, Converter: typeof Turndown): string {
  const converter = new Converter({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
    hr: "---",
  });
  converter.addRule("code", {
    filter: "pre",
    replacement: (_, node) => fenced(node as unknown as TreeElement),
  });
  converter.addRule("cell", {
    filter: ["td", "th"],
    replacement: (text, node) =>
      isData(tableOf(node as unknown as TreeElement)) ? cell(text) : `\n\n${text.trim()}\n\n`,
  });
  converter.addRule("row", {
    filter: "tr",
    replacement: (text, node) => {
      const row = node as unknown as TreeElement;
      const table = tableOf(row);
      if (!isData(table)) return text;
      const line = `\n|${text}`;
      if (firstRow(table!) !== row) return line;
      return `${line}\n|${" --- |".repeat(cellsOf(row))}`;
    },
  });
  converter.addRule("table", {
    filter: "table",
    replacement: (text, node) => {
      const table = node as unknown as TreeElement;
      if (!isData(table)) return `\n\n${text.trim()}\n\n`;
      const caption = table.querySelector("caption")?.textContent.replace(/\s+/g, " ").trim() ?? "";
      return `\n\n${caption}\n\n${text.trim().replace(/\n{2,}/g, "\n")}\n\n`;
    },
  });
  converter.addRule("section", { filter: ["thead", "tbody", "tfoot"], replacement: (text) => text });
  converter.addRule("caption", {
    filter: "caption",
    replacement: (text, node) => (isData(tableOf(node as unknown as TreeElement)) ? "" : `\n\n${text.trim()}\n\n`),
  });
  return converter.turndown(content as never).trim();
}

/** The fence is longer than any in the code (CommonMark 4.5). */
function fenced(pre: TreeElement): string {
  const code = pre.textContent.replace(/\r\n?/g, "\n").replace(/^\n/, "").replace(/\n+$/, "");
  if (code.trim() === "") return "";
  const longest = Math.max(2, ...Array.from(code.matchAll(/^\s*(`{3,})/gm), ([, ticks]) => ticks!.length));
  const fence = "`".repeat(longest + 1);
  return `\n\n${fence}${languageOf(pre)}\n${code}\n${fence}\n\n`;
}

/** As highlighters name it, on the element, the code in it, or what is drawn around it. */
function languageOf(pre: TreeElement): string {
  const around = [pre.querySelector("code"), pre, pre.parentNode, pre.parentNode?.parentNode];
  for (const element of around) {
    const name = /(?:^|\s)(?:language|lang|highlight|highlight-source|brush:)-?\s*([\w+#.]+)(?:\s|$)/i.exec(
      element?.className ?? "",
    );
    if (name !== null && name[1] !== "default") return name[1]!.toLowerCase();
  }
  return "";
}

const cell = (text: string): string =>
  ` ${text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ")
    .replaceAll("|", "\\|")} |`;
