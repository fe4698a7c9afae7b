import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { columns } from "../../src/export/columns.ts";
import { csvCell, csvTexts } from "../../src/export/csv.ts";
import { dropped, fetched, queued } from "./records.ts";

/** A reader written from RFC 4180 alone. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"') {
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        cell += text[at];
        if (text[at] === '"') at++;
      }
      at++;
    } else {
      while (at < text.length && text[at] !== "," && text[at] !== "\r") cell += text[at++];
    }
    row.push(cell);
    if (text[at] === ",") at++;
    else {
      assert.equal(text.slice(at, at + 2), "\r\n");
      at += 2;
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

describe("a CSV export", () => {
  it("has a header and a row a URL, all of one width", async () => {
    const rows = parseCsv((await Array.fromAsync(csvTexts([fetched(), queued, dropped()]))).join(""));
    assert.equal(rows.length, 4);
    assert.deepEqual(
      rows[0],
      columns.map(({ name }) => name),
    );
    for (const row of rows) assert.equal(row.length, columns.length);
    assert.equal(rows[1]![rows[0]!.indexOf("etag")], '"abc"');
    assert.equal(rows[2]![rows[0]!.indexOf("title")], "");
  });

  it("gives any title back when formulas are kept", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", " ", "=", "a", "\u00e4") }),
        async (title) => {
          const rows = parseCsv((await Array.fromAsync(csvTexts([fetched(title)], { formulas: "keep" }))).join(""));
          assert.equal(rows[1]![columns.findIndex(({ name }) => name === "title")], title);
        },
      ),
    );
  });

  it("disarms texts that a spreadsheet would run, and leaves numbers alone", () => {
    assert.equal(csvCell("=1+1"), "'=1+1");
    assert.equal(csvCell('=HYPERLINK("http://x","y")'), `"'=HYPERLINK(""http://x"",""y"")"`);
    for (const start of ["+", "-", "@", "\t", "\r", " =", "\uff1d"]) assert.match(csvCell(`${start}cmd`), /^"?'/);
    assert.equal(csvCell(-5), "-5");
    assert.equal(csvCell("a=b"), "a=b");
    assert.equal(csvCell("=1+1", { formulas: "keep" }), "=1+1");
  });
});
