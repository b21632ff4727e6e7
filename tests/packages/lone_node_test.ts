import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { inMatrix } from "../support/matrix.ts";
import { nodeIsAvailable } from "../support/node.ts";
import {
  type Machine,
  onMachine,
  runEverything,
  showTests,
  useAuthAlone,
  useAuthOnWorker,
  useStarter,
} from "./first_use.ts";
import { readFiveMinutes, type } from "./five_minutes.ts";
import { onlyNode, succeed } from "./lone_runtime.ts";

/** Builds an application of pages that are files, with the packages that are installed in another one. */
async function buildStaticPages({ runtime, folder }: Machine, installed: string): Promise<void> {
  const app = join(folder, "static");
  const files = {
    "wrangler.jsonc": '{ "name": "static", "compatibility_date": "2026-07-30", ' +
      '"compatibility_flags": ["nodejs_compat"], "d1_databases": [{ "binding": "DB" }] }',
    "tsconfig.json": '{ "compilerOptions": { "jsxImportSource": "@framework/cli" } }',
    "app/layout.tsx": "export default ({ children }) => <html><body>{children}</body></html>;",
    "app/posts/[slug]/page.tsx": 'export const prerender = [{ slug: "one" }, { slug: "two" }];\n' +
      "export default ({ params }) => <p>The post {params.slug}</p>;",
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(app, name)), { recursive: true });
    await Deno.writeTextFile(join(app, name), text);
  }
  await Deno.symlink(join(installed, "node_modules"), join(app, "node_modules"));
  const { stderr } = await succeed(runtime, "npx --no-install framework build", app);
  assert.match(stripVTControlCharacters(stderr), /2 pages prerendered/);
  const read = (name: string) => Deno.readTextFile(join(app, "dist", "assets", name));
  assert.match(await read("posts/two.html"), /<p>The post two<\/p>/);
  assert.match(await read("_headers"), /^\/posts\/[^]*content-security-policy: default-src/m);
}

/** Installs the packed files by their paths. */
async function installFiles({ build, folder, runtime }: Machine): Promise<void> {
  const files = build.packages.map(({ tarball }) => `"${tarball}"`).join(" ");
  const tool = join(folder, "tool");
  await Deno.mkdir(tool);
  await succeed(runtime, "npm init --yes", tool);
  await succeed(runtime, `npm install --ignore-scripts ${files}`, tool);
  await succeed(runtime, "npx --no-install framework --version", tool);
}

// Tracks: R161, AB-02, SP-W5. No install script runs, and none is needed.
Deno.test({
  name: "with Node alone, npm installs the packed files, and an application is made, migrated, " +
    `served, changed, tested, checked and built, as the README says${
      nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]"
    }`,
  ignore: !nodeIsAvailable,
  fn: () =>
    onMachine(onlyNode, async (machine) => {
      const { folder, runtime } = machine;
      // By a registry they are the same files.
      if (inMatrix) await installFiles(machine);

      const { commands } = await readFiveMinutes("cli/README.md", "npm");
      assert.deepEqual(await readFiveMinutes("README.md", "npm"), { commands, files: new Map() });
      const { commands: toTest } = await readFiveMinutes("testing/README.md", "npm");
      assert.deepEqual(toTest, [...commands.slice(0, 3), "npm test"]);
      const dev = commands.pop()!;
      assert.equal(dev, "npm run dev");
      const app = await type(
        runtime,
        ["export npm_config_ignore_scripts=true", ...commands],
        folder,
      );
      const generate = "npx framework generate page notes --loader";
      await useStarter(machine, app, { dev, generate });
      const framework = "npx --no-install framework";
      // tests/usage/usage_test.ts checks the types, of more than the starter has, and tests/cli/transcripts_test.ts has
      // `deploy`; the database is migrated already.
      const elsewhere = inMatrix ? [] : ["typecheck", "deploy", "migrate"];
      await runEverything(machine, app, { script: "npm run", framework, elsewhere });
      if (!inMatrix) return;
      // tests/usage/vitest_versions_test.ts has them shown too.
      await showTests(machine, app, framework);
      await buildStaticPages(machine, app);
    }),
});

Deno.test({
  name:
    "with Node alone, the application of the authentication's README, and the worker of it on D1, sign up, " +
    `in and out${
      nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]"
    }`,
  ignore: !nodeIsAvailable,
  fn: (t) =>
    onMachine(onlyNode, async (machine) => {
      let app = "";
      await t.step("the application", async () => {
        app = await useAuthAlone(machine, "npm", "node app.ts");
      });
      await t.step("the worker", () => useAuthOnWorker(machine, app));
    }),
});
