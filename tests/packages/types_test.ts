import assert from "node:assert/strict";
import { join } from "node:path";
import { CONFIGURATIONS } from "../../scripts/bench/applications_text.ts";
import { judgeCosts } from "../../scripts/import_costs.ts";
import { checkTypes, type TypeCosts } from "../../scripts/type_costs.ts";
import { readJson, repositoryRoot } from "../../scripts/workspace.ts";
import { inMatrix } from "../support/matrix.ts";
import { linkNpmPackages } from "../support/npm_packages.ts";
import { type Consumer, entriesOf, installConsumer } from "./consumer.ts";

let consumer: Consumer;
Deno.test.beforeAll(async () => {
  consumer = await installConsumer();
});
Deno.test.afterAll(() => (consumer as Consumer | undefined)?.remove());

const NODE = { module: "nodenext", moduleResolution: "nodenext" };
const modes = [{ module: "esnext", moduleResolution: "bundler" }, NODE];

const VERSIONS = { "5.9": "5.9.3", "6": "6.0.3", "7": "7.0.2" };

/** The compiler, beside the project: it has no package of that name. */
async function findCompiler(version: keyof typeof VERSIONS): Promise<string> {
  const modules = await linkNpmPackages({ typescript: VERSIONS[version] });
  return join(modules, "typescript", "bin", "tsc");
}

async function typeCheck(
  version: keyof typeof VERSIONS,
  entries: string[],
  compilerOptions: Record<string, unknown>,
): Promise<void> {
  const names = entries.map((entry, index) => [`entry${index}`, entry] as const);
  const source = names.map(([name, entry]) => `import * as ${name} from "${entry}";`).join("\n") +
    `\nexport const entries: unknown[] = [${names.map(([name]) => name).join(", ")}];\n`;
  await Deno.writeTextFile(join(consumer.folder, "consumer.ts"), source);
  await Deno.writeTextFile(
    join(consumer.folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        target: "es2024",
        lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
        types: ["node"],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
        ...compilerOptions,
      },
      files: ["consumer.ts"],
    }),
  );
  await consumer.runPackage(await findCompiler(version), ["--project", "tsconfig.json"]);
}

// The starter, which a bundler resolves, is checked by the one between them, and the source by Deno's, which is that.
const versions = inMatrix ? ["5.9", "6", "7"] as const : ["7"] as const;
// A push sees the stricter resolution; that a bundler finds the same files, attw says below.
const chosen = inMatrix ? modes : [NODE];

for (const version of versions) {
  for (const mode of chosen) {
    Deno.test(
      `every entry type-checks with TypeScript ${version} and moduleResolution ${mode.moduleResolution}`,
      () => typeCheck(version, entriesOf(consumer.build), mode),
    );
  }
}

// Of the oldest, a push sees these.
for (const version of inMatrix ? ["5.9", "6", "7"] as const : ["5.9"] as const) {
  Deno.test(`@framework/auth type-checks with TypeScript ${version} without the types of Node`, () =>
    typeCheck(
      version,
      // These two are for servers of Node, and name its requests.
      entriesOf(consumer.build, "@framework/auth").filter((entry) => !/\/(node|nuxt)$/.test(entry)),
      { ...NODE, types: [] },
    ));
}

Deno.test("publint finds nothing to say about the packages, strictly", async () => {
  for (const { tarball } of consumer.build.packages) {
    await consumer.runPackage("publint/src/cli.js", ["--strict", tarball]);
  }
});

Deno.test("attw finds the types of every entry right, for packages of modules alone", async () => {
  for (const { tarball } of consumer.build.packages) {
    await consumer.runPackage("@arethetypeswrong/cli/dist/index.js", [
      ...[tarball, "--profile", "esm-only", "--no-emoji", "--no-color"],
    ]);
  }
});

for (const name of ["the library", "the library, with everything"]) {
  Deno.test(`the types of an application's configuration keep their budget: ${name}`, async () => {
    const budgets = await readJson(join(repositoryRoot, "scripts", "budgets.json"));
    const budget = budgets[`types of a configuration: ${name}`] as Pick<
      TypeCosts,
      "types" | "instantiations"
    >;
    const tsc = await findCompiler("6");
    const costs = await checkTypes(CONFIGURATIONS[name]!, {
      folder: consumer.folder,
      tsc: [Deno.execPath(), "run", "-A", tsc],
    });
    assert.deepEqual(judgeCosts(budget, costs, ["types", "instantiations"]), []);
  });
}
