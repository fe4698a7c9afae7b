import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Option } from "../../../src/app/config/option.ts";
import { parseValue, printValue, takeValue } from "../../../src/app/config/values.ts";

const option = (kind: Option["kind"], more: Partial<Option> = {}): Option => ({
  kind,
  default: null,
  group: "Options",
  says: "",
  ...more,
});

const value = (of: Option, text: string): unknown => {
  const parsed = parseValue(of, text);
  assert.ok(parsed.ok, `${text}: ${parsed.ok || parsed.error}`);
  return parsed.value;
};
const fault = (of: Option, text: string): string => {
  const parsed = parseValue(of, text);
  assert.ok(!parsed.ok, `${text} was taken`);
  return parsed.error;
};

describe("weights", () => {
  const weight = option("weight");
  it("are a domain and a factor, the domain in its one form", () => {
    assert.equal(value(weight, "example.com=2"), "example.com=2");
    assert.equal(value(weight, ".GOV=0.50"), "gov=0.5");
    assert.equal(value(weight, "*.b\u00fccher.example=4"), "xn--bcher-kva.example=4");
    for (const text of ["", "2", "example.com", "example.com=", "example.com=x", "=2", "a b=2", "a/b=2", "a=-1"])
      assert.match(fault(weight, text), /^is not a weight; write example\.com=2, or gov=0\.5$/);
    for (const text of ["a=0", "a=101", "a=0.001"]) assert.match(fault(weight, text), /not between 0\.01 and 100/);
  });
});

describe("durations", () => {
  const time = option("duration", { min: 0 });
  it("are read in every unit, with fractions and in parts", () => {
    assert.equal(value(time, "500ms"), 500);
    assert.equal(value(time, "1.5s"), 1_500);
    assert.equal(value(time, "2m"), 120_000);
    assert.equal(value(time, "1h30m"), 5_400_000);
    assert.equal(value(time, "30d"), 2_592_000_000);
    assert.equal(value(time, "0"), 0);
  });
  it("need a unit", () => {
    assert.match(fault(time, "5"), /^has no unit; write 5s for seconds or 5ms for milliseconds$/);
  });
  it("are nothing else", () => {
    for (const text of ["", "abc", "-1s", "1 s", "1y", "s", "1s2", "0x1s", "1e3s", "99999999999999999d"])
      fault(time, text);
  });
  it("print as they are read", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (ms) => {
        assert.equal(value(time, printValue(time, ms)), ms);
      }),
    );
    assert.equal(printValue(time, 1_000), "1s");
    assert.equal(printValue(time, 1_500), "1500ms");
    assert.equal(printValue(time, 120_000), "2m");
  });
});

describe("sizes", () => {
  const bytes = option("bytes", { min: 1 });
  it("are read in binary and decimal units, whatever their case", () => {
    assert.equal(value(bytes, "4096"), 4_096);
    assert.equal(value(bytes, "64KiB"), 65_536);
    assert.equal(value(bytes, "16mib"), 16_777_216);
    assert.equal(value(bytes, "1GB"), 1_000_000_000);
    assert.equal(value(bytes, "1.5 MB"), 1_500_000);
  });
  it("refuse what is ambiguous or no size", () => {
    for (const text of ["1M", "1k", "", "MiB", "-1", "1e6", "0"]) fault(bytes, text);
  });
  it("print as they are read", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 45 }), (n) => {
        assert.equal(value(bytes, printValue(bytes, n)), n);
      }),
    );
    assert.equal(printValue(bytes, 16_777_216), "16MiB");
    assert.equal(printValue(bytes, 1_000_000_000), "1GB");
  });
});

describe("numbers", () => {
  it("keep to their bounds and say them", () => {
    const n = option("int", { min: 1, max: 256 });
    assert.equal(value(n, "1"), 1);
    assert.equal(value(n, "1e2"), 100);
    assert.equal(fault(n, "0"), "is too small; the smallest is 1");
    assert.equal(fault(n, "257"), "is too large; the largest is 256");
    assert.equal(fault(n, "-1"), "is too small; the smallest is 1");
    for (const text of ["", "1.5", "one", "0x10", "1_", " 1", "1e999", "NaN", "Infinity"]) fault(n, text);
  });
  it("may have fractions where the kind allows it", () => {
    const n = option("number", { min: 0 });
    assert.equal(value(n, "1.5"), 1.5);
    assert.equal(value(n, "1.5"), 1.5);
    assert.equal(value(n, "1e-12"), 1e-12);
  });
  it("are never taken as an unsafe integer", () => {
    fault(option("int"), "9007199254740993");
    fault(option("int"), "1e16");
  });
});

describe("times", () => {
  it("are dates, times in UTC or with their zone, or the digits of archives", () => {
    const noon = Date.UTC(2026, 10, 30, 12);
    const at = option("time");
    for (const text of [
      "2026-11-30T12:00:00Z",
      "2026-11-30T12:00",
      "2026-11-30 12:00:00Z",
      "2026-11-30 12:00",
      "2026-11-30T13:00:00+01:00",
      "20261130120000",
      "202611301200",
      "2026113012",
    ])
      assert.equal(value(at, text), noon, text);
    assert.equal(value(at, "2026-11-30"), Date.UTC(2026, 10, 30));
    assert.equal(value(at, "20261130"), Date.UTC(2026, 10, 30));
    for (const text of ["2026-11", "202611"]) assert.equal(value(at, text), Date.UTC(2026, 10, 1));
    assert.equal(value(at, "2026"), Date.UTC(2026, 0, 1));
    assert.equal(printValue(at, noon), "2026-11-30T12:00:00.000Z");
    for (const text of ["", "now", "202", "20261", "2026-13-01", "202613", "1", "+2026-11-30"]) fault(at, text);
  });
});

describe("address ranges", () => {
  const cidr = option("cidr");
  it("are ranges or single addresses of both kinds", () => {
    for (const text of ["10.0.0.0/8", "127.0.0.1", "::1", "fd00::/8", "0.0.0.0/0"])
      assert.equal(value(cidr, text), text);
    assert.equal(value(cidr, "[::1]"), "::1");
  });
  it("are nothing else", () => {
    for (const text of ["", "10.0.0.0/33", "10.0.0/8", "localhost", "fe80::/129", "1.2.3.4/", "1.2.3.4/x", "300.1.1.1"])
      assert.match(fault(cidr, text), /write 10\.0\.0\.0\/8/);
  });
});

describe("regular expressions", () => {
  const regex = option("regex");
  it("are kept as their source", () => {
    assert.equal(value(regex, "/blog/\\d+"), "/blog/\\d+");
  });
  it("say what is wrong with them", () => {
    assert.match(fault(regex, "*.pdf"), /^is not a regular expression \(Nothing to repeat\); put a backslash before/);
    assert.match(fault(regex, "(a"), /Unterminated group/);
  });
  it("keep the flags of a RegExp object that change what it matches", () => {
    const taken = takeValue(regex, /\.PDF$/i);
    assert.ok(taken.ok);
    assert.ok(new RegExp(String(taken.value)).test("https://a.test/x.pdf"));
    const plain = takeValue(regex, /a/g);
    assert.ok(plain.ok && plain.value === "a");
  });
});

describe("header fields", () => {
  const field = option("header");
  it("have a name in lower case and a trimmed value", () => {
    assert.equal(value(field, "Accept-Language:  de, en "), "accept-language: de, en");
    assert.equal(value(field, "X-Empty:"), "x-empty: ");
    assert.equal(value(field, "X: a:b"), "x: a:b");
  });
  it("cannot smuggle another line or a name with spaces", () => {
    for (const text of ["X: a\r\nY: b", "X: a\nb", "X: \0", "X Y: a", ": a", "novalue", "", "X: ☃"]) fault(field, text);
  });
  it("cannot set what the program sets itself", () => {
    assert.match(fault(field, "User-Agent: x"), /use --user-agent/);
    for (const name of ["Host", "Content-Length", "Transfer-Encoding", "Connection", "Accept-Encoding"])
      assert.match(fault(field, `${name}: x`), /which Trawl sets itself; leave it out/);
  });
});

describe("name servers", () => {
  const server = option("endpoint");
  it("are an address, with port 53 when none is said", () => {
    assert.equal(value(server, "127.0.0.1:5353"), "127.0.0.1:5353");
    assert.equal(value(server, "9.9.9.9"), "9.9.9.9:53");
    assert.equal(value(server, "[::1]:53"), "[::1]:53");
    assert.equal(value(server, "[::1]"), "[::1]:53");
  });
  it("are no names and have no port beyond 65,535", () => {
    for (const text of ["", "dns.test:53", "1.1.1.1:0", "1.1.1.1:65536", "1.1.1.1:x", "1.1.1", ":53"])
      fault(server, text);
  });
});

describe("media types", () => {
  const type = option("type");
  it("are types and patterns", () => {
    for (const text of ["text/html", "image/*", "application/*+xml", "*/*"]) assert.equal(value(type, text), text);
    assert.equal(value(type, " Text/HTML "), "text/html");
  });
  it("are nothing else", () => {
    for (const text of ["", "html", "text/", "*/html", "text/html;q=1", "a/b/c"]) fault(type, text);
  });
});

describe("user agents", () => {
  const agent = option("agent");
  it("name a bot with a version", () => {
    for (const text of [
      "mybot/1.0",
      "MyBot/2 (+https://a.test/bot)",
      "Mozilla/5.0 (compatible; my-bot/1.0; +https://a.test)",
    ])
      assert.equal(value(agent, text), text);
  });
  it("are refused without one", () => {
    for (const text of [
      "",
      "curl/8",
      "Mozilla/5.0",
      "x (+https://a.test/bot/1)",
      "robotics",
      "my bot",
      "mybot/1.0\r\nX: y",
    ])
      fault(agent, text);
  });
});

describe("any text", () => {
  it("is either taken or refused with words, never thrown at", () => {
    const kinds = [
      "int",
      "number",
      "duration",
      "time",
      "bytes",
      "choice",
      "flag",
      "regex",
      "cidr",
      "header",
      "endpoint",
      "type",
      "agent",
      "text",
      "file",
      "module",
    ] as const;
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.string({ unit: "binary" }), (kind, text) => {
        const parsed = parseValue(option(kind), text);
        if (!parsed.ok) assert.match(parsed.error, /^(is|has|sets|names) /);
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.anything(), (kind, anything) => {
        const taken = takeValue(option(kind), anything);
        if (!taken.ok) assert.ok(taken.error.length > 0);
      }),
    );
  });
});
