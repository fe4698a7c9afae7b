/** Pages that come back, in the real loop on a clock of the test's. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { History } from "../../src/model/history.ts";
import { memoryBackend } from "../../src/store/memory/backend.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import { crawlWorld, type Reply, type Request, type World, type WorldOptions } from "./world.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SEED = "http://a.test/";

type Web = (href: string, asked: Request) => Reply | undefined;

/** A crawl, and looks at all that ended in it, `everyMs` after each other. */
class Looks {
  readonly clock = new SimulatedClock();
  readonly backend = memoryBackend({ clock: this.clock });
  readonly #web: Web;
  readonly #options: Partial<WorldOptions>;

  constructor(web: Web, options: Partial<WorldOptions> = {}) {
    this.#web = web;
    this.#options = options;
  }

  async look(afterMs = DAY): Promise<World> {
    if ((await this.ids()).length > 0) {
      await this.clock.sleep(afterMs);
      await this.backend.revisit((await this.ids()).map((id) => ({ id, priority: 4 })));
    }
    return crawlWorld({
      seeds: [SEED],
      asHtml: true,
      ...this.#options,
      clock: this.clock,
      backend: () => this.backend,
      web: (href, _nth, _cookie, asked) =>
        href.endsWith("/robots.txt") ? this.#robots(href, asked!) : this.#web(href, asked!),
    });
  }

  #robots(href: string, asked: Request): Reply {
    return this.#web(href, asked) ?? { status: 404 };
  }

  async ids(): Promise<number[]> {
    return (await Array.fromAsync(this.backend.urls({ endedOnly: true }))).map(({ id }) => id);
  }

  async history(href = SEED): Promise<History> {
    const [record] = (await Array.fromAsync(this.backend.urls())).filter((url) => url.href === href);
    return record!.visit!.history!;
  }
}

const HTML = ["Content-Type", "text/html"];
const words = (seed: number): string =>
  Array.from({ length: 200 }, (_, n) => `word${(n * 7919 + seed * 104_729) % 1_009}`).join(" ");
const pageOf = (version: number, headers: readonly string[] = []): Reply => ({
  text: `<title>a page</title><p>${words(version)}</p>`,
  headers: [...HTML, ...headers],
});
const asksFor = (asked: Request): string[] =>
  Object.keys(asked.headers).filter((name) => name === "if-none-match" || name === "if-modified-since");
const kinds = ({ changes }: World): string[] => changes.map(({ kind }) => kind);
const looksOf = ({ asked }: World): string[] => asked.map(({ href }) => href).filter((href) => href === SEED);

describe("a page that comes back", () => {
  it("is asked for with what came with it, as it came, and a 304 is kept without a body", async () => {
    const sent: Request[] = [];
    const looks = new Looks((href, asked) => {
      if (href !== SEED) return undefined;
      sent.push(asked);
      if (asksFor(asked).length > 0) return { status: 304 };
      return pageOf(1, ["ETag", 'W/"a\u00e9"', "Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"]);
    });
    const first = await looks.look();
    const second = await looks.look();
    assert.deepEqual(asksFor(sent[0]!), []);
    assert.equal(sent[1]!.headers["if-none-match"], 'W/"a\u00e9"');
    assert.equal(sent[1]!.headers["if-modified-since"], "Thu, 01 Jan 2026 00:00:00 GMT");
    const [kept] = second.kept.filter(({ href }) => href === SEED);
    assert.equal(kept!.revisit?.profile, "server-not-modified");
    assert.deepEqual(kept!.revisit?.original, {
      urlId: 1,
      href: SEED,
      at: first.settled[0]!.visit!.startedAt,
      digest: first.settled[0]!.visit!.capture!.digest,
    });
    const { visit } = second.settled.find(({ href }) => href === SEED)!;
    const { title } = visit!.page!;
    assert.deepEqual(
      [visit!.end, visit!.status, visit!.bytes, title, visit!.contentType],
      ["not-modified", 304, 0, "a page", "text/html"],
    );
    assert.equal(visit!.capture!.revisitOf, 1);
    assert.equal(visit!.attempt, 1);
    assert.deepEqual(kinds(second), []);
    // The original stays the one that holds the body, however often nothing has changed.
    const third = await looks.look();
    assert.deepEqual(third.kept.at(-1)!.revisit?.original, kept!.revisit?.original);
    assert.deepEqual(
      [(await looks.history()).checks, (await looks.history()).changes, (await looks.history()).unread],
      [2, 0, 2],
    );
  });

  it("is asked for whole now and then, and its body is not written again when it is the same", async () => {
    const looks = new Looks((href, asked) => {
      if (href !== SEED) return undefined;
      return asksFor(asked).length > 0 ? { status: 304 } : pageOf(1, ["ETag", '"a"']);
    });
    const profiles: (string | undefined)[] = [];
    for (let n = 0; n < 30; n++)
      profiles.push((await looks.look()).kept.find(({ href }) => href === SEED)?.revisit?.profile);
    const whole = profiles.flatMap((profile, n) => (profile === "identical-payload-digest" ? [n] : []));
    assert.ok(whole.length >= 2 && whole.length <= 3, `at looks ${whole.join(", ")}`);
    assert.ok(profiles.slice(1).every((profile) => profile !== undefined));
    assert.equal((await looks.history()).checks, 29);
  });

  it("has changed when its text has, not when an advertisement has, and says by how much", async () => {
    let served: Reply = pageOf(1);
    const looks = new Looks((href) => (href === SEED ? served : undefined));
    assert.deepEqual(kinds(await looks.look()), ["new"]);
    served = { ...served, text: `${served.text}<!-- served at noon -->` };
    const unchanged = await looks.look();
    assert.deepEqual(kinds(unchanged), []);
    assert.equal(unchanged.settled.find(({ href }) => href === SEED)!.visit!.end, "fetched");
    served = pageOf(2);
    const changed = await looks.look();
    const [event] = changed.changes;
    assert.equal(event!.kind, "changed");
    assert.ok(event!.distance! > 3);
    assert.notEqual(event!.digest, event!.digestBefore);
    assert.equal((await looks.history()).changes, 1);
    assert.equal((await looks.history()).checks, 2);
  });

  it("is no copy of itself, and is one of another page when it has become one", async () => {
    let served: Reply = { ...pageOf(1), text: `${pageOf(1).text}<a href="/b">b</a>` };
    const other = pageOf(7);
    const looks = new Looks((href) => (href === SEED ? served : href === `${SEED}b` ? other : undefined));
    await looks.look();
    const again = await looks.look();
    for (const { visit } of again.settled) assert.equal(visit!.duplicateOf ?? visit!.nearDuplicateOf, null);
    served = other;
    const copy = (await looks.look()).settled.find(({ href }) => href === SEED)!;
    assert.equal(copy.visit!.duplicateOf, 2);
    const still = (await looks.look()).settled.find(({ href }) => href === SEED)!;
    assert.equal(still.visit!.duplicateOf, 2);
  });

  it("goes, and comes back: told once each, its history kept", async () => {
    let served: Reply | undefined = pageOf(1);
    const looks = new Looks((href) => (href === SEED ? served : undefined));
    await looks.look();
    served = undefined;
    const gone = await looks.look();
    assert.deepEqual(kinds(gone), ["gone"]);
    const { visit } = gone.settled.find(({ href }) => href === SEED)!;
    assert.deepEqual([visit!.end, visit!.status, visit!.page?.title], ["http-4xx", 404, "a page"]);
    assert.deepEqual(kinds(await looks.look()), []);
    assert.deepEqual([(await looks.history()).away?.looks, (await looks.history()).checks], [2, 0]);
    served = { fails: "timeout" };
    assert.deepEqual(kinds(await looks.look()), []);
    served = pageOf(1);
    const back = await looks.look();
    assert.deepEqual(kinds(back), ["back"]);
    assert.equal(back.changes[0]!.distance, 0);
    assert.equal((await looks.history()).away, null);
  });

  it("moves, and moves on", async () => {
    let served: Reply = pageOf(1);
    const looks = new Looks((href) => (href === SEED ? served : pageOf(9)));
    await looks.look();
    const seen: (string | null)[] = [];
    for (const to of ["/x", "/x", "/y"]) {
      served = { status: 301, headers: ["Location", to] };
      for (const event of (await looks.look()).changes) if (event.href === SEED) seen.push(event.kind, event.to);
    }
    assert.deepEqual(seen, ["moved", `${SEED}x`, "moved", `${SEED}y`]);
    assert.equal((await looks.history()).checks, 0);
  });

  it("is not asked for any more when robots.txt turns to deny, keeps its history, and comes back with it", async () => {
    let rules = "";
    const looks = new Looks((href) => (href === SEED ? pageOf(1) : { text: rules }));
    await looks.look();
    rules = "User-agent: *\nDisallow: /\n";
    const denied = await looks.look(2 * DAY);
    assert.deepEqual(kinds(denied), ["denied"]);
    assert.deepEqual(looksOf(denied), []);
    assert.ok(denied.asked.some(({ href }) => href.endsWith("/robots.txt")));
    const { visit } = denied.settled[0]!;
    assert.deepEqual([visit!.end, visit!.attempt, visit!.page?.title], ["robots", 1, "a page"]);
    assert.deepEqual(kinds(await looks.look(2 * DAY)), []);
    rules = "";
    assert.deepEqual(kinds(await looks.look(2 * DAY)), ["back"]);
  });

  it("is as it was while its server fails or nobody is there", async () => {
    let served: Reply = pageOf(1, ["ETag", '"a"']);
    const looks = new Looks((href) => (href === SEED ? served : undefined));
    await looks.look();
    for (const fault of [{ status: 500 }, { status: 403 }, { fails: "timeout" }] as const) {
      served = fault;
      const world = await looks.look();
      assert.deepEqual(kinds(world), []);
      assert.equal(world.settled.find(({ href }) => href === SEED)!.visit!.page?.title, "a page");
      assert.deepEqual([(await looks.history()).checks, (await looks.history()).away], [0, null]);
    }
  });

  it("is asked for whole when its server will not take the validators that it has given", async () => {
    for (const fault of [
      { status: 400 },
      { status: 412 },
      { status: 431 },
      { status: 500 },
      { fails: "closed" },
    ] as const) {
      let version = 1;
      const looks = new Looks((href, asked) => {
        if (href !== SEED) return undefined;
        return asksFor(asked).length > 0 ? fault : pageOf(version, ["ETag", '"a"']);
      });
      await looks.look();
      for (version of [1, 2]) {
        const world = await looks.look();
        const { visit } = world.settled.findLast(({ href }) => href === SEED)!;
        assert.deepEqual([visit!.end, kinds(world)], ["fetched", version === 1 ? [] : ["changed"]]);
      }
    }
  });

  it("is asked for plainly when what came with it tells no content from another", async () => {
    for (const etag of ["", "*"]) {
      let version = 1;
      const looks = new Looks((href, asked) => {
        if (href !== SEED) return undefined;
        return asksFor(asked).length > 0 ? { status: 304 } : pageOf(version, ["ETag", etag, "Last-Modified", ""]);
      });
      await looks.look();
      version = 2;
      assert.deepEqual(kinds(await looks.look()), ["changed"]);
      assert.notEqual((await looks.backend.host("http://a.test" as never))?.again?.liar, true);
    }
  });

  it("has its host asked again after it was given up, at growing intervals", async () => {
    let up = true;
    const links = Array.from({ length: 6 }, (_, n) => `<a href="/${n}">x</a>`).join("");
    const page = { ...pageOf(1), text: `${pageOf(1).text}${links}` };
    const looks = new Looks((href) =>
      !up ? { fails: "connect" } : href === SEED ? page : pageOf(Number(href.at(-1))),
    );
    await looks.look();
    up = false;
    const requests: number[] = [];
    for (let n = 0; n < 9; n++) requests.push((await looks.look(HOUR)).asked.length);
    assert.ok(requests[0]! > 0);
    const tries = requests.flatMap((asked, n) => (asked > 0 ? [n] : []));
    const gaps = tries.slice(1).map((at, n) => at - tries[n]!);
    assert.ok(gaps.length >= 2 && gaps.at(-1)! > gaps[0]!, `tried at hours ${tries.join(", ")}`);
    assert.deepEqual([(await looks.history()).seenAt !== null, (await looks.history()).away], [true, null]);
    up = true;
    const world = await looks.look(30 * DAY);
    assert.equal(world.settled.find(({ href }) => href === SEED)!.visit!.end, "fetched");
    assert.deepEqual(kinds(world), []);
  });

  it("costs its host none of the pages that it may have", async () => {
    const looks = new Looks((href) => (href === SEED ? pageOf(1) : undefined), { maxPerHost: 1 });
    await looks.look();
    for (let n = 0; n < 3; n++) assert.equal(looksOf(await looks.look()).length, 1);
    assert.equal((await looks.backend.host("http://a.test" as never))?.requests, 1);
  });

  it("is not taken for a trap, though its pattern has had its budget", async () => {
    const links = Array.from({ length: 40 }, (_, n) => `<a href="/item-${n}">x</a>`).join("");
    const looks = new Looks(
      (href) =>
        href === SEED
          ? { ...pageOf(1), text: `${pageOf(1).text}${links}` }
          : href.includes("item")
            ? pageOf(2)
            : undefined,
      { patternBudget: 5 },
    );
    const first = await looks.look();
    const had = first.settled.filter(({ visit }) => visit!.end === "fetched").length;
    assert.ok(had < 41);
    const again = await looks.look();
    assert.ok(again.settled.filter(({ visit }) => visit!.end === "fetched").length >= had);
  });
});

describe("a server that says that nothing has changed", () => {
  it("is not believed when its tag does not change with its page", async () => {
    let version = 1;
    const sent: string[][] = [];
    const looks = new Looks((href, asked) => {
      if (href !== SEED) return undefined;
      sent.push(asksFor(asked));
      return asksFor(asked).length > 0 ? { status: 304 } : pageOf(version, ["ETag", '"always"']);
    });
    await looks.look();
    const found: number[] = [];
    for (let n = 1; n < 30; n++) {
      version++;
      if (kinds(await looks.look()).includes("changed")) found.push(n);
    }
    assert.ok(found[0]! <= 13, `found at look ${found[0]}`);
    // From then on every change is seen.
    assert.equal(found.length, 30 - found[0]!);
    assert.ok((await looks.backend.host("http://a.test" as never))?.again?.liar);
  });

  it("is believed when its tags change without its pages", async () => {
    let nth = 0;
    const looks = new Looks((href) => (href === SEED ? pageOf(1, ["ETag", `"${nth++}"`]) : undefined));
    await looks.look();
    for (let n = 0; n < 5; n++) assert.deepEqual(kinds(await looks.look()), []);
    assert.equal((await looks.backend.host("http://a.test" as never))?.again?.liar, false);
    assert.deepEqual([(await looks.history()).checks, (await looks.history()).changes], [5, 0]);
  });

  it("has ended as another kind of answer when it was not asked so", async () => {
    const looks = new Looks((href) => (href === SEED ? { status: 304 } : undefined));
    const world = await looks.look();
    assert.equal(world.settled[0]!.visit!.end, "http-other");
    assert.deepEqual(kinds(world), []);
  });
});
