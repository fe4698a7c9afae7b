/** A crawl as one WACZ file, shown by ReplayWeb.page in a browser: the same text and pictures as the live site. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { crc32, deflateSync } from "node:zlib";
import type { Frame, Page } from "playwright-core";
import { openBrowser } from "../services/chromium.ts";
import { nginx } from "../services/nginx.ts";
import { replayOf } from "../services/replay-web-page.ts";
import { ask, tempDir, trawl } from "./trawl.ts";

/** A PNG of one colour; with `extra` bytes behind its picture. */
function png(width: number, height: number, rgb: readonly [number, number, number], extra = 0): Buffer {
  const row = Buffer.from([0, ...Array.from({ length: width }, () => rgb).flat()]);
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const rows = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const words = chunk("tEXt", Buffer.from(`Comment\0${"x".repeat(extra)}`));
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", rows), words, chunk("IEND", Buffer.alloc(0))]);
}

async function writeSite(root: string): Promise<void> {
  await mkdir(join(root, "img"));
  await writeFile(
    join(root, "index.html"),
    `<!doctype html><meta charset="utf-8"><title>Trawling</title><link rel="stylesheet" href="style.css">
<h1>Trawling — naïve café, 漁</h1><p id="where">Where the nets are.</p><img src="img/net.png" alt="a net">
<p><a href="two.html?b=2&a=1">The second page</a>${"<p>Filler, so that the page is sent compressed.".repeat(60)}`,
  );
  await writeFile(
    join(root, "two.html"),
    "<!doctype html><title>Two</title><link rel=stylesheet href=style.css><h1>Two</h1><img src=img/copy.png>",
  );
  await writeFile(join(root, "style.css"), "h1 { color: rgb(0, 100, 140) } body { background: url(img/sea.png) }");
  await writeFile(join(root, "img/net.png"), png(120, 80, [200, 120, 20], 2_000));
  await writeFile(join(root, "img/copy.png"), png(120, 80, [200, 120, 20], 2_000));
  await writeFile(join(root, "img/sea.png"), png(8, 8, [220, 240, 250]));
}

/** What a reader sees: in the words of the page itself. The source text runs in the browser. */
const SEEN = `(() => {
  const pixels = (image) => {
    const drawing = document.createElement("canvas").getContext("2d");
    drawing.drawImage(image, 0, 0);
    return [image.naturalWidth, image.naturalHeight, ...drawing.getImageData(0, 0, 1, 1).data];
  };
  return {
    title: document.title,
    text: document.body.innerText,
    colour: getComputedStyle(document.querySelector("h1")).color,
    pictures: [...document.images].map(pixels),
  };
})()`;

const PATIENCE_MS = 60_000;

async function replayed(page: Page, href: string): Promise<Frame> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const frame = page.frames().find((one) => one.url().includes("mp_/") && one.url().endsWith(href));
    if (frame !== undefined) {
      await frame.waitForLoadState("load", { timeout: PATIENCE_MS });
      return frame;
    }
    await page.waitForTimeout(100);
  }
  throw new Error(`nothing was replayed; frames: ${page.frames().map((frame) => frame.url())}`);
}

describe("a crawl exported as WACZ", () => {
  it("shows in ReplayWeb.page what the live site shows, the site being gone", async () => {
    await using root = await tempDir();
    await using dir = await tempDir();
    await writeSite(root.path);
    const wacz = join(dir.path, "crawl.wacz");
    await using browser = await openBrowser();
    const page = await browser.newPage();
    const live: unknown[] = [];
    const hrefs: string[] = [];
    {
      await using server = await nginx({ root: root.path, gzip: true });
      const crawled = await trawl([
        "crawl",
        `${server.origin}/`,
        "--assets",
        "--delay",
        "0",
        "--dir",
        join(dir.path, "c"),
      ]);
      assert.equal(crawled.code, 0, crawled.stderr);
      for (const path of ["/", "/two.html?b=2&a=1"]) {
        hrefs.push(server.origin + path);
        await page.goto(server.origin + path);
        live.push(await page.evaluate(SEEN));
      }
      const { colour, pictures } = live[0] as { colour: string; pictures: unknown };
      assert.deepEqual([colour, pictures], ["rgb(0, 100, 140)", [[120, 80, 200, 120, 20, 255]]]);
    }
    const revisits = ask(join(dir.path, "c"), "SELECT url FROM urls WHERE revisit_of IS NOT NULL");
    assert.deepEqual(
      revisits.map(({ url }) => String(url).replace(/^.*\//, "")),
      ["copy.png"],
      "a picture that comes twice is archived once",
    );
    const exported = await trawl(["export", join(dir.path, "c"), "--to", wacz]);
    assert.equal(exported.code, 0, exported.stderr);

    await using replay = await replayOf(wacz);
    for (const [i, href] of hrefs.entries()) {
      await page.goto(replay.page(href));
      const frame = await replayed(page, href);
      assert.deepEqual(await frame.evaluate(SEEN), live[i], href);
      if (i > 0) continue;
      await frame.click("a");
      assert.equal(await (await replayed(page, hrefs[1]!)).evaluate("document.title"), "Two", "links lead on");
    }
  });
});
