import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { before, describe, it } from "node:test";

const ROOT = join(import.meta.dirname, "..");

/** The table of the design, written down a second time: what the configuration says must come out the same. */
const SEES = `
  base:
  model:   base
  ports:   base model
  policy:  base model
  dedup:   base model
  crawl:   base model ports policy dedup
  net:     base model ports dedup
  media:   base model ports dedup
  warc:    base model ports dedup
  render:  base model ports dedup
  blobs:   base model ports dedup
  store:   base model ports dedup
  export:  base model ports dedup
  app:     base model ports dedup policy crawl net media warc render blobs store export serve
  serve:   base model ports dedup policy crawl net media warc render blobs store export app
`;
const table = tableOf(SEES);
const layers = [...table.keys()];

/** The same of the rooms of the cluster's store. */
const CLUSTER = "src/store/cluster";
const rooms = tableOf(`
  redis:
  crawl:    redis
  segments: redis crawl
  shards:   redis crawl segments
  crew:     redis crawl shards
`);

function tableOf(text: string): Map<string, readonly string[]> {
  const lines = text.trim().split("\n");
  return new Map(
    lines.map((line) => line.split(":")).map(([from, seen]) => [from!.trim(), seen!.trim().split(/\s+/)] as const),
  );
}

/** Imports of one file, and the rules that must speak against each of them; [] where none may. */
interface Plant {
  readonly file: string;
  readonly code: string;
  readonly against: RegExp | null;
}

const CIRCLE = "src/crawl/circle-a.ts";
const plants: Plant[] = [];
for (const from of layers)
  for (const to of layers)
    if (from !== to)
      plants.push({
        file: `src/${from}/to-${to}.ts`,
        code: `import type { Leaf } from "../${to}/leaf.ts";\nexport type Planted = Leaf;\n`,
        against: table.get(from)!.includes(to) ? null : new RegExp(`^${from}-sees-`),
      });
for (const from of rooms.keys())
  for (const to of [...rooms.keys(), ".."].filter((to) => to !== from))
    plants.push({
      file: `${CLUSTER}/${from}/to-${to === ".." ? "above" : to}.ts`,
      code: `import type { Leaf } from "../${to === ".." ? "" : `${to}/`}leaf.ts";\nexport type Planted = Leaf;\n`,
      against: rooms.get(from)!.includes(to) ? null : new RegExp(`^cluster-${from}-sees-`),
    });
const plant = (file: string, code: string, against: RegExp | null) => plants.push({ file, code, against });
const use = (what: string): string => `import * as it from "${what}";\nexport { leaf } from "./leaf.ts";\nit;\n`;
plant("src/policy/reads.ts", use("node:fs"), /^pure-folders-import-no-node-module$/);
plant("src/model/reads.ts", use("node:url"), /^pure-folders-import-no-node-module$/);
plant("src/net/reads.ts", use("node:net"), null);
for (const [name, home] of Object.entries({
  undici: "net",
  "ipaddr.js": "net",
  tldts: "policy",
  entities: "media",
  pino: "app",
  "@aws-sdk/client-s3": "blobs",
})) {
  const file = name.replace(/\W/g, "-");
  plant(`src/${home}/${file}.ts`, use(name), null);
  plant(`src/crawl/${file}.ts`, use(name), new RegExp(`^${file}-lives-in-${home}$`));
}
plant(
  "src/app/metrics/client.ts",
  `import * as it from "prom-client";\nexport { leaf } from "../leaf.ts";\nit;\n`,
  null,
);
plant("src/app/client.ts", use("prom-client"), /^prom-client-lives-in-app-metrics$/);
plant("src/app/stranger.ts", use("fast-check"), /^packages-have-a-home$/);
plant(
  "src/app/typed-stranger.ts",
  `import type { Parameters } from "fast-check";\nexport type P = Parameters;\n`,
  /^packages-have-a-home$/,
);
plant("src/app/tested.ts", use("../../test/thing.ts"), /^src-knows-no-test$/);
plant(CIRCLE, `import type { B } from "./circle-b.ts";\nexport type A = B[];\n`, /^no-circles$/);
plant("src/crawl/alone.ts", "export const alone = 1;\n", /^no-orphans$/);
plant("src/crawl/lost.ts", use("./nowhere.ts"), /^resolvable$/);
plant("src/app/barrelled.ts", use("../media/index.ts"), /^no-barrels$/);
plant(
  "src/store/embedded/to-memory.ts",
  `export { leaf } from "../memory/leaf.ts";\n`,
  /^store-embedded-stands-alone$/,
);
plant("src/store/embedded/to-shared.ts", `export { leaf } from "../leaf.ts";\n`, null);

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

interface Cruised {
  readonly summary: { readonly violations: readonly Violation[]; readonly totalCruised: number };
}

/** Runs the project's own configuration as `npm run check` does; its exit code, and what it prints. */
function depcruise(dir: string, ...more: string[]): Promise<{ code: number; stdout: string }> {
  const bin = join(ROOT, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const args = [bin, "--config", ".dependency-cruiser.cjs", ...more, "src"];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: dir, maxBuffer: 2 ** 26 }, (error, stdout) => {
      resolve({ code: Number(error?.code ?? 0), stdout });
    });
  });
}

async function violationsIn(files: readonly Plant[]): Promise<{ total: number; found: Map<string, string[]> }> {
  const dir = await plantTree(files);
  try {
    const { summary } = JSON.parse((await depcruise(dir, "--output-type", "json")).stdout) as Cruised;
    const found = new Map<string, string[]>();
    for (const { from, rule } of summary.violations) found.set(from, [...(found.get(from) ?? []), rule.name]);
    return { total: summary.totalCruised, found };
  } finally {
    await rm(dir, { recursive: true });
  }
}

async function plantTree(files: readonly Plant[]): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "layers-"));
  const write = async (file: string, code: string): Promise<void> => {
    await mkdir(dirname(join(dir, file)), { recursive: true });
    await writeFile(join(dir, file), code);
  };
  for (const file of [".dependency-cruiser.cjs", "tsconfig.json", "package.json"])
    await cp(join(ROOT, file), join(dir, file));
  await symlink(join(ROOT, "node_modules"), join(dir, "node_modules"));
  const stores = [
    "src/store/memory",
    "src/store/embedded",
    CLUSTER,
    ...[...rooms.keys()].map((room) => `${CLUSTER}/${room}`),
  ];
  const folders = [...layers.map((layer) => `src/${layer}`), ...stores];
  const leaf = "export const leaf = 1;\nexport type Leaf = typeof leaf;\n";
  for (const folder of folders) await write(`${folder}/leaf.ts`, leaf);
  await write("test/thing.ts", leaf);
  // The other half of a planted circle; a circle is reported once, at the half that is read first.
  if (files.some(({ file }) => file === CIRCLE))
    await write("src/crawl/circle-b.ts", `import type { A } from "./circle-a.ts";\nexport type B = A[];\n`);
  await write("src/media/index.ts", `export { leaf } from "./leaf.ts";\n`);
  // Nothing of the ground may be an orphan by itself.
  const imports = [...folders, "src/media"].map(
    (folder, i) => `export { leaf as l${i} } from "./${relative("src", folder)}/leaf.ts";`,
  );
  await write("src/index.ts", `${imports.join("\n")}\n`);
  for (const { file, code } of files) await write(file, code);
  return dir;
}

describe("the layers", () => {
  let result: Awaited<ReturnType<typeof violationsIn>>;
  before(async () => {
    result = await violationsIn(plants);
  });

  it("are read at all", () => {
    assert.ok(result.total > plants.length, `only ${result.total} modules were read`);
  });

  for (const { file, against } of plants)
    it(against === null ? `allow ${file}` : `forbid ${file}`, () => {
      const rules = result.found.get(file) ?? [];
      if (against === null) assert.deepEqual(rules, []);
      else
        assert.ok(
          rules.some((rule) => against.test(rule)),
          `${against} is not among: ${rules.join(", ") || "none"}`,
        );
    });
});

describe("the check of the layers", () => {
  const exitCodeOf = async (files: readonly Plant[]): Promise<number> => {
    const dir = await plantTree(files);
    try {
      return (await depcruise(dir)).code;
    } finally {
      await rm(dir, { recursive: true });
    }
  };

  it("passes a tree without a bad import and fails on one with a single bad one", async () => {
    assert.equal(await exitCodeOf([]), 0);
    assert.equal(await exitCodeOf(plants.filter(({ file }) => file === "src/policy/to-net.ts")), 1);
  });

  it("runs on a compiler that it can read TypeScript with", async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, "node_modules/typescript/package.json"), "utf8"));
    assert.ok(
      Number(version.split(".")[0]) < 7,
      `typescript ${version}: dependency-cruiser would read nothing and pass`,
    );
  });
});
