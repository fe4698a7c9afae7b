import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parquetReadObjects } from "hyparquet";
import { type Edge, edgesParquet, graphml } from "../../src/export/link-graph.ts";

const EDGES: readonly Edge[] = [
  {
    from: 1,
    fromUrl: "http://a.test/",
    to: 2,
    toUrl: "http://a.test/?x=1&y=2",
    element: "a",
    embed: false,
    nofollow: false,
  },
  { from: 1, fromUrl: "http://a.test/", to: null, toUrl: "ftp://b.test/", element: "a", embed: false, nofollow: false },
];

async function* edges() {
  yield* EDGES;
}

async function text(pieces: AsyncIterable<string>): Promise<string> {
  let all = "";
  for await (const piece of pieces) all += piece;
  return all;
}

describe("the link graph", () => {
  it("as Parquet has a row a link, those that leave the crawl too", async () => {
    const pieces: Uint8Array[] = [];
    for await (const piece of edgesParquet(edges())) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    const rows = await parquetReadObjects({
      file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer,
    });
    assert.deepEqual(rows, [
      {
        from_id: 1n,
        to_id: 2n,
        from_url: "http://a.test/",
        to_url: "http://a.test/?x=1&y=2",
        element: "a",
        embed: false,
        nofollow: false,
      },
      {
        from_id: 1n,
        to_id: null,
        from_url: "http://a.test/",
        to_url: "ftp://b.test/",
        element: "a",
        embed: false,
        nofollow: false,
      },
    ]);
  });

  it("as GraphML is well-formed whatever titles hold, and has only links between its nodes", async () => {
    const nodes = [
      { id: 1, url: "http://a.test/", status: 200, title: '<b> & "c" \0\ud800' },
      { id: 2, url: "http://a.test/?x=1&y=2", status: null, title: null },
    ];
    const xml = await text(graphml(nodes, edges()));
    assert.match(xml, /<node id="n1">.*<data key="title">&lt;b&gt; &amp; &quot;c&quot; \ufffd<\/data><\/node>/);
    assert.match(xml, /<node id="n2"><data key="url">http:\/\/a\.test\/\?x=1&amp;y=2<\/data><\/node>/);
    assert.equal(xml.match(/<edge /g)?.length, 1);
    assert.match(
      xml,
      /<edge source="n1" target="n2"><data key="element">a<\/data><data key="nofollow">false<\/data><\/edge>/,
    );
    assert.ok(xml.endsWith("</graph>\n</graphml>\n"));
  });
});
