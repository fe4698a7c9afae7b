/** A page of the graph as HTML: menu, headings, paragraphs, links written in all the ways that people write them. */
import { type Graph, type GraphLink, hostName, type PageId } from "./graph.ts";
import { random } from "./random.ts";

export interface PageOptions {
  readonly port: number;
  /** Bytes of text, from and to; the draw leans to the small end, as the web does. */
  readonly bytes: readonly [number, number];
  /** False writes every link as an absolute canonical URL. */
  readonly dressed: boolean;
}

export function originOf(host: string | number, port: number): string {
  return `http://${typeof host === "number" ? hostName(host) : host}:${port}`;
}

/** A link as it stands in the document. Whatever the dress, the target's URL key is the same. */
export function hrefOf(graph: Graph, from: PageId, link: GraphLink, options: PageOptions): string {
  const path = graph.pathOf(link);
  const origin = originOf(link.host, options.port);
  if (!options.dressed) return origin + path;
  const inside = link.host === from.host;
  switch (link.dress) {
    case 0:
      return `${origin}${path}#part-2`;
    case 1:
      return `${origin}${path}${path.includes("?") ? "&amp;" : "?"}utm_source=feed&amp;utm_medium=rss`;
    case 2:
      return `HTTP://${hostName(link.host).toUpperCase()}:${options.port}${path}`;
    case 3:
      return `//${hostName(link.host)}:${options.port}${path}`;
    case 4:
      return inside ? ` ${path}\n` : `${origin}${path}`;
    case 5:
      return inside ? `/./docs/..${path}` : `${origin}/a/..${path}`;
    case 6: // a directory page without its slash: the server redirects it to its own key
      return path.endsWith("/") && path !== "/" ? origin + path.slice(0, -1) : origin + path;
    case 7:
    case 8:
      return inside ? relative(graph.pathOf(from), path) : origin + path;
    default:
      return inside ? path : origin + path;
  }
}

function relative(from: string, to: string): string {
  const depth = from.split("?")[0]!.split("/").length - 2;
  return (depth === 0 ? "./" : "../".repeat(depth)) + to.slice(1);
}

/** The page, whole. The same for every request, whatever was asked before; another text for each version, with the same links. */
export function pageHtml(graph: Graph, id: PageId, options: PageOptions, version = 0): string {
  const from = random(graph.seed, `text ${id.host} ${id.page}${version === 0 ? "" : ` ${version}`}`);
  const topic = graph.topicOf(id);
  const { words } = graph;
  const heading = (): string => {
    const word = words.about(topic, from);
    return `${word[0]!.toUpperCase()}${word.slice(1)} ${words.any(from)} ${words.about(topic, from)}`;
  };
  const [least, most] = options.bytes;
  const size = least + (most - least) * (from.int(0, 1000) / 1000) ** 2;
  const title = `${heading()} ${id.page} - ${hostName(id.host)}`;
  const links = graph.linksOf(id).map((link) => {
    const text = `${words.about(topic, from)} ${words.any(from)}`;
    return `<a${link.nofollow ? ' rel="nofollow"' : ""} href="${hrefOf(graph, id, link, options)}">${text}</a>`;
  });
  const menu = links.splice(0, Math.min(5, graph.pagesPerHost));
  let html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="description" content="${words.sentence(topic, from)}"><link rel="stylesheet" href="/site.css">
<script>var base = "<a href='/not-a-link.html'>";</script></head>
<body><!-- <a href="/not-a-link-either.html">x</a> --><nav><ul><li>${menu.join("</li>\n<li>")}</li></ul></nav>
<main><h1>${title}</h1>
`;
  while (html.length < size || links.length > 0) {
    if (from.chance(0.2)) html += `<h2>${heading()}</h2>\n`;
    html += "<p>";
    for (let n = from.int(2, 6); n > 0; n--) {
      html += words.sentence(topic, from);
      if (links.length > 0 && from.chance(0.4)) html += ` See ${links.shift()} &amp; more. `;
      else html += " ";
    }
    html += "</p>\n";
  }
  return `${html}</main><img src="/logo.png" alt=""><footer>&copy; ${hostName(id.host)}</footer></body></html>\n`;
}
