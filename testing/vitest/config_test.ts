import assert from "node:assert/strict";
import { defineTestConfig } from "./config.ts";

const inlined = (config: Parameters<typeof defineTestConfig>[0]) => {
  const { server } = defineTestConfig(config).test as {
    server: { deps: { inline: true | RegExp[]; other?: unknown } };
  };
  return server.deps;
};

Deno.test("defineTestConfig() inlines @framework/testing, however it was installed", () => {
  const { inline } = inlined({});
  assert.ok(Array.isArray(inline));
  for (
    const path of [
      "/app/node_modules/@framework/testing/mod.js",
      "/app/node_modules/.deno/@framework+testing@0.1.0/node_modules/@framework/testing/mod.js",
      "C:\\app\\node_modules\\@framework\\testing\\mod.js",
    ]
  ) assert.ok(inline.some((pattern) => pattern.test(path)), path);
  assert.ok(!inline.some((pattern) => pattern.test("/app/node_modules/@framework/auth/mod.js")));
});

Deno.test("defineTestConfig() keeps what it is given", () => {
  const own = /own/;
  const deps = inlined({ test: { server: { deps: { inline: [own], other: 1 } } } });
  assert.ok(Array.isArray(deps.inline));
  assert.equal(deps.inline[0], own);
  assert.equal(deps.other, 1);
  assert.equal(inlined({ test: { server: { deps: { inline: true } } } }).inline, true);
  const config = defineTestConfig({ test: { globals: true }, oxc: false });
  assert.equal(config.test["globals"], true);
  assert.equal(config["oxc"], false);
});

Deno.test("defineTestConfig() resolves the platform's module, beside aliases of the project's own", () => {
  const aliasOf = (alias?: unknown) =>
    (defineTestConfig({ ...(alias !== undefined && { resolve: { alias } }) })["resolve"] as {
      alias: Record<string, string> & { find: string; replacement: string }[];
    }).alias;
  assert.match(aliasOf()["cloudflare:workers"]!, /[\\/]testing[\\/]cloudflare\.ts$/);
  assert.equal(aliasOf({ "~": "/app" })["~"], "/app");
  const list = aliasOf([{ find: "~", replacement: "/app" }]);
  assert.deepEqual(list.map(({ find }) => find), [
    "~",
    "cloudflare:workers",
    "cloudflare:email",
    "cloudflare:workflows",
  ]);
});

Deno.test("defineTestConfig() names forgotten contexts after each file, beside the project's own setup", () => {
  const { setupFiles } = defineTestConfig({ test: { setupFiles: "./own.ts" } }).test;
  assert.ok(Array.isArray(setupFiles));
  assert.match(setupFiles[0], /[\\/]testing[\\/]setup\.ts$/);
  assert.equal(setupFiles[1], "./own.ts");
});

Deno.test("defineTestConfig() gives tests more time than vitest does, unless told otherwise", () => {
  assert.equal(defineTestConfig().test["testTimeout"], 20_000);
  assert.equal(defineTestConfig({ test: { testTimeout: 100 } }).test["testTimeout"], 100);
});
