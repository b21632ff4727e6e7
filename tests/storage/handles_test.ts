// What sqlite() and postgres() take, each by the real driver: docs/databases.md lists them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import * as esbuild from "esbuild";
import { bundleWorker } from "../../auth/tests/bundle_worker.ts";
import { ALL_CASES } from "../../auth/tests/handle_cases.ts";
import { workspaceAlias } from "../../scripts/budgets.ts";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { run } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { disposeMiniflare } from "../support/dispose_miniflare.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { installNpmPackages } from "../support/npm_packages.ts";
import { startPostgres } from "../support/postgres.ts";

const DRIVERS = fileURLToPath(new URL("./drivers", import.meta.url));
const LINUX = Deno.build.os === "linux" && Deno.build.arch === "x86_64";

/** Versions that were tried. */
const VERSIONS = {
  "@cloudflare/workers-types": "5.20261117.1",
  "@electric-sql/pglite": "0.5.16",
  "@libsql/client": "0.18.0",
  "@neondatabase/serverless": "1.2.0",
  "@oven/bun-linux-x64": "1.4.5",
  "@types/better-sqlite3": "9.6.0",
  "@types/bun": "1.4.5",
  "@types/node": "24.19.2",
  "@types/pg": "8.23.1",
  "pg": "8.23.1",
  "postgres": "3.4.9",
  "ws": "8.23.0",
};

/** Runs a program of the drivers, bundled but for the drivers, where they are installed. */
async function runProgram(
  name: string,
  { runtime, argument = "" }: { runtime?: string; argument?: string } = {},
): Promise<void> {
  const modules = await installNpmPackages(VERSIONS);
  const folder = await Deno.makeTempDir({ prefix: `framework-${name}-` });
  try {
    await Deno.symlink(modules, join(folder, "node_modules"));
    await esbuild.build({
      entryPoints: [join(DRIVERS, `${name}.ts`)],
      alias: await workspaceAlias(),
      absWorkingDir: repositoryRoot,
      bundle: true,
      platform: "neutral",
      format: "esm",
      external: ["node:*", "bun:*", ...Object.keys(VERSIONS)],
      outfile: join(folder, "program.mjs"),
      logLevel: "silent",
    });
    const program = runtime === undefined ? (await findNodes()).oldest : join(modules, runtime);
    const { stdout } = await run(program, [join(folder, "program.mjs"), folder, argument]);
    const { passed, failures } = JSON.parse(stdout) as { passed: number; failures: string[] };
    assert.deepEqual(failures, []);
    assert.ok(passed > 50, `only ${passed} cases ran`);
  } finally {
    await esbuild.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

const withNode = {
  ignore: !nodeIsAvailable || !LINUX,
  sanitizeOps: false,
  sanitizeResources: false,
};

// Tracks: AU-05
Deno.test({
  name: "sqlite() over a libSQL client does what it does everywhere",
  ...withNode,
  fn: () => runProgram("libsql"),
});

// Tracks: AU-05
Deno.test({
  name: "sqlite() over bun:sqlite does in Bun what it does everywhere",
  ...withNode,
  fn: () => runProgram("bun", { runtime: "@oven/bun-linux-x64/bin/bun" }),
});

// Tracks: AU-05
Deno.test({
  name: "postgres() over PGlite does what it does everywhere",
  ...withNode,
  fn: () => runProgram("pglite"),
});

const bin = await findPostgres();
const does = [
  ["postgres_js", "does what it does everywhere"],
  ["pg_client", "does what it does everywhere"],
  ["neon", "does what it does everywhere"],
  ["postgres_js_lost", "does all of a batch or nothing while its connections are ended"],
] as const;
for (const [name, what] of does) {
  // Tracks: AU-05
  Deno.test({
    name: `postgres() over ${name} ${what}` +
      (bin === null ? ` [unavoidable: ${postgresHint}]` : ""),
    ...withNode,
    ignore: withNode.ignore || bin === null,
    async fn() {
      const server = await startPostgres(bin!);
      try {
        const argument = `postgres://framework@127.0.0.1:${server.port}/postgres`;
        await runProgram(name, { argument });
      } finally {
        await server.stop();
      }
    },
  });
}

// Tracks: AU-05
Deno.test({
  name: "sqlite() over the storage of a durable object does in workerd what it does everywhere",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const miniflare = new Miniflare({
      modules: true,
      script: await bundleWorker(
        new URL("../../auth/tests/object_sql_worker.ts", import.meta.url),
      ),
      compatibilityDate: "2026-07-01",
      compatibilityFlags: ["nodejs_compat"],
      durableObjects: { OBJECTS: { className: "SqlObject", useSQLite: true } },
    });
    try {
      for (const name of Object.keys(ALL_CASES)) {
        await test.step(name, async () => {
          const query = new URLSearchParams({ name });
          const response = await miniflare.dispatchFetch(`http://localhost/?${query}`);
          assert.equal(await response.text(), "passed");
        });
      }
    } finally {
      await disposeMiniflare(miniflare);
    }
  },
});

Deno.test({
  name: "the drivers' own types fit sqlite() and postgres()",
  ...withNode,
  async fn() {
    const modules = await installNpmPackages(VERSIONS);
    const folder = await Deno.makeTempDir({ prefix: "framework-types-" });
    try {
      await Deno.symlink(modules, join(folder, "node_modules"));
      await Deno.copyFile(join(DRIVERS, "types.ts"), join(folder, "types.ts"));
      const auth = (name: string) => join(repositoryRoot, "auth", `${name}.ts`);
      await Deno.writeTextFile(
        join(folder, "package.json"),
        JSON.stringify({ private: true, type: "module", dependencies: VERSIONS }),
      );
      await Deno.writeTextFile(
        join(folder, "deno.json"),
        JSON.stringify({
          nodeModulesDir: "manual",
          compilerOptions: { types: ["@types/bun"] },
          imports: {
            "@framework/auth/postgres": auth("postgres"),
            "@framework/auth/sqlite": auth("sqlite"),
          },
        }),
      );
      await run(Deno.execPath(), ["check", "--no-lock", "types.ts"], { cwd: folder });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
