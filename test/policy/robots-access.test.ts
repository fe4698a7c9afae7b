/** What an answer for robots.txt means, and for how long. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HostKey } from "../../src/model/host.ts";
import type { RobotsCopy } from "../../src/model/robots-copy.ts";
import type { Href } from "../../src/model/url.ts";
import { accessOf, robotsExpiry, robotsInForce, withCopy } from "../../src/policy/robots-access.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function copy(access: RobotsCopy["access"], fetchedAt: number, more: Partial<RobotsCopy> = {}): RobotsCopy {
  return {
    id: fetchedAt,
    host: "http://a.test" as HostKey,
    href: "http://a.test/robots.txt" as Href,
    fetchedAt,
    expiresAt: fetchedAt + DAY,
    access,
    status: 200,
    failure: null,
    body: "",
    capture: null,
    ...more,
  };
}

describe("accessOf", () => {
  const table: Readonly<Record<string, readonly number[]>> = {
    rules: [200, 203, 204, 206],
    "allow-all": [300, 304, 305, 400, 401, 402, 403, 404, 410, 418, 451, 499],
    unreachable: [100, 429, 500, 501, 502, 503, 504, 599, 600, 999],
  };
  for (const [access, statuses] of Object.entries(table)) {
    it(`takes ${statuses.join(", ")} for ${access}`, () => {
      for (const status of statuses) assert.equal(accessOf({ kind: "answer", status }), access, String(status));
    });
  }

  it("takes too many redirects for no robots.txt, and no answer for no permission", () => {
    assert.equal(accessOf({ kind: "lost-in-redirects" }), "allow-all");
    assert.equal(accessOf({ kind: "no-answer" }), "unreachable");
  });
});

describe("robotsExpiry", () => {
  it("lets an answer hold for a day", () => {
    assert.equal(robotsExpiry("rules", 5, null), 5 + DAY);
    assert.equal(robotsExpiry("allow-all", 5, copy("unreachable", 1)), 5 + DAY);
  });

  it("asks again after failures at growing distances, an hour at most", () => {
    let previous: RobotsCopy | null = null;
    const waits: number[] = [];
    for (let i = 0; i < 9; i++) {
      const at: number = (previous?.expiresAt ?? 0) + 10;
      const expiresAt = robotsExpiry("unreachable", at, previous);
      previous = copy("unreachable", at, { expiresAt });
      waits.push(expiresAt - at);
    }
    assert.deepEqual(
      waits.map((ms) => ms / 60_000),
      [1, 2, 4, 8, 16, 32, 60, 60, 60],
    );
  });

  it("begins anew after an answer", () => assert.equal(robotsExpiry("unreachable", 5, copy("rules", 0)), 5 + 60_000));

  it("does not ask before the host's own time", () => {
    assert.equal(robotsExpiry("unreachable", 5, null, 9 * HOUR), 9 * HOUR);
  });
});

describe("robotsInForce", () => {
  it("is the latest copy that was reached", () => {
    const history = withCopy(withCopy(null, copy("rules", 1)), copy("allow-all", 2));
    assert.deepEqual(robotsInForce(history, 3), { access: "allow-all", copy: copy("allow-all", 2) });
  });

  it("is nothing while the first was never reached", () => {
    assert.equal(robotsInForce(withCopy(null, copy("unreachable", 1)), 2).access, "unreachable");
  });

  it("is the stale copy while the new one is out of reach, for 30 days", () => {
    let history = withCopy(null, copy("rules", 0));
    history = withCopy(history, copy("unreachable", DAY));
    history = withCopy(history, copy("unreachable", 2 * DAY));
    assert.equal(robotsInForce(history, 31 * DAY - 1).copy.fetchedAt, 0);
    assert.deepEqual(robotsInForce(history, 31 * DAY), { access: "allow-all", copy: copy("unreachable", 2 * DAY) });
  });

  it("counts the 30 days from the first failure in a row", () => {
    let history = withCopy(null, copy("unreachable", 0));
    history = withCopy(history, copy("rules", DAY));
    history = withCopy(history, copy("unreachable", 2 * DAY));
    assert.equal(robotsInForce(history, 31 * DAY).access, "rules");
    assert.equal(robotsInForce(history, 32 * DAY).access, "allow-all");
  });
});
