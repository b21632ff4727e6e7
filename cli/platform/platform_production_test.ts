import assert from "node:assert/strict";
import type { Platform } from "./wrangler_file.ts";
import { productionPlatform } from "./environments.ts";

function platform(raw: Platform["raw"]): Platform {
  return {
    file: "/p/wrangler.jsonc",
    name: "app",
    compatibilityDate: "2026-07-30",
    compatibilityFlags: ["nodejs_compat"],
    d1Databases: [],
    kvNamespaces: [],
    r2Buckets: [],
    queues: { producers: [], consumers: [] },
    durableObjects: [],
    vars: {},
    assets: undefined,
    raw,
  };
}

Deno.test("productionPlatform() names the built worker and its files, and nothing to build", () => {
  const built = productionPlatform(
    platform({
      $schema: "node_modules/wrangler/config-schema.json",
      name: "app",
      main: "src/index.ts",
      build: { command: "x" },
      minify: true,
      vars: { A: "1" },
    }),
    "/p/dist",
  );
  assert.deepEqual(built, {
    name: "app",
    vars: { A: "1" },
    main: "worker.js",
    no_bundle: true,
    find_additional_modules: false,
    assets: { directory: "assets" },
  });
});

Deno.test("productionPlatform() moves paths and keeps settings, also of environments", () => {
  const databases = [{ binding: "DB", database_id: "1", migrations_dir: "./migrations" }];
  const built = productionPlatform(
    platform({
      name: "app",
      d1_databases: databases,
      assets: { directory: "./static", html_handling: "none" },
      env: { staging: { d1_databases: databases, build: { command: "x" } } },
    }),
    "/p/out/worker",
  );
  const moved = [{ binding: "DB", database_id: "1", migrations_dir: "../../migrations" }];
  assert.deepEqual(built["d1_databases"], moved);
  assert.deepEqual(built["assets"], { directory: "assets", html_handling: "none" });
  assert.deepEqual(built["env"], { staging: { d1_databases: moved } });
});
