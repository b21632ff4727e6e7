// The vitest entry, installed from the packed packages into a project that has nothing besides vitest.
import assert from "node:assert/strict";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { buildPackages } from "../../scripts/npm.ts";
import { startRegistry } from "../../scripts/registry.ts";
import { listFiles } from "../../scripts/workspace.ts";
import { nodeIsAvailable } from "../support/node.ts";
import { type LoneRuntime, onlyNode, succeed } from "./lone_runtime.ts";

const files: Record<string, string> = {
  "package.json": JSON.stringify({
    private: true,
    type: "module",
    devDependencies: { "@framework/testing": "*", vitest: "5.0.5" },
  }),
  "wrangler.jsonc": JSON.stringify({
    name: "alone",
    main: "dist/worker.js",
    compatibility_date: "2026-07-01",
    compatibility_flags: ["nodejs_compat"],
    d1_databases: [{ binding: "DB", database_name: "alone", database_id: "local" }],
  }),
  "migrations/0001_items.sql": "CREATE TABLE items (name TEXT);",
  "app/api/items/route.ts": `
    export async function POST(request, { env }) {
      await env.DB.prepare("INSERT INTO items VALUES (?1)").bind(await request.text()).run();
      return (await env.DB.prepare("SELECT name FROM items").all()).results;
    }`,
  "app/page.tsx": "export default function Home() { return <h1>Alone</h1>; }",
  "tsconfig.json": JSON.stringify({
    compilerOptions: { jsx: "react-jsx", jsxImportSource: "@framework/cli" },
  }),
  "vitest.config.ts": `
    import { defineTestConfig } from "@framework/testing/vitest";
    export default defineTestConfig();`,
  "items.test.ts": `
    import { createTestContext } from "@framework/testing";
    import { expect, it } from "vitest";
    it("keeps items", async () => {
      await using ctx = await createTestContext();
      const response = await ctx.fetch("/api/items", { method: "POST", body: "one" });
      expect(await response.json()).toEqual([{ name: "one" }]);
      expect(await (await ctx.fetch("/")).text()).toContain("<h1>Alone</h1>");
    });`,
};

/** What vitest says where its configuration is not that of this package. */
async function withoutTestConfig(runtime: LoneRuntime, project: string): Promise<void> {
  const config = join(project, "vitest.config.ts");
  const configured = await Deno.readTextFile(config);
  const plain = (test: string) =>
    `import { defineConfig } from "vitest/config";\nexport default defineConfig({ test: ${test} });\n`;
  async function said(line: string, text: string | null): Promise<string> {
    if (text === null) await Deno.remove(config);
    else await Deno.writeTextFile(config, text);
    const { code, stdout, stderr } = await runtime.shell(line, project);
    assert.notEqual(code, 0, stdout);
    return stripVTControlCharacters(stdout + stderr);
  }
  const vitest = "npx --no-install vitest run";
  // JSX, which Node does not load by itself.
  for (const text of [null, plain("{}"), plain('{ environment: "node" }')]) {
    assert.match(
      await said(vitest, text),
      /page\.tsx could not be loaded[^]*Export defineTestConfig\(\) of @framework\/testing\/vitest/,
    );
  }
  // The same of a name that only Vite resolves.
  const alias = "test.alias";
  const page = join(project, "app", "page.tsx");
  const before = await Deno.readTextFile(page);
  await Deno.remove(page);
  const route = join(project, "app", "named", "route.ts");
  await Deno.mkdir(join(route, ".."));
  await Deno.writeTextFile(
    route,
    `import { word } from "${alias}/word";\nexport const GET = () => word;\n`,
  );
  assert.match(
    await said(vitest, null),
    /route\.ts could not be loaded[^]*Export defineTestConfig\(\)/,
  );
  await Deno.remove(join(route, ".."), { recursive: true });
  await Deno.writeTextFile(page, before);

  // vitest looks for a package before it loads anything of this one: the command says what to write.
  const miniflare = plain('{ environment: "miniflare" }');
  assert.match(await said(vitest, miniflare), /vitest-environment-miniflare/);
  for (const text of [null, miniflare]) {
    assert.match(
      await said("npx --no-install framework test", text),
      /hint: [^\n]*defineTestConfig\(/,
    );
  }
  await Deno.writeTextFile(config, configured);
}

Deno.test("@framework/testing asks for nothing but vitest, and for that only where it is used", async () => {
  const { packages } = await buildPackages({ gate: false });
  const { manifest } = packages.find(({ folder }) => folder === "testing")!;
  const needed = Object.keys(manifest.peerDependencies ?? {})
    .filter((name) => !manifest.peerDependenciesMeta?.[name]?.optional);
  assert.deepEqual(needed, []);
  assert.ok("vitest" in manifest.peerDependencies!);
});

// Tracks: SP-A2
Deno.test({
  name:
    "the vitest entry installs and runs with npm and vitest alone, and errors name its configuration" +
    (nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]"),
  ignore: !nodeIsAvailable,
  async fn() {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-alone-" }));
    const registry = await startRegistry(await buildPackages({ gate: false }));
    try {
      const runtime = await onlyNode(folder, registry.url);
      const project = join(folder, "project");
      for (const [name, text] of Object.entries(files)) {
        await Deno.mkdir(join(project, name, ".."), { recursive: true });
        await Deno.writeTextFile(join(project, name), text);
      }
      await succeed(runtime, "npm install --strict-peer-deps --ignore-scripts", project);
      const installed = await listFiles(
        join(project, "node_modules"),
        (path) => /^(@[^/]+(\/[^/]+)?|[^@/]+)$/.test(path),
      );
      const has = (name: string) => installed.includes(`${name}/package.json`);
      assert.ok(has("vitest") && has("@framework/cli"));
      assert.deepEqual(["miniflare", "wrangler", "playwright-core"].filter(has), []);
      const { stdout } = await succeed(runtime, "npx --no-install vitest run", project);
      assert.match(stdout, /Tests +1 passed/);
      await withoutTestConfig(runtime, project);
    } finally {
      await registry.close();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
