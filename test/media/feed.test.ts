import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { feedOf } from "../../src/media/feed.ts";

const links = (text: string): string[] => feedOf(text).links.map((link) => `${link.kind} ${link.from} ${link.href}`);
const dates = (text: string) => feedOf(text).links.map(({ lastmod }) => lastmod ?? null);
const rss = (content: string): string => `<rss version="2.0"><channel>${content}</channel></rss>`;

describe("feed: RSS", () => {
  it("tells entries from the channel, and dates the entries", () => {
    const text = rss(
      "<title>News</title><link>http://a.test/</link><item><title>x</title><link> /1 </link><pubDate>Mon</pubDate></item>" +
        "<item><pubDate>Tue</pubDate><link>/2?a&amp;b<![CDATA[&c]]></link></item>",
    );
    assert.deepEqual(links(text), ["page feed-channel http://a.test/", "page feed /1", "page feed /2?a&b&c"]);
    assert.deepEqual(dates(text), [null, "Mon", "Tue"]);
    assert.equal(feedOf(text).title, "News");
  });
  it("takes the guid where there is no link and it is a URL", () => {
    assert.deepEqual(links(rss("<item><guid isPermaLink='false'>http://a.test/1</guid></item>")), [
      "page feed http://a.test/1",
    ]);
    assert.deepEqual(links(rss("<item><guid>urn:x</guid></item>")), []);
    assert.deepEqual(links(rss("<item><guid>http://a.test/2</guid><link>/1</link></item>")), ["page feed /1"]);
  });
  it("embeds enclosures and media", () => {
    const text = rss(
      "<item><link>/1</link><enclosure url='a.mp3'/><media:thumbnail url='t.png'/><media:content url='v.mp4'/></item>",
    );
    assert.deepEqual(links(text), ["page feed /1", "embed feed a.mp3", "embed feed t.png", "embed feed v.mp4"]);
  });
  it("reads RDF, whose items stand beside the channel", () => {
    const text =
      "<rdf:RDF><channel><link>/</link><image r:resource='i'/></channel><image><link>/no</link></image><item><link>/1</link></item></rdf:RDF>";
    assert.deepEqual(links(text), ["page feed-channel /", "page feed /1"]);
  });
});

describe("feed: Atom", () => {
  it("takes alternates and other pages of the feed, not self, edit or a source's links", () => {
    const text =
      "<feed><link rel='self' href='/no'/><link rel='next' href='/p2'/><entry><link href='/1'/>" +
      "<link rel='edit' href='/no'/><link rel='enclosure' href='/a.mp3'/><published>Mon</published><updated>Tue</updated>" +
      "<source><link href='/no'/></source></entry></feed>";
    assert.deepEqual(links(text), ["page feed-channel /p2", "page feed /1", "embed feed /a.mp3"]);
    assert.deepEqual(dates(text), [null, "Tue", null]);
  });
  it("closes an entry that the document does not", () => {
    assert.deepEqual(links("<rss><item><guid>http://a.test/1</guid>"), ["page feed http://a.test/1"]);
  });
});
