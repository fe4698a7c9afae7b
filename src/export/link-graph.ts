/** Who links to whom: what the graph exports and the ranking are made of. */
import type { Stream } from "../base/streamed.ts";
import { column, type ParquetLimits, tableChunks } from "./parquet-table.ts";
import { xmlText } from "./xml-text.ts";

/** A link of a page that was fetched, once for each URL it links to; a redirect is a link to where it leads. */
export interface Edge {
  readonly from: number;
  readonly fromUrl: string;
  /** Null when the target is no URL of the crawl: a link that was not to be followed, or of another scheme. */
  readonly to: number | null;
  readonly toUrl: string;
  /** Where it stood: a, area, img, css... or redirect. */
  readonly element: string;
  /** Part of the page (an image, a script), not a way out of it. */
  readonly embed: boolean;
  /** The page asks that it be left alone. */
  readonly nofollow: boolean;
}

const edgeColumns = [
  column<Edge>("from_id", "long", ({ from }) => from),
  column<Edge>("to_id", "long", ({ to }) => to),
  column<Edge>("from_url", "text", ({ fromUrl }) => fromUrl),
  column<Edge>("to_url", "text", ({ toUrl }) => toUrl),
  column<Edge>("element", "text", ({ element }) => element),
  column<Edge>("embed", "flag", ({ embed }) => embed),
  column<Edge>("nofollow", "flag", ({ nofollow }) => nofollow),
];

/** A row a link. `from_id` and `to_id` are the `id` of the page exports. */
export const edgesParquet = (edges: AsyncIterable<Edge>, limits?: ParquetLimits): AsyncGenerator<Uint8Array> =>
  tableChunks(edgeColumns, edges, limits);

export interface GraphNode {
  readonly id: number;
  readonly url: string;
  readonly status: number | null;
  readonly title: string | null;
}

/** GraphML (http://graphml.graphdrawing.org): Gephi, yEd, NetworkX, igraph read it. Links that leave the crawl are not in it. */
export async function* graphml(nodes: Stream<GraphNode>, edges: AsyncIterable<Edge>): AsyncGenerator<string> {
  yield GRAPHML_HEAD;
  for await (const { id, url, status, title } of nodes)
    yield `<node id="n${id}">${data("url", url)}${data("status", status)}${data("title", title)}</node>\n`;
  for await (const { from, to, element, nofollow } of edges)
    if (to !== null)
      yield `<edge source="n${from}" target="n${to}">${data("element", element)}${data("nofollow", nofollow)}</edge>\n`;
  yield "</graph>\n</graphml>\n";
}

const GRAPHML_HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="url" for="node" attr.name="url" attr.type="string"/>
<key id="status" for="node" attr.name="status" attr.type="int"/>
<key id="title" for="node" attr.name="title" attr.type="string"/>
<key id="element" for="edge" attr.name="element" attr.type="string"/>
<key id="nofollow" for="edge" attr.name="nofollow" attr.type="boolean"/>
<graph edgedefault="directed">
`;

const data = (key: string, value: string | number | boolean | null): string =>
  value === null ? "" : `<data key="${key}">${xmlText(String(value))}</data>`;
