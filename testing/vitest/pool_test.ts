import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { POOL_BINDING, type PoolSettings } from "../context/pool.ts";
import { defineTestConfig } from "./config.ts";

/** Part of the pool's options that this package completes. */
interface Completed {
  main?: string;
  wrangler?: unknown;
  miniflare: {
    bindings: Record<string, PoolSettings>;
    compatibilityFlags: string[];
    kvNamespaces?: string[];
  };
}

const POOL_OPTIONS = { workers: { wrangler: { configPath: "./wrangler.jsonc" } } };

/** A project in which a package is installed that exports what is given. */
async function installed(name: string, entry: string, source: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "worker-pool-"));
  const folder = join(root, "node_modules", name);
  await mkdir(folder, { recursive: true });
  const manifest = { name, version: "1.0.0", exports: { [entry]: { import: "./index.mjs" } } };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "index.mjs"), source);
  return root;
}

Deno.test("defineTestConfig() gives the newer worker pool what the older shape says", async () => {
  const source = "export const cloudflareTest = (options) => ({ name: 'pool', options });";
  const root = await installed("@cloudflare/vitest-plugin", ".", source);
  try {
    const own = { name: "own" };
    const { plugins, test } = defineTestConfig({
      root,
      plugins: [own],
      test: { poolOptions: { ...POOL_OPTIONS, forks: { singleFork: true } } },
    });
    assert.ok(Array.isArray(plugins));
    assert.equal(plugins[0], own);
    const { name, options } = await plugins[1] as { name: string; options: Completed };
    assert.equal(name, "pool");
    assert.deepEqual(options.wrangler, POOL_OPTIONS.workers.wrangler);
    assert.ok(options.miniflare.compatibilityFlags.includes("nodejs_compat"));
    assert.deepEqual(test["poolOptions"], { forks: { singleFork: true } });
  } finally {
    await rm(root, { recursive: true });
  }
});

Deno.test("defineTestConfig() describes a worker to the pool, and leaves its own options", async () => {
  const source = "export const cloudflareTest = (options) => options;";
  const root = await installed("@cloudflare/vitest-plugin", ".", source);
  const read = async (workers: object) => {
    const { plugins } = defineTestConfig({ root, test: { poolOptions: { workers } } });
    return await (plugins as unknown[])[0] as Completed;
  };
  try {
    const own = { main: "src/own.ts", miniflare: { kvNamespaces: ["CACHE"], bindings: { A: 1 } } };
    const without = await read(own);
    const { [POOL_BINDING]: none, ...bindings } = without.miniflare.bindings;
    assert.deepEqual([without.main, without.wrangler], ["src/own.ts", undefined]);
    assert.deepEqual(without.miniflare.kvNamespaces, ["CACHE"]);
    assert.deepEqual(bindings, { A: 1 });
    assert.deepEqual([none!.main, none!.migrations], [join(root, "src/own.ts"), {}]);

    const file = `{
      "main": "src/index.ts",
      "compatibility_date": "2026-07-01",
      "d1_databases": [{ "binding": "NOTES", "database_name": "notes", "database_id": "notes" }]
    }`;
    await mkdir(join(root, "worker", "migrations"), { recursive: true });
    await writeFile(join(root, "worker", "wrangler.jsonc"), file);
    await writeFile(
      join(root, "worker", "migrations", "0001_a.sql"),
      "CREATE TABLE a (id INTEGER);",
    );
    const described = await read({ wrangler: { configPath: "./worker/wrangler.jsonc" } });
    const settings = described.miniflare.bindings[POOL_BINDING]!;
    assert.equal(described.main, undefined);
    assert.equal(settings.main, join(root, "worker", "src/index.ts"));
    assert.equal(settings.database, "NOTES");
    assert.deepEqual(settings.migrations, { NOTES: ["CREATE TABLE a (id INTEGER);"] });
    assert.equal((await read({ wrangler: { configPath: "./wrangler.toml" } })).main, undefined);

    // Values of the example, unless the pool has its own: in vars, or in a file of variables.
    const files = {
      "wrangler.jsonc":
        `{ "main": "src/index.ts", "compatibility_date": "2026-07-01", "vars": { "A": { "own": 1 } },
        "env": { "staging": { "vars": {} } } }`,
      ".dev.vars.example": "A=example\nB=example\nC=example\nD=example\nE=example\n",
      ".dev.vars": "B=own\n",
      ".dev.vars.staging": "C=own\n",
      ".env": "D=own\n",
    };
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(root, "worker", name), text);
    }
    const given = async (environment?: string) => {
      const wrangler = { configPath: "./worker/wrangler.jsonc", ...environment && { environment } };
      const { [POOL_BINDING]: _, ...given } = (await read({ wrangler })).miniflare.bindings;
      return given;
    };
    assert.deepEqual(await given(), { C: "example", E: "example" });
    assert.deepEqual(await given("staging"), { A: "example", E: "example" });
  } finally {
    await rm(root, { recursive: true });
  }
});

Deno.test("defineTestConfig() takes options of a pool that are a function of what global setup provides", async () => {
  const provided = { inject: (name: string) => `${name} of the setup` };
  const workers = ({ inject }: typeof provided) => ({
    miniflare: { kvNamespaces: [inject("port")] },
  });
  const newer = "export const cloudflareTest = (options) => options;";
  const older = "export const defineWorkersConfig = () => ({ plugins: [] });";
  const [plugin, pool] = [
    await installed("@cloudflare/vitest-plugin", ".", newer),
    await installed("@cloudflare/vitest-pool-workers", "./config", older),
  ];
  type Read = (given: typeof provided) => Promise<Completed>;
  try {
    const { plugins } = defineTestConfig({ root: plugin, test: { poolOptions: { workers } } });
    const { test } = defineTestConfig({ root: pool, test: { poolOptions: { workers } } });
    const options = test["poolOptions"] as { workers: Read };
    for (const read of [await (plugins as unknown[])[0] as Read, options.workers]) {
      const { miniflare } = await read(provided);
      assert.deepEqual(miniflare.kvNamespaces, ["port of the setup"]);
      assert.ok(POOL_BINDING in miniflare.bindings);
    }
  } finally {
    for (const root of [plugin, pool]) await rm(root, { recursive: true });
  }
});

Deno.test("defineTestConfig() leaves the older worker pool its shape", async () => {
  const source = "export const defineWorkersConfig = () => ({ plugins: [{ name: 'pool' }] });";
  const root = await installed("@cloudflare/vitest-pool-workers", "./config", source);
  try {
    const { plugins, test } = defineTestConfig({ root, test: { poolOptions: POOL_OPTIONS } });
    assert.deepEqual(await (plugins as unknown[])[0], [{ name: "pool" }]);
    assert.equal(test["pool"], "@cloudflare/vitest-pool-workers");
    const { workers: read } = test["poolOptions"] as {
      workers: () => Promise<{ wrangler: unknown; miniflare: { compatibilityFlags: string[] } }>;
    };
    const workers = await read();
    assert.deepEqual(workers.wrangler, POOL_OPTIONS.workers.wrangler);
    assert.ok(workers.miniflare.compatibilityFlags.includes("nodejs_compat"));
  } finally {
    await rm(root, { recursive: true });
  }
});

Deno.test("defineTestConfig() says what to install for the worker pool", async () => {
  const root = await mkdtemp(join(tmpdir(), "worker-pool-"));
  try {
    assert.throws(() => defineTestConfig({ root, test: { poolOptions: POOL_OPTIONS } }), {
      code: "WORKER_POOL",
      message: /@cloudflare\/vitest-plugin for vitest 4/,
    });
  } finally {
    await rm(root, { recursive: true });
  }
});

Deno.test("defineTestConfig() puts its environment in place of the names that mean it", () => {
  for (const environment of ["miniflare", "framework"]) {
    const { test } = defineTestConfig({ test: { environment } });
    assert.match(String(test["environment"]), /[\\/]testing[\\/]environment\.ts$/);
  }
  assert.equal(defineTestConfig({ test: { environment: "node" } }).test["environment"], "node");
});
