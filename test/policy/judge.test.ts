/** What becomes of a URL after a visit. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HostKey } from "../../src/model/host.ts";
import type { Href } from "../../src/model/url.ts";
import type { Answer, NoAnswer, Visited } from "../../src/model/visited.ts";
import { JUDGE_RULES, judge } from "../../src/policy/judge.ts";

const NOW = 1_000_000;
const HREF = "http://a.test/x" as Href;

const ANSWER: Answer = {
  kind: "answer",
  status: 200,
  contentType: "text/html",
  bytes: 10,
  bodyRead: true,
  location: null,
  retryAfter: null,
  etag: null,
  lastModified: null,
  setCookies: [],
  robotsBody: null,
  notModified: false,
  challenge: null,
};

function visited(
  outcome: Answer | NoAnswer,
  { attempt = 1, hops = 0, task = "page" as Visited["task"] } = {},
): Visited {
  const url = {
    id: 1,
    href: HREF,
    host: "http://a.test" as HostKey,
    depth: 1,
    hops,
    via: 0,
    source: "link",
    priority: 2,
    admittedAt: 0,
  } as const;
  return {
    lease: { token: 1, url, attempt, expiresAt: NOW + 600_000, tier: 0, importance: 0, previous: null },
    task,
    href: HREF,
    address: "192.0.2.1",
    robotsId: 0,
    held: null,
    startedAt: NOW - 100,
    endedAt: NOW,
    outcome,
    capture: null,
    page: null,
    links: [],
    linksAgain: null,
  };
}

const STATE = { hostReadyAt: NOW + 1_000, random: 0 };
const answer = (more: Partial<Answer>, at?: Parameters<typeof visited>[1]) =>
  judge(visited({ ...ANSWER, ...more }, at), STATE);
const failure = (cause: NoAnswer["cause"], detail: string, at?: Parameters<typeof visited>[1]) =>
  judge(visited({ kind: "failure", cause, detail }, at), STATE);
const redirect = (location: string, hops = 0) => answer({ status: 302, location: location as Href }, { hops });

describe("an answer", () => {
  const ends: readonly (readonly [number, string])[] = [
    ...([200, 203, 204, 206] as const).map((status) => [status, "fetched"] as const),
    [304, "http-other"],
    ...([300, 301, 302, 305] as const).map((status) => [status, "http-other"] as const),
    ...([400, 401, 403, 404, 410, 451] as const).map((status) => [status, "http-4xx"] as const),
    [402, "payment-required"],
    ...([501, 505] as const).map((status) => [status, "http-5xx"] as const),
    [999, "http-other"],
  ];
  for (const [status, end] of ends) {
    it(`${status} ends as ${end}`, () => assert.deepEqual(answer({ status }), { kind: "end", end }));
  }

  for (const [status, end] of [
    [408, "http-4xx"],
    [425, "http-4xx"],
    [429, "http-4xx"],
    [500, "http-5xx"],
    [503, "http-5xx"],
    [599, "http-5xx"],
  ] as const) {
    it(`${status} is asked for again, four times in all, and ends as ${end}`, () => {
      for (const attempt of [1, 2, 3]) assert.equal(answer({ status }, { attempt }).kind, "retry");
      assert.deepEqual(answer({ status }, { attempt: 4 }), { kind: "end", end });
    });
  }

  it("that has no body ends as not-modified when it was asked so, as sitemap of a sitemap", () => {
    assert.deepEqual(answer({ status: 304, notModified: true }), { kind: "end", end: "not-modified" });
    const one = visited({ ...ANSWER, status: 304, notModified: true });
    const sitemap = { ...one, lease: { ...one.lease, url: { ...one.lease.url, source: "sitemap" as const } } };
    assert.deepEqual(judge(sitemap, STATE), { kind: "end", end: "sitemap" });
  });

  it("of a type that is not wanted ends as unsupported-type", () => {
    assert.deepEqual(answer({ bodyRead: false, contentType: "video/mp4" }), {
      kind: "end",
      end: "unsupported-type",
      detail: "video/mp4",
    });
  });

  it("that is a challenge is never content, whatever its status", () => {
    for (const status of [200, 403, 503]) {
      assert.deepEqual(answer({ status, challenge: "cloudflare" }), {
        kind: "end",
        end: "blocked-challenge",
        detail: "cloudflare",
      });
    }
  });
});

describe("a redirect", () => {
  it("to another URL ends this one", () => {
    assert.deepEqual(redirect("http://a.test/y"), { kind: "end", end: "redirected", detail: "http://a.test/y" });
  });

  it("to its own key is followed", () => {
    for (const location of [
      "http://a.test/x/",
      "http://a.test/x",
      "http://a.test/x?utm_source=1",
      "http://a.test/%78",
    ]) {
      assert.deepEqual(redirect(location, 3), { kind: "follow", href: location, hops: 4 });
    }
  });

  it("ends as a loop after 20 in a row", () => {
    for (const location of ["http://a.test/x/", "http://a.test/y"]) {
      assert.notEqual(kindOfEnd(redirect(location, 19)), "redirect-loop");
      assert.equal(kindOfEnd(redirect(location, 20)), "redirect-loop");
    }
  });
});

describe("no answer", () => {
  for (const [cause, detail] of [
    ["connect", "ECONNREFUSED"],
    ["timeout", "UND_ERR_HEADERS_TIMEOUT"],
    ["closed", "ECONNRESET"],
    ["protocol", "HPE_INVALID"],
    ["tls", "ECONNRESET"],
  ] as const) {
    it(`for "${cause}" is asked for again, four times in all`, () => {
      for (const attempt of [1, 2, 3]) assert.equal(failure(cause, detail, { attempt }).kind, "retry");
      assert.deepEqual(failure(cause, detail, { attempt: 4 }), { kind: "end", end: cause, detail });
    });
  }

  it("that will never come ends at once", () => {
    assert.equal(kindOfEnd(failure("refused-address", "loopback")), "refused-address");
    for (const code of [
      "CERT_HAS_EXPIRED",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ]) {
      assert.equal(kindOfEnd(failure("tls", code)), "tls");
    }
  });

  it("because we hung up is no attempt", () => {
    assert.deepEqual(failure("timeout", "aborted", { attempt: 4 }), { kind: "again" });
  });
});

describe("the time of another attempt", () => {
  const at = (attempt: number, hostReadyAt: number, random: number) => {
    const verdict = judge(visited({ ...ANSWER, status: 500 }, { attempt }), { hostReadyAt, random });
    assert.equal(verdict.kind, "retry");
    return verdict.kind === "retry" ? verdict.at : 0;
  };

  it("doubles, with jitter", () => {
    assert.deepEqual(
      [1, 2, 3].map((attempt) => at(attempt, 0, 0) - NOW),
      [5_000, 10_000, 20_000],
    );
    assert.equal(at(1, 0, 0.5) - NOW, 6_250);
  });

  it("is never before the host's own", () => assert.equal(at(1, NOW + 60_000, 0), NOW + 60_000));
});

describe("a robots errand", () => {
  it("leaves the page still to be asked for", () => {
    for (const status of [200, 404, 503]) assert.deepEqual(answer({ status }, { task: "robots" }), { kind: "again" });
  });
});

it("takes its limits from the rules", () => {
  const once = { ...JUDGE_RULES, maxAttempts: 1, maxHops: 0 };
  assert.equal(judge(visited({ ...ANSWER, status: 500 }), STATE, once).kind, "end");
  const moved = visited({ ...ANSWER, status: 301, location: "http://a.test/y" as Href });
  assert.equal(kindOfEnd(judge(moved, STATE, once)), "redirect-loop");
});

function kindOfEnd(verdict: ReturnType<typeof judge>): string {
  return verdict.kind === "end" ? verdict.end : verdict.kind;
}
