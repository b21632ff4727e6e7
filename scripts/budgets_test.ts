import assert from "node:assert/strict";
import { join, relative } from "node:path";
import {
  judge,
  judgeHooks,
  measure,
  measureAll,
  type Measured,
  namesIn,
  readBudgets,
  readHooks,
} from "./budgets.ts";
import { capture, run } from "./run_command.ts";
import { readWorkspace, repositoryRoot } from "./workspace.ts";

let measured: ReturnType<typeof measureAll> | undefined;

for (const [name, budget] of Object.entries(await readBudgets())) {
  Deno.test({
    name: `the bundle of the ${name} keeps its budget`,
    // The bundler's own process ends a moment later.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      measured ??= measureAll(Object.values(await readBudgets()));
      assert.deepEqual(judge(budget, (await measured).get(budget.entry)!), []);
    },
  });
}

/**
 * Entries without a budget of their own: of the main one an application imports parts, which the workers have; the
 * others run on the machine of whoever develops, and no bundle that is served has them.
 */
const WITHOUT_BUDGET = [
  "auth/convention.ts",
  "auth/mod.ts",
  "cli/client_hot.ts",
  "cli/driver.ts",
  "cli/main.ts",
  "cli/mod.ts",
  "cli/project.ts",
  "cli/testing.ts",
];

Deno.test("every entry that applications are built of has a budget", async () => {
  const budgets = Object.values(await readBudgets()).map(({ entry }) => entry);
  const { members } = await readWorkspace();
  const entries = members.filter(({ folder }) => folder !== "testing").flatMap((member) =>
    Object.values(member.exports).map((path) => path.replace(/^\./, member.folder))
  );
  const without = [...new Set(entries)].filter((entry) => !budgets.includes(entry));
  assert.deepEqual(without.sort(), WITHOUT_BUDGET);
});

Deno.test("the program ends with status 1 when one of the bundles exceeds its budget", async () => {
  const entry = "auth/errors.ts";
  const document = (gzipBytes: number) => ({
    features: {},
    hooks: { reserve: 0, bytes: {} },
    small: { about: "", entry, gzipBytes, without: [] },
    large: { about: "", entry, gzipBytes: 1_000_000, without: [] },
  });
  const file = await Deno.makeTempFile({ suffix: ".json" });
  const program = join(repositoryRoot, "scripts", "budgets.ts");
  try {
    for (const [gzipBytes, code] of [[1, 1], [1_000_000, 0]] as const) {
      await Deno.writeTextFile(file, JSON.stringify(document(gzipBytes)));
      const ended = await capture(Deno.execPath(), ["run", "-A", program, file]);
      assert.equal(ended.code, code, ended.stdout + ended.stderr);
      assert.match(ended.stdout, /^large: /m);
    }
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("judge() names what is too large and what should not be there", () => {
  const budget = { about: "", entry: "x.ts", gzipBytes: 10, without: ["seal", "npm:jose"] };
  const names = new Set(["seal", "npm:jose", "npm:*", "unseal"]);
  assert.deepEqual(judge(budget, { minifiedBytes: 20, gzipBytes: 11, files: [], names }), [
    "11 bytes compressed, at most 10 are allowed",
    "seal is in it",
    "npm:jose is in it",
  ]);
  const others = new Set(["sealed", "npm:jose-browser"]);
  const kept = { minifiedBytes: 20, gzipBytes: 10, files: [], names: others };
  assert.deepEqual(judge(budget, kept), []);
});

Deno.test("hooks of the core are optional members of its contracts, and stay within their reserve", async () => {
  const contracts = await Deno.readTextFile(join(repositoryRoot, "auth", "core", "contracts.ts"));
  assert.deepEqual(judgeHooks(await readHooks(), contracts), []);
  const member = "interface Module {\n  guard?: AccountGuard;\n  check?(): void;\n  id: string;\n}";
  assert.deepEqual(judgeHooks({ reserve: 50, bytes: { guard: 30, check: 20 } }, member), []);
  assert.deepEqual(judgeHooks({ reserve: 50, bytes: { guard: 31, id: 20 } }, member), [
    "id is no optional member of the contracts",
    "hooks have 51 bytes, the reserve is 50",
  ]);
});

Deno.test("namesIn() finds what a bundle has, in whatever file, and what the bundler calls it", () => {
  const bundle = `// auth/lib/keys.ts
var KEYS = "k";
async function seal(text) {
  const inner = text;
}
// ../node_modules/.deno/@noble+hashes@2.0.0/node_modules/@noble/hashes/sha2.js
var sha256 = 1;
// node_modules/jose/dist/index.js
function importJWK() {}
// auth/http.ts
var text2 = /* @__PURE__ */ make();
var Signer = class {
};
`;
  assert.deepEqual([...namesIn(bundle)], [
    "KEYS",
    "seal",
    "npm:*",
    "npm:@noble/hashes",
    "npm:jose",
    "text2",
    "text",
    "Signer",
  ]);
});

/** The modules of the library without its tests, by their paths from the repository's root. */
async function modules(): Promise<string[]> {
  const { stdout } = await run("git", ["ls-files", "auth"], { cwd: repositoryRoot });
  return stdout.split("\n").filter((path) =>
    /\.ts$/.test(path) && !/_test\.ts$|\/tests\//.test(path)
  );
}

/** Measures a bundle of an entry and of whatever else is given. */
async function measureWith(source: string): Promise<Measured> {
  const folder = await Deno.makeTempDir({ dir: join(repositoryRoot, "scripts", "budgets") });
  try {
    await Deno.writeTextFile(join(folder, "planted.ts"), source);
    const entry = relative(repositoryRoot, join(folder, "planted.ts")).replaceAll("\\", "/");
    return await measure({ entry });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test({
  name: "a bundle that imports all of the library fails for each name that a budget excludes",
  // The bundler's own process ends a moment later.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const all = (await modules()).map((path, index) =>
      `export * as m${index} from "../../../${path}";`
    );
    const { names } = await measureWith(all.join("\n"));
    for (const [name, { without, ...budget }] of Object.entries(await readBudgets())) {
      const faults = judge({ ...budget, without }, {
        minifiedBytes: 0,
        gzipBytes: 0,
        files: [],
        names,
      });
      assert.deepEqual(faults, without.map((one) => `${one} is in it`), name);
    }
  },
});

Deno.test({
  name: "one import too many in an entry exceeds its budget",
  // The bundler's own process ends a moment later.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const { "@framework/auth/middleware": budget } = await readBudgets();
    const planted = `export * from "../../../auth/middleware.ts";
export { seal } from "../../../auth/lib/keys.ts";
export { decodeJwt } from "jose";`;
    const faults = judge({ ...budget!, gzipBytes: 10 ** 6 }, await measureWith(planted));
    for (const name of ["seal", "npm:*"]) assert.ok(faults.includes(`${name} is in it`), name);
  },
});
