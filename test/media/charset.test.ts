import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { decode, encodingOfLabel, findEncoding } from "../../src/media/charset.ts";
import { document } from "../../src/media/document.ts";
import { parseMediaType } from "../../src/model/media-type.ts";
import type { Href } from "../../src/model/url.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
const found = (body: string, contentType = "text/html"): string => {
  const type = parseMediaType(contentType)!;
  return findEncoding(bytes(body), type.essence, type);
};

describe("findEncoding", () => {
  it("puts the byte order mark before the header before the document", () => {
    const page = "<meta charset=koi8-r>";
    assert.equal(found(`\xef\xbb\xbf${page}`, "text/html;charset=gbk"), "utf-8");
    assert.equal(found(page, "text/html;charset=gbk"), "gbk");
    assert.equal(found(page), "koi8-r");
    assert.equal(found("<p>"), "windows-1252");
    assert.equal(found("\xfe\xff\x00<"), "utf-16be");
    assert.equal(found("\xff\xfe<\x00"), "utf-16le");
  });
  it("takes white space round a label, and ends on a mebibyte of it within one", () => {
    assert.equal(encodingOfLabel(`${" ".repeat(1 << 20)}utf-8\n`), "utf-8");
    assert.equal(encodingOfLabel(`a${" ".repeat(1 << 20)}b`), null); // in quadratic time that would take an hour
    assert.equal(encodingOfLabel("\u00a0utf-8"), null);
  });
  it("ignores labels that name nothing", () => {
    assert.equal(found("<meta charset=koi8-r>", "text/html;charset=ISO-88509-1"), "koi8-r");
    assert.equal(found("<meta charset=bogus><meta charset=gbk>"), "gbk");
    assert.equal(encodingOfLabel("none"), null);
    assert.equal(encodingOfLabel(" UTF8\n"), "utf-8");
    assert.equal(encodingOfLabel("latin1"), "windows-1252");
  });
  it("believes a pragma only with its http-equiv, whatever their order", () => {
    assert.equal(found('<meta content="text/html; charset=gbk">'), "windows-1252");
    assert.equal(found('<meta content="text/html; charset=gbk" http-equiv=Content-Type>'), "gbk");
    assert.equal(found("<meta http-equiv=content-type content=\"charset = 'gbk'\">"), "gbk");
    assert.equal(found('<meta http-equiv=content-type content="charset=\'gbk">'), "windows-1252");
    assert.equal(found('<meta http-equiv=content-type content="x-charset charset=gbk;q">'), "gbk");
  });
  it("does not take charset= for a declaration outside a meta tag", () => {
    assert.equal(found('<script charset="utf-8" src=x></script><meta charset=gbk>'), "gbk");
    assert.equal(found("<!-- <meta charset=gbk> -->"), "windows-1252");
    assert.equal(found("<!--><meta charset=gbk>"), "gbk");
    assert.equal(found("<p title='<meta charset=gbk>'>"), "windows-1252");
    assert.equal(found("<metacharset=gbk>"), "windows-1252");
    assert.equal(found("</meta charset=koi8-r><!x><?y><meta/charset=gbk>"), "gbk");
    assert.equal(found("location='x?charset=gbk&bbc=1'"), "windows-1252");
  });
  it("looks at 1,024 bytes, and at no tag that they cut", () => {
    const meta = "<meta charset=gbk>";
    assert.equal(found(" ".repeat(1024 - meta.length) + meta), "gbk");
    assert.equal(found(" ".repeat(1025 - meta.length) + meta), "windows-1252");
  });
  it("takes utf-16 in a declaration for utf-8, for it was read as ASCII", () => {
    assert.equal(found("<meta charset=utf-16>"), "utf-8");
    assert.equal(found("<meta charset=x-user-defined>"), "windows-1252");
  });
  it("reads the XML declaration, of XML and of HTML", () => {
    const xml = '<?xml version="1.0" encoding="koi8-r"?><a/>';
    assert.equal(found(xml, "application/xml"), "koi8-r");
    assert.equal(found(xml), "koi8-r");
    assert.equal(found("<a/>", "application/rss+xml"), "utf-8");
    assert.equal(found("<?xml encoding='koi 8'?>", "text/xml"), "utf-8");
    assert.equal(found("<\0?\0x\0m\0l\0", "text/xml"), "utf-16le");
  });
  it("knows the defaults of other types", () => {
    assert.equal(found("a{}", "text/css"), "utf-8");
    assert.equal(found('@charset "gbk";a{}', "text/css"), "gbk");
    assert.equal(found("words", "text/plain"), "windows-1252");
    assert.equal(found("{}", "application/json"), "utf-8");
  });
});

describe("decode", () => {
  it("replaces what is malformed and drops the mark", () => {
    assert.equal(decode(bytes("\xef\xbb\xbfa\xffb"), "utf-8"), "a\ufffdb");
    assert.equal(decode(bytes("\x80\x99"), "windows-1252"), "€™");
    assert.equal(decode(bytes("\x1b$B0!\x1b(B"), "iso-2022-jp"), "亜");
    assert.equal(decode(bytes("anything"), "replacement"), "\ufffd");
    assert.equal(encodingOfLabel("ISO-2022-CN"), "replacement");
  });
  it("leaves ASCII alone, control characters too, by itself and beside other characters", () => {
    const ascii = Uint8Array.from({ length: 128 }, (_, code) => code);
    for (const encoding of ["utf-8", "windows-1252", "gbk", "shift_jis", "koi8-u", "euc-jp", "big5", "euc-kr"]) {
      const text = String.fromCharCode(...ascii);
      assert.equal(decode(ascii, encoding), text, encoding);
      const more = decode(Uint8Array.from([...ascii, 0xb0, 0xb0]), encoding);
      assert.equal(more.slice(0, 128), text, `${encoding}, beside others`);
      assert.ok(more.length > 128);
    }
  });
  it("knows the whole of the encodings that the standard means by their names", () => {
    const rows = [
      ["euc-kr", "\xb0\xa1", "가"],
      ["ks_c_5601-1987", "\x94\xee \xb9\xab", "뷁 무"], // windows-949's syllables
      ["euc-kr", "\xc5\x52 \x81\x41\xc6\x52", "휮 갂힣"],
      ["big5", "\x88\x62\x89\x41\xfa\x40", "\u00ca\u0304\u{21145}𠕇"], // Hong Kong's, of two planes
      ["big5", "\xa4\xa4\xa4\xe5", "中文"],
      ["shift_jis", "\x88\x9f\xb1\x1a\xfa\x40\xf0\x40", "亜ｱ\x1aⅰ\ue000"],
      ["euc-jp", "\xb0\xa1\x8e\xb1\x8f\xb0\xa1", "亜ｱ丂"],
      ["gb18030", "\x81\x30\x81\x30\xb0\xa1", "\x80啊"],
    ] as const;
    for (const [label, body, text] of rows) assert.equal(decode(bytes(body), encodingOfLabel(label)!), text, label);
  });
  it("gives a character that a malformed lead byte would swallow", () => {
    for (const encoding of ["big5", "euc-jp", "euc-kr", "shift_jis", "gbk"])
      assert.equal(decode(bytes("\x88<a>"), encoding), "\ufffd<a>", encoding);
    assert.equal(decode(bytes("\x81@"), "big5"), "\ufffd@");
  });
  it("never throws, whatever the bytes", () => {
    const names = ["big5", "euc-jp", "euc-kr", "iso-2022-jp", "shift_jis", "gb18030", "utf-16le", "koi8-r"];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.uint8Array({ maxLength: 40 }), (name, body) => {
        const text = decode(body, name);
        assert.ok(text.isWellFormed() && text.length <= 2 * body.length + 1);
        assert.equal(decode(body, name), text, "nothing is left of the last");
      }),
    );
  });
});

describe("document", () => {
  it("decodes by the header it came with, whatever the case of the field's name", () => {
    const page = document("http://a.test/" as Href, "text/html", bytes("\xe4"), false, [
      "CONTENT-TYPE",
      "a/b;charset=koi8-r",
    ]);
    assert.equal(page.charset(), "koi8-r");
    assert.equal(page.text(), "Д");
  });
});
