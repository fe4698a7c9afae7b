import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ask } from "./ask.ts";
import { changing, startOf } from "./changing.ts";
import { fakeWeb } from "./fake-web.ts";

const DAY = 86_400_000;
const pages = Array.from({ length: 400 }, (_, n) => ({ host: n % 8, page: Math.floor(n / 8) }));

describe("a web that changes", () => {
  it("changes each page as often as its rate says, and the same with the same seed", () => {
    const [one, other] = [changing(3, { spread: 1 }), changing(3, { spread: 1 })];
    const until = startOf({}) + 300 * DAY;
    let [expected, happened] = [0, 0];
    for (const id of pages) {
      expected += one.rateOf(id) * 300 * DAY;
      happened += one.versionOf(id, until).number;
      assert.deepEqual(one.versionOf(id, until), other.versionOf(id, until));
    }
    assert.ok(Math.abs(happened / expected - 1) < 0.05, `${happened} changes in place of ${expected}`);
  });

  it("has a heavy tail: the tenth of the pages that change most do so as often as all others", () => {
    const web = changing(3, {});
    const rates = pages.map((id) => web.rateOf(id)).sort((a, b) => b - a);
    const sum = (some: readonly number[]) => some.reduce((all, rate) => all + rate, 0);
    assert.ok(sum(rates.slice(0, rates.length / 10)) > sum(rates) / 2);
  });

  it("lets pages go and come back, and moves some for good; roots stay", () => {
    const web = changing(5, { fleeting: 0.5, moving: 0.2 });
    const seen = new Set<string | null>();
    for (const id of pages)
      for (let day = 0; day < 365; day += 5) {
        const { away } = web.versionOf(id, startOf({}) + day * DAY);
        assert.ok(id.page > 0 || away === null);
        seen.add(away);
      }
    assert.deepEqual(seen, new Set([null, "404", "410", "moved"]));
  });

  it("answers as its servers do, and writes down which version it gave", async () => {
    const servers = ["strong", "modified", "deaf", "stuck", "churning", "none"] as const;
    await using web = await fakeWeb({ hosts: 6, pagesPerHost: 1, changing: { servers, medianDays: 1, spread: 0 } });
    const say: Record<string, readonly number[]> = {};
    for (const [host, server] of servers.entries()) {
      const first = await ask(web, `h${host}.test`, "/");
      const { etag, "last-modified": modified } = first.headers as Record<string, string | undefined>;
      const headers = { ...(etag && { "if-none-match": etag }), ...(modified && { "if-modified-since": modified }) };
      const again = await ask(web, `h${host}.test`, "/", { headers });
      say[server] = [first.status, again.status, again.body.length > 0 ? 1 : 0];
    }
    const notModified = [200, 304, 0];
    const whole = [200, 200, 1];
    assert.deepEqual(say, {
      strong: notModified,
      modified: notModified,
      deaf: notModified,
      stuck: notModified,
      churning: whole,
      none: whole,
    });
    assert.ok(web.log.requests().every(({ version }) => version === 0));
  });
});
