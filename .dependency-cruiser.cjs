/**
 * Who may import whom: the rooms of CONTRIBUTING.md, to the import. What is not named here is forbidden.
 * test/layers.test.ts shows that each rule fails on a planted import. It needs `typescript` < 7: with 7 nothing is
 * read, and nothing found.
 */

/** Each layer and what it may see, itself always included. */
const LAYERS = {
  base: [],
  model: ["base"],
  ports: ["base", "model"],
  policy: ["base", "model"],
  dedup: ["base", "model"],
  crawl: ["base", "model", "ports", "policy", "dedup"],
  net: ["base", "model", "ports", "dedup"],
  media: ["base", "model", "ports", "dedup"],
  warc: ["base", "model", "ports", "dedup"],
  render: ["base", "model", "ports", "dedup"],
  blobs: ["base", "model", "ports", "dedup"],
  store: ["base", "model", "ports", "dedup"],
  export: ["base", "model", "ports", "dedup"],
};

/** Back ends that know nothing of each other. */
const STORES = ["memory", "embedded", "cluster"];

/** The rooms of the cluster's store, and which of them each may see; what stands beside them puts them together. */
const CLUSTER = {
  redis: [],
  crawl: ["redis"],
  segments: ["redis", "crawl"],
  shards: ["redis", "crawl", "segments"],
  crew: ["redis", "crawl", "shards"],
};

/** The one folder of src that may import each npm package. A package not named here may not be imported by src. */
const HOMES = {
  undici: "net",
  "ipaddr.js": "net",
  "tough-cookie": "net",
  tldts: "policy",
  entities: "media",
  "@exodus/bytes": "media",
  "image-meta": "media",
  unpdf: "media",
  "@mozilla/readability": "media",
  linkedom: "media",
  turndown: "media",
  pino: "app",
  "prom-client": "app/metrics",
  diff: "app",
  "hyparquet-writer": "export",
  yazl: "export",
  "@aws-sdk/client-s3": "blobs",
  "@redis/client": "store",
};

const packagePath = (name) => `(^|/)node_modules/${name.replaceAll(".", "\\.")}/`;

const layers = Object.entries(LAYERS).map(([layer, seen]) => ({
  name: `${layer}-sees-${seen.length > 0 ? seen.join("-") : "nothing"}`,
  comment: `src/${layer} may see ${seen.length > 0 ? seen.join(", ") : "no other folder"}, and no more.`,
  severity: "error",
  from: { path: `^src/${layer}/` },
  to: { path: "^src/", pathNot: `^src/(${[layer, ...seen].join("|")})/` },
}));

const stores = STORES.map((store) => ({
  name: `store-${store}-stands-alone`,
  comment: "A back end knows the ports and what all stores share, never another back end.",
  severity: "error",
  from: { path: `^src/store/${store}/` },
  to: { path: `^src/store/(${STORES.filter((other) => other !== store).join("|")})/` },
}));

const rooms = Object.entries(CLUSTER).map(([room, seen]) => ({
  name: `cluster-${room}-sees-${seen.length > 0 ? seen.join("-") : "nothing"}`,
  comment: `src/store/cluster/${room} may see ${seen.length > 0 ? seen.join(", ") : "no other room"}, and no more.`,
  severity: "error",
  from: { path: `^src/store/cluster/${room}/` },
  to: { path: "^src/store/cluster/", pathNot: `^src/store/cluster/(${[room, ...seen].join("|")})/` },
}));

const homes = Object.entries(HOMES).map(([name, home]) => ({
  name: `${name.replace(/\W/g, "-")}-lives-in-${home.replace("/", "-")}`,
  comment: `${name} is imported in src/${home} alone, so that it can be exchanged there.`,
  severity: "error",
  from: { path: "^src/", pathNot: `^src/${home}/` },
  to: { path: packagePath(name) },
}));

module.exports = {
  forbidden: [
    ...layers,
    ...stores,
    ...rooms,
    ...homes,
    {
      name: "packages-have-a-home",
      comment: "A package that src imports is named in HOMES.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "(^|/)node_modules/", pathNot: ["/@types/", ...Object.keys(HOMES).map(packagePath)] },
    },
    {
      name: "pure-folders-import-no-node-module",
      comment: "model and policy decide; they do no I/O and know no platform.",
      severity: "error",
      from: { path: "^src/(model|policy)/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "src-knows-no-test",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|bench|examples)/" },
    },
    {
      name: "no-circles",
      comment: "Type imports count: a circle of types is a circle in a reader's head.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-orphans",
      comment: "A file that nothing imports and that imports nothing is forgotten or belongs elsewhere.",
      severity: "error",
      from: { path: "^src/", orphan: true },
      to: {},
    },
    {
      name: "resolvable",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "no-barrels",
      comment: "One index: the library's face.",
      severity: "error",
      from: {},
      to: { path: "^src/.+/index\\.ts$" },
    },
  ],
  options: {
    // Bare names (`undici`) that do not resolve to a file would escape the rules above; node_modules is not followed.
    doNotFollow: { path: "(^|/)node_modules/" },
    exclude: { path: "^bench/peers/" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "types", "default"] },
    // cache is left off: a stale answer would be a wrong one.
  },
};
