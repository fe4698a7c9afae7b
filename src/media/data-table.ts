/** Which tables of a page hold data, and which are there for the layout. */
import type { TreeElement } from "./tree.ts";

/** The table that the element stands in. */
export function tableOf(element: TreeElement): TreeElement | null {
  let at = element.parentNode;
  while (at !== null && at.localName !== "table") at = at.parentNode;
  return at;
}

const known = new WeakMap<TreeElement, boolean>();

/** Whether a table is one of data: rows and columns, and nothing in a cell that a line cannot hold. Others are layout. */
export function isData(table: TreeElement | null): boolean {
  if (table === null) return false;
  let is = known.get(table);
  if (is === undefined) {
    const rows = [...table.querySelectorAll("tr")];
    is =
      rows.length > 1 &&
      rows.some((row) => cellsOf(row) > 1) &&
      table.querySelector("table, pre, ul, ol, dl, blockquote, h1, h2, h3, h4, h5, h6, hr") === null;
    known.set(table, is);
  }
  return is;
}

export const firstRow = (table: TreeElement): TreeElement | null => table.querySelector("tr");

/** Columns that the row fills are its cells: spans are not counted. */
export const cellsOf = (row: TreeElement): number =>
  Array.from(row.childNodes).filter(({ nodeName }) => nodeName === "TD" || nodeName === "TH").length;
