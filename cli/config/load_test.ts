import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { loadConfig } from "./load.ts";

const packages = fileURLToPath(new URL("../../node_modules", import.meta.url));

async function withProject(
  files: Record<string, string>,
  test: (root: string) => Promise<void>,
): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "framework-config-test-")));
  try {
    await symlink(packages, join(root, "node_modules"));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    await test(root);
  } finally {
    await rm(root, { recursive: true });
  }
}

function isConfigError(pattern: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof CliError && error.exitCode === ExitCode.config && pattern.test(error.message);
}

Deno.test("loadConfig() has a default for everything", () =>
  withProject({}, async (root) => {
    assert.deepEqual(await loadConfig(root), {
      root,
      file: undefined,
      appDir: join(root, "app"),
      publicDir: join(root, "public"),
      outDir: join(root, "dist"),
      migrationsDir: join(root, "migrations"),
      database: "DB",
      dialect: "sqlite",
      lacksDatabase: false,
      platformFile: join(root, "wrangler.jsonc"),
      dev: { port: 8787, host: "localhost", allowedHosts: [] },
      tracing: false,
      build: { minify: true, sourcemap: true },
    });
  }));

Deno.test("loadConfig() reads TypeScript, defineConfig() and what the file imports", () =>
  withProject({
    "framework.config.ts": `
      import { defineConfig, type FrameworkConfig } from "@framework/cli";
      import { join } from "node:path";
      import { port } from "./ports.ts";
      const config: FrameworkConfig = {
        appDir: join("src", "app"),
        dev: { port, host: import.meta.url.startsWith("file:") ? "127.0.0.1" : "wrong" },
      };
      export default defineConfig(config) satisfies FrameworkConfig;`,
    "ports.ts": "export const port: number = 3000;",
  }, async (root) => {
    const config = await loadConfig(root);
    assert.equal(config.file, join(root, "framework.config.ts"));
    assert.equal(config.appDir, join(root, "src/app"));
    assert.deepEqual(config.dev, { port: 3000, host: "127.0.0.1", allowedHosts: [] });
  }));

Deno.test("loadConfig() sees a change of the file", () =>
  withProject({}, async (root) => {
    for (const port of [1001, 1002]) {
      await writeFile(
        join(root, "framework.config.js"),
        `export default { dev: { port: ${port} } };`,
      );
      assert.equal((await loadConfig(root)).dev.port, port);
    }
  }));

Deno.test("loadConfig() takes the folder of --config as the project", () =>
  withProject({ "site/custom.config.ts": "export default { outDir: 'out' };" }, async (root) => {
    const config = await loadConfig(root, "site/custom.config.ts");
    assert.equal(config.root, join(root, "site"));
    assert.equal(config.outDir, join(root, "site/out"));
  }));

// Tracks: SP-A2
Deno.test("loadConfig() keeps the project's root for a --config in a folder of it", async () => {
  for (const mark of ["package.json", "deno.json", "wrangler.jsonc"]) {
    await withProject({
      "web/config/framework.config.ts": "export default { outDir: 'out' };",
      [`web/${mark}`]: "{}",
      "package.json": "{}",
    }, async (root) => {
      const config = await loadConfig(root, "web/config/framework.config.ts");
      assert.equal(config.root, join(root, "web"), mark);
      assert.equal(config.appDir, join(root, "web/app"));
      assert.equal(config.outDir, join(root, "web/out"));
    });
  }
});

// Tracks: AB-16
Deno.test("loadConfig() refuses a database that the platform's file does not declare, naming both files", async () => {
  const files = (database: string): Record<string, string> => ({
    "framework.config.ts": `export default { database: "${database}" };`,
    "wrangler.jsonc": JSON.stringify({
      d1_databases: [{ binding: "DB" }],
      env: { staging: { d1_databases: [{ binding: "STAGING" }] } },
    }),
  });
  await withProject(files("DB2"), (root) =>
    assert.rejects(
      () => loadConfig(root),
      isConfigError(/^framework\.config\.ts: database is "DB2", but wrangler\.jsonc .*found: DB/),
    ));
  for (const name of ["DB", "STAGING"]) {
    await withProject(files(name), async (root) => {
      assert.equal((await loadConfig(root)).lacksDatabase, false);
    });
  }
  // Builds say this together with all else that the file lacks.
  await withProject({ ...files("DB"), "wrangler.jsonc": "{}" }, async (root) => {
    assert.equal((await loadConfig(root)).lacksDatabase, true);
  });
});

Deno.test("loadConfig() gives no advice that cannot be followed for an import that is missing", () =>
  withProject({ "framework.config.ts": "import 'not-there'; export default {};" }, async (root) => {
    // Tracks: SP-W13
    await assert.rejects(() => loadConfig(root), (error: Error) => {
      assert.match(error.message, /Could not resolve "not-there"/);
      assert.doesNotMatch(error.message, /external/);
      return true;
    });
  }));

Deno.test("loadConfig() honours migrations_dir of the database's entry, relative to the platform's file", () =>
  withProject({
    "platform/wrangler.jsonc": `{ "d1_databases": [
      { "binding": "OTHER", "migrations_dir": "no" },
      { "binding": "DB", "migrations_dir": "sql/up", },
    ] }`,
    "framework.config.ts": 'export default { wrangler: "platform/wrangler.jsonc" };',
  }, async (root) => {
    assert.equal((await loadConfig(root)).migrationsDir, join(root, "platform/sql/up"));
  }));

Deno.test("loadConfig() reads the same platform file as wrangler when there are two", () =>
  withProject({ "wrangler.json": "{}", "wrangler.jsonc": "{}" }, async (root) => {
    assert.equal((await loadConfig(root)).platformFile, join(root, "wrangler.json"));
  }));

Deno.test.each([
  ["export const x = 1;", /^framework\.config\.ts has no default export\.$/],
  ["throw new Error('on purpose');", /^framework\.config\.ts threw an error: on purpose$/],
  ["export default {", /could not be read[^]*Expected identifier[^]*framework\.config\.ts:1:16:/],
  ["import 'not-there'; export default {};", /Could not resolve "not-there"/],
  ["export default { dev: { prot: 1 } };", /dev\.prot: unknown key\. Did you mean "port"\?$/],
  ["export default { outDir: '.' };", /^outDir is .* not a separate folder/],
  ["export default { outDir: '..' };", /^outDir is/],
  ["export default { outDir: 'app' };", /^outDir is/],
  ["export default { outDir: 'src', appDir: 'src/app' };", /^outDir is/],
])(
  "loadConfig() is exit 2 for %o",
  (text, pattern) =>
    withProject({ "framework.config.ts": text }, async (root) => {
      await assert.rejects(loadConfig(root), isConfigError(pattern));
    }),
);

Deno.test("loadConfig() is exit 2 when there are two files, or the named one is missing", () =>
  withProject({ "framework.config.ts": "", "framework.config.js": "" }, async (root) => {
    await assert.rejects(loadConfig(root), isConfigError(/two configuration files/));
    await assert.rejects(loadConfig(root, "nope.ts"), isConfigError(/nope\.ts does not exist/));
  }));

Deno.test("loadConfig() is exit 2 with the install command when the project has no esbuild", () =>
  withProject({ "framework.config.ts": 'import "left-pad";\nexport default {};' }, async (root) => {
    await rm(join(root, "node_modules"));
    await assert.rejects(
      loadConfig(root),
      (error) => error instanceof CliError && error.hint === "Run `npm install -D esbuild`.",
    );
  }));

Deno.test("loadConfig() under Deno reads the file itself when the project has no esbuild", () =>
  withProject({
    "framework.config.ts":
      'import { database } from "./database.ts";\nexport default { database };',
    "database.ts": 'export const database: string = "MAIN";',
  }, async (root) => {
    await rm(join(root, "node_modules"));
    assert.equal((await loadConfig(root)).database, "MAIN");
    await writeFile(join(root, "framework.config.ts"), 'throw new TypeError("on purpose");');
    await assert.rejects(loadConfig(root), isConfigError(/threw an error: on purpose/));
  }));

Deno.test("loadConfig() imports the file as it is told, with the same checks", () =>
  withProject({ "framework.config.ts": "this is not JavaScript" }, async (root) => {
    const importing = (database: unknown) => ({
      importModule: (file: string) => {
        assert.equal(file, join(root, "framework.config.ts"));
        return Promise.resolve({ default: { database } });
      },
    });
    assert.equal((await loadConfig(root, undefined, importing("MAIN"))).database, "MAIN");
    await assert.rejects(loadConfig(root, undefined, importing(7)), isConfigError(/database/));
  }));
