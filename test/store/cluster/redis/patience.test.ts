/** Patience with a cluster, on a clock that jumps to whoever sleeps. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Patience } from "../../../../src/store/cluster/redis/patience.ts";

/** Sleeping takes no time, and is written down, unless it is broken off by what happens at once. */
function world(ms = Number.POSITIVE_INFINITY) {
  let now = 0;
  const slept: number[] = [];
  const said: string[] = [];
  const clock = {
    now: () => now,
    async sleep(pause: number, signal?: AbortSignal) {
      await setImmediate();
      if (signal?.aborted) return;
      slept.push(pause);
      now += pause;
    },
  };
  const log = {
    warn: (facts: object, event: string) => void said.push(`${event} ${Object.values(facts).join(" ")}`),
  };
  return { patience: new Patience({ clock, log, ms, random: () => 1 }), slept, said };
}

const failing = (times: number, message: string) => async () => {
  if (times-- > 0) throw new Error(message);
  return "there";
};

describe("patience with a cluster", () => {
  it("makes the call again, with pauses that grow to a second, for as long as it takes", async () => {
    const { patience, slept, said } = world();
    assert.equal(await patience.wait(failing(500, "CLUSTERDOWN The cluster is down")), "there");
    assert.deepEqual(slept.slice(0, 7), [50, 100, 200, 400, 800, 1_000, 1_000]);
    const away = slept.reduce((sum, one) => sum + one, 0);
    assert.deepEqual(said, ["frontier-away CLUSTERDOWN The cluster is down", `frontier-back ${away}`]);
  });

  it("knows an error of the client that says nothing by its name", async () => {
    class TimeoutError extends Error {}
    const { patience, said } = world(5_000);
    const silent = async () => {
      throw new TimeoutError();
    };
    await assert.rejects(patience.wait(silent), { message: /does not answer \(TimeoutError\)/ });
    assert.deepEqual(said, ["frontier-away TimeoutError"]);
  });

  it("does not wait for what Redis does not allow, and says who can mend it", async () => {
    for (const said of ["NOPERM no permissions to access a key", "NOAUTH Authentication required.", "WRONGPASS no"]) {
      const { patience, slept } = world();
      await assert.rejects(patience.wait(failing(1, said)), {
        code: "frontier-refused",
        message: `Redis does not let its user do what a crawl needs (${said}); give that user the rights`,
      });
      assert.deepEqual(slept, []);
    }
  });

  it("says nothing of what a fail-over takes", async () => {
    const { patience, said } = world();
    assert.equal(await patience.wait(failing(5, "Socket closed unexpectedly")), "there");
    assert.deepEqual(said, []);
  });

  it("says once for all calls that a cluster is away, and that it is back when none waits any longer", async () => {
    const { patience, said } = world();
    await Promise.all([20, 30, 40].map((times) => patience.wait(failing(times, "The client is offline"))));
    assert.deepEqual(
      said.map((line) => line.split(" ")[0]),
      ["frontier-away", "frontier-back"],
    );
  });

  it("waits for memory as for anything else, and says what is missing", async () => {
    const { patience, said } = world();
    const full = "OOM command not allowed when used memory > 'maxmemory'.";
    assert.equal(await patience.wait(failing(50, full)), "there");
    assert.equal(said[0], `frontier-full ${full}`);
    const short = world(5_000);
    await assert.rejects(short.patience.wait(failing(50, full)), {
      code: "frontier-full",
      message: /^the memory of a Redis master is full: give it more \(maxmemory\)/,
    });
  });

  it("has an end where it was given one, also while it waits", async () => {
    const { patience, slept } = world(5_000);
    await assert.rejects(patience.wait(failing(500, "connect ECONNREFUSED 127.0.0.1:7001")), {
      code: "frontier-away",
      message: /^the Redis Cluster does not answer \(connect ECONNREFUSED .*\); the same call may go well later$/,
    });
    const waited = slept.reduce((sum, one) => sum + one, 0);
    assert.ok(waited >= 5_000 && waited <= 6_000, `${waited} ms`);
    const endless = world();
    let tries = 0;
    const trying = endless.patience.wait(async () => {
      if (++tries === 100) endless.patience.limit(0);
      throw new Error("LOADING Redis is loading the dataset in memory");
    });
    await assert.rejects(trying, { code: "frontier-away" });
    assert.equal(tries, 100);
  });

  it("gives an answer a second more where it has come to an end, since a node may hang", async () => {
    const never = () => new Promise<never>(() => {});
    const { patience, slept } = world();
    const hanging = patience.wait(never);
    patience.limit(0);
    await assert.rejects(hanging, { code: "frontier-away", message: /does not answer \(no answer\)/ });
    await assert.rejects(patience.wait(never), { code: "frontier-away" });
    assert.deepEqual(slept, [1_000, 1_000]);
  });

  it("does not wait for what is no matter of time", async () => {
    const { patience, slept } = world();
    for (const message of ["ERR unknown command", "WRONGTYPE Operation against a key"])
      await assert.rejects(patience.wait(failing(1, message)), { message });
    await assert.rejects(
      patience.wait(async () => {
        throw new TypeError("a bug");
      }),
      TypeError,
    );
    assert.deepEqual(slept, []);
  });

  it("ends with the connection, in words", async () => {
    const { patience } = world();
    patience.close();
    await assert.rejects(patience.wait(failing(1, "The client is closed")), {
      code: "frontier-away",
      message: "the connection to the Redis Cluster was closed",
    });
  });
});
