import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sniff } from "../../src/policy/media-type.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
const HTML = bytes("  <!DOCTYPE html><p>x");

describe("sniff", () => {
  it("believes a declared type", () => {
    assert.equal(sniff("application/json; charset=x", HTML), "application/json");
    assert.equal(sniff("application/octet-stream", HTML), "application/octet-stream");
    assert.equal(sniff("image/svg+xml", bytes("GIF89a")), "image/svg+xml");
  });
  it("never makes HTML of text/plain, but binary where servers call everything text", () => {
    assert.equal(sniff("text/plain", HTML), "text/plain");
    assert.equal(sniff("text/plain; charset=UTF-8", bytes("\x00\x01")), "application/octet-stream");
    assert.equal(sniff("text/plain; charset=koi8-r", bytes("\x00\x01")), "text/plain");
  });
  it("identifies what is not declared, or declared as nothing known", () => {
    for (const type of [null, "", "nonsense", "unknown/unknown", "application/unknown", "*/*"]) {
      assert.equal(sniff(type, HTML), "text/html", String(type));
    }
    assert.equal(sniff(null, bytes('<?xml version="1.0"?>')), "text/xml");
    assert.equal(sniff(null, bytes("%PDF-1.7")), "application/pdf");
    assert.equal(sniff(null, bytes("plain words")), "text/plain");
    assert.equal(sniff(null, bytes("\x01\x02")), "application/octet-stream");
    assert.equal(sniff(null, bytes("")), "text/plain");
  });
  it("wants a whole tag name before it says HTML", () => {
    assert.equal(sniff(null, bytes("<PRE>")), "text/plain");
    assert.equal(sniff(null, bytes("<p")), "text/plain");
    assert.equal(sniff(null, bytes("<p>")), "text/html");
    assert.equal(sniff(null, bytes("<!--")), "text/html");
  });
  it("says nothing scriptable under nosniff", () => {
    assert.equal(sniff(null, HTML, true), "text/plain");
    assert.equal(sniff(null, bytes("GIF89a"), true), "image/gif");
    assert.equal(sniff("text/html", bytes("<rss>"), true), "text/html");
  });
  it("corrects one image type to another", () => {
    assert.equal(sniff("image/png", bytes("GIF89a")), "image/gif");
    assert.equal(sniff("image/png", bytes("????")), "image/png");
  });
  it("finds a feed that is called HTML, behind comments and declarations", () => {
    assert.equal(sniff("text/html", bytes("\xef\xbb\xbf <?xml ?>\n<!-- <p> --><rss>")), "application/rss+xml");
    assert.equal(sniff("text/html", bytes("<!DOCTYPE x><feed>")), "application/atom+xml");
    const rdf = '<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">';
    assert.equal(sniff("text/html", bytes(rdf)), "application/rss+xml");
    assert.equal(sniff("text/html", bytes("<rdf:RDF>")), "text/html");
    assert.equal(sniff("text/html", bytes("<!-- never closed")), "text/html");
    assert.equal(sniff("text/html", bytes("<!----><p>".repeat(150))), "text/html");
  });
  it("knows MP4 by its brands and WebM by its document type", () => {
    assert.equal(sniff(null, bytes("\x00\x00\x00\x18ftypisom\x00\x00\x00\x00isommp42")), "video/mp4");
    assert.equal(sniff(null, bytes("\x00\x00\x00\x14ftypisom\x00\x00\x00\x00isom")), "application/octet-stream");
    assert.equal(sniff(null, bytes("\x1a\x45\xdf\xa3\x81\x42\x82\x84webm")), "video/webm");
  });
});
