/** Whatever the hosts do, on whatever addresses: no request comes before its time. Whole crawls on a clock of their own. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Asked, crawlWorld, type Reply, smallestGap } from "./world.ts";

type Times = Pick<Asked, "href" | "address" | "startedAt" | "endedAt">;

interface Habits {
  /** Of its robots.txt, in seconds; null: it has none. */
  readonly crawlDelay: number | null;
  /** Its robots.txt is somewhere on the first host. */
  readonly robotsElsewhere: boolean;
  readonly pages: number;
  readonly ms: number;
  /** The answer to every third request, with its Retry-After. */
  readonly third: { readonly status: 429 | 503; readonly retryAfter: string | null } | "closed" | null;
  readonly address: number;
}

const habits: fc.Arbitrary<Habits> = fc.record({
  crawlDelay: fc.constantFrom(null, 0.5, 3, 90),
  robotsElsewhere: fc.boolean(),
  pages: fc.integer({ min: 1, max: 5 }),
  ms: fc.constantFrom(1, 20, 3_000),
  third: fc.oneof(
    fc.constant(null),
    fc.constant("closed" as const),
    fc.record({ status: fc.constantFrom(429 as const, 503 as const), retryAfter: fc.constantFrom(null, "0", "45") }),
  ),
  address: fc.nat(2),
});

const nameOf = (host: number): string => `h${host}.test`;
const hostOf = (href: string): number => Number(/\d+/.exec(new URL(href).hostname)![0]);

function web(all: readonly Habits[]) {
  const asked = all.map(() => 0);
  return (href: string): Reply | undefined => {
    const host = hostOf(href);
    const { crawlDelay, robotsElsewhere, pages, ms, third } = all[host]!;
    const { pathname } = new URL(href);
    const robots = (of: Habits): Reply =>
      of.crawlDelay === null ? { status: 404, ms } : { text: `User-agent: *\nCrawl-delay: ${of.crawlDelay}\n`, ms };
    if (pathname === "/robots.txt" && robotsElsewhere && host !== 0)
      return { status: 301, headers: ["Location", `http://${nameOf(0)}/robots-of-${host}`], ms };
    if (pathname === "/robots.txt") return robots({ ...all[host]!, crawlDelay });
    if (pathname.startsWith("/robots-of-")) return robots(all[Number(pathname.slice(11))]!);
    if (++asked[host]! % 3 === 0 && third !== null)
      return third === "closed"
        ? { fails: "closed", ms }
        : { status: third.status, headers: third.retryAfter === null ? [] : ["Retry-After", third.retryAfter], ms };
    const links = pathname === "/" ? Array.from({ length: pages }, (_, i) => `/${i}`) : [];
    return { links: [...links, `http://${nameOf((host + 1) % all.length)}/`], ms };
  };
}

/** From the end of one request to the start of the next one of the same host, with the first of the two. */
function pairs(asked: readonly Asked[]): (readonly [Asked, number])[] {
  return asked.slice(1).map((after, i) => [asked[i]!, after.startedAt - asked[i]!.endedAt] as const);
}

describe("politeness, whatever hosts do", () => {
  it("keeps the delay to each host and address, one request at a time, and what each host asks for beyond it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(habits, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(200, 1_000),
        async (all, delayMs) => {
          const world = await crawlWorld({
            seeds: [`http://${nameOf(0)}/`],
            web: web(all),
            addressOf: (name) => `192.0.2.${all[Number(/\d+/.exec(name)![0])]!.address}`,
            delayMs,
            concurrency: 3,
          });
          assert.equal(world.end, "done");
          assert.ok(smallestGap(world.asked, "host") >= delayMs);
          assert.ok(smallestGap(world.asked, "address") >= delayMs);
          // What the state tells is what was asked.
          const times = ({ href, address, startedAt, endedAt }: Times): Times => ({
            href,
            address,
            startedAt,
            endedAt,
          });
          const told = (await Array.fromAsync(world.backend.requests())).map(times);
          const byTime = (a: Times, b: Times) => a.startedAt - b.startedAt || (a.href < b.href ? -1 : 1);
          assert.deepEqual(told.sort(byTime), world.asked.map(times).sort(byTime));
          for (const [host, { crawlDelay, third }] of all.entries()) {
            const asked = world.asked.filter(({ href }) => hostOf(href) === host);
            const known = asked.findIndex(({ href }) => new URL(href).pathname === "/");
            for (const [before, gap] of pairs(asked.slice(Math.max(known, 0)))) {
              const own = Math.min((crawlDelay ?? 0) * 1_000, 60_000);
              assert.ok(gap >= own, `${before.href}: ${gap} ms, Crawl-delay ${own} ms`);
              const turned = asked.filter(({ href }) => !href.includes("robots")).indexOf(before) % 3 === 2;
              if (!turned || third === null || third === "closed" || before.href.includes("robots")) continue;
              assert.ok(gap >= (third.retryAfter === "45" ? 45_000 : 5_000), `${gap} ms after ${third.status}`);
            }
          }
        },
      ),
      { seed: 11, numRuns: 40 },
    );
  });
});
