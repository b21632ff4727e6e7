// The vitest entry, installed from the packed packages into a project that has nothing besides vitest.
import assert from "node:assert/strict";
import { join } from "node:path";
import { buildPackages } from "../../scripts/npm.ts";
import { startRegistry } from "../../scripts/registry.ts";
import { listFiles } from "../../scripts/workspace.ts";
import { inMatrix } from "../support/matrix.ts";
import { nodeIsAvailable } from "../support/node.ts";
import { installWithNpm } from "../support/npm_project.ts";
import { onlyNode, succeed } from "./lone_runtime.ts";

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

Deno.test("@framework/testing asks for nothing but vitest, and for that only where it is used", async () => {
  const { packages } = await buildPackages({ gate: false });
  const { manifest } = packages.find(({ folder }) => folder === "testing")!;
  const needed = Object.keys(manifest.peerDependencies ?? {})
    .filter((name) => !manifest.peerDependenciesMeta?.[name]?.optional);
  assert.deepEqual(needed, []);
  assert.ok("vitest" in manifest.peerDependencies!);
});

Deno.test({
  name: `the vitest entry installs and runs with npm and vitest alone${
    nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]"
  }`,
  ignore: !nodeIsAvailable,
  async fn() {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-alone-" }));
    const build = await buildPackages({ gate: false });
    const registry = await startRegistry(build);
    try {
      const runtime = await onlyNode(folder, registry.url);
      const project = join(folder, "project");
      for (const [name, text] of Object.entries(files)) {
        await Deno.mkdir(join(project, name, ".."), { recursive: true });
        await Deno.writeTextFile(join(project, name), text);
      }
      if (inMatrix) {
        await succeed(runtime, "npm install --strict-peer-deps --ignore-scripts", project);
      } else await installWithNpm(project, build);
      const installed = await listFiles(
        join(project, "node_modules"),
        (path) => /^(@[^/]+(\/[^/]+)?|[^@/]+)$/.test(path),
      );
      const has = (name: string) => installed.includes(`${name}/package.json`);
      assert.ok(has("vitest") && has("@framework/cli"));
      assert.deepEqual(["miniflare", "wrangler", "playwright-core"].filter(has), []);
      const { stdout } = await succeed(runtime, "node node_modules/vitest/vitest.mjs run", project);
      assert.match(stdout, /Tests +1 passed/);
    } finally {
      await registry.close();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
