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

/** A file that has all that these entries export. */
function importing(entries: string[]): Record<string, string> {
  const names = entries.map((entry, index) => [`entry${index}`, entry] as const);
  const imports = names.map(([name, entry]) => `import * as ${name} from "${entry}";\n`).join("");
  const list = names.map(([name]) => name).join(", ");
  return { "consumer.ts": `${imports}export const entries: unknown[] = [${list}];\n` };
}

async function typeCheck(
  version: keyof typeof VERSIONS,
  files: Record<string, string>,
  compilerOptions: Record<string, unknown>,
): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(consumer.folder, name), text);
  }
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
      files: Object.keys(files),
    }),
  );
  await consumer.runPackage(await findCompiler(version), ["--project", "tsconfig.json"]);
}

// The starter, which a bundler resolves, is checked by the one between them, and the source by Deno's, which is that.
const versions = inMatrix ? ["5.9", "6", "7"] as const : ["7"] as const;
// A push sees the stricter resolution; that a bundler finds the same files, attw says of some below.
const chosen = inMatrix ? modes : [NODE];

for (const version of versions) {
  for (const mode of chosen) {
    Deno.test(
      `every entry type-checks with TypeScript ${version} and moduleResolution ${mode.moduleResolution}`,
      () => typeCheck(version, importing(entriesOf(consumer.build)), mode),
    );
  }
}

// Of the oldest, a push sees these.
for (const version of inMatrix ? ["5.9", "6", "7"] as const : ["5.9"] as const) {
  Deno.test(`@framework/auth type-checks with TypeScript ${version} without the types of Node`, () =>
    typeCheck(
      version,
      // These two are for servers of Node, and name its requests.
      importing(
        entriesOf(consumer.build, "@framework/auth")
          .filter((entry) => !/\/(node|nuxt)$/.test(entry)),
      ),
      { ...NODE, types: [] },
    ));
}

const PROVIDERS = `import { credentials, email, type SqlDatabase } from "@framework/auth";
export const providers = [
  credentials({
    credentials: { pin: { label: "PIN", type: "password" } },
    async authorize(c, ctx) {
      return await ctx.env.DB.prepare("SELECT id FROM users WHERE pin = ?1").bind(c.pin!).first();
    },
  }),
  email({
    from: "a@b.example",
    async sendVerificationRequest({ url }, { env }) {
      await env.MAIL.send(url);
    },
  }),
];
`;

// Tracks: SP-W8
Deno.test("ctx.env is what an application declares as AuthEnv, and nothing else", () =>
  typeCheck("7", {
    "declared.ts": `${PROVIDERS}declare module "@framework/auth" {
  interface AuthEnv { DB: SqlDatabase; MAIL: { send(text: string): Promise<void> } }
}\n`,
    "other.ts": PROVIDERS.replace("await env.MAIL", "// @ts-expect-error\n      await env.MIAL"),
  }, NODE));

Deno.test("publint finds nothing to say about the packages, strictly", async () => {
  for (const { tarball } of consumer.build.packages) {
    await consumer.runPackage("publint/src/cli.js", ["--strict", tarball]);
  }
});

// The manifests of all packages are made by the same lines, and the one with most entries takes the most.
for (const name of inMatrix ? ["cli", "testing", "auth"] : ["cli"]) {
  Deno.test(`attw finds the types of every entry of @framework/${name} right, for packages of modules alone`, async () => {
    const { tarball } = consumer.build.packages.find(({ folder }) => folder === name)!;
    await consumer.runPackage("@arethetypeswrong/cli/dist/index.js", [
      ...[tarball, "--profile", "esm-only", "--no-emoji", "--no-color"],
    ]);
  });
}

for (const name of [...inMatrix ? ["the library"] : [], "the library, with everything"]) {
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
