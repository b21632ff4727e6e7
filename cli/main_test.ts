import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { permissions } from "../scripts/compile_permissions.ts";
import { runCli } from "./main.ts";
import { findEsbuildBinary } from "./tools/packages.ts";
import { VERSION } from "./version.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

interface Transcript {
  code: number;
  stdout: string;
  stderr: string;
}

function framework(
  args: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Transcript {
  const { code, stdout, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["run", ...permissions, main, ...args],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { NO_COLOR: "1", ...options.env },
  }).outputSync();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "framework-main-")));
  try {
    await test(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

Deno.test("framework --help shows the commands on stdout", () => {
  const expected = `framework ${VERSION}: full-stack applications for edge workers

Usage: framework <command> [options]

Commands:
  init         Create a new application
  dev          Serve the application and reload it when a file changes
  build        Build for production: the worker, or a server
  deploy       Build the worker and deploy it with wrangler
  generate     Create pages, routes, queues, migrations, accounts, CI or container files
  routes       List the routes in match order
  openapi      Describe the endpoints of accounts and sign-in for clients in other languages
  types        Write the types of folders, tables and bindings, for an editor
  typecheck    Check the application's types
  lint         Check the framework's conventions and run the project's linter
  test         Run the application's tests
  migrate      Create and apply database migrations
  seed         Write the data of an environment to the database
  secret       Generate a secret and write it to .dev.vars
  doctor       Check the project and say what to fix
  completions  Print the completion script of a shell

Options:
  -c, --config <file>  Configuration file (default: framework.config.ts), in the project or a folder of it
      --cwd <folder>   Work in this folder (default: the current one)
  -h, --help           Show this help
  -v, --version        Show the version
      --verbose        Show more, including the stack trace of an error
  -q, --quiet          Show only problems and results

Run \`framework <command> --help\` for the options of a command.
`;
  assert.deepEqual(framework(["--help"]), { code: 0, stdout: expected, stderr: "" });
});

Deno.test("framework migrate up --help shows usage and options", () => {
  const expected = `Apply all pending migrations.

Usage: framework migrate up [options]

Options:
      --local          Use the local database (the default)
      --remote         Use the platform's database, through wrangler
      --steps <count>  Maximum number of migrations to apply (default: all)
      --dry-run        Print the SQL that would run, without changing anything
      --json           Print the result as JSON

Global options:
  -c, --config <file>  Configuration file (default: framework.config.ts), in the project or a folder of it
      --cwd <folder>   Work in this folder (default: the current one)
  -h, --help           Show this help
  -v, --version        Show the version
      --verbose        Show more, including the stack trace of an error
  -q, --quiet          Show only problems and results

Examples:
  framework migrate up
  framework migrate up --remote --dry-run
`;
  assert.deepEqual(framework(["migrate", "up", "--help"]), {
    code: 0,
    stdout: expected,
    stderr: "",
  });
});

Deno.test("framework --version is one line on stdout", () => {
  assert.deepEqual(framework(["-v"]), { code: 0, stdout: `${VERSION}\n`, stderr: "" });
});

Deno.test("framework with an unknown command is exit 1 and suggests", () => {
  assert.deepEqual(framework(["biuld"]), {
    code: 1,
    stdout: "",
    stderr: 'error: Unknown command "biuld". Did you mean "build"?\n' +
      "hint: Run `framework --help` to see the commands.\n",
  });
});

Deno.test("framework with an unknown option is exit 1 and suggests", () => {
  assert.deepEqual(framework(["migrate", "up", "--locla"]), {
    code: 1,
    stdout: "",
    stderr: 'error: Unknown option "--locla". Did you mean "--local"?\n' +
      "hint: Run `framework migrate up --help` to see what it accepts.\n",
  });
});

Deno.test.each([
  [["migrate", "up", "--no-local"], 'Unknown option "--no-local".'],
  [["migrate", "latest"], 'Unknown command "migrate latest".'],
  [["deploy", "staging"], 'Unexpected argument "staging".'],
  [["init", "x", "--force"], 'Unknown option "--force".'],
])("framework %o does not exist", async (argv, message) => {
  let stderr = "";
  const code = await runCli(argv, { stderr: { write: (text) => stderr += text } });
  assert.equal(code, 1);
  assert.equal(stderr.split("\n")[0], `error: ${message}`);
});

Deno.test("framework colours stderr only when forced, for it is no terminal here", () => {
  const plain = framework(["biuld"], { env: { NO_COLOR: "" } });
  assert.equal(plain.stderr.includes("\x1b"), false);
  const forced = framework(["biuld"], { env: { NO_COLOR: "", FORCE_COLOR: "1" } });
  assert.ok(forced.stderr.startsWith("\x1b[31m\x1b[1merror:\x1b[22m\x1b[39m Unknown"));
});

Deno.test("framework init, migrate create, up and status on a new application", () =>
  withFolder(async (folder) => {
    const init = framework(["init", "My App"], { cwd: folder });
    assert.equal(init.code, 0);
    assert.equal(init.stdout, "");
    assert.match(
      init.stderr,
      /^✓ Created my-app: \d+ files in .*\/My App\n(?:✓ Created a git repository\n)?\nNext:\n {2}cd 'My App'\n {2}deno install\n/,
    );
    const cwd = join(folder, "My App");
    assert.deepEqual((await readdir(folder)).sort(), ["My App"]);
    assert.match(await readFile(join(cwd, ".dev.vars"), "utf8"), /^AUTH_SECRET=[0-9a-f]{64}$/m);
    await rm(join(cwd, "framework.config.ts"));

    const create = framework(["migrate", "create", "Add Posts"], { cwd });
    const name = /Created migrations\/(\d{4}_add_posts\.sql)\n/.exec(create.stderr)?.[1] ?? "";
    assert.deepEqual(create, {
      code: 0,
      stdout: "",
      stderr: `✓ Created migrations/${name}\n✓ Created migrations/down/${name}\n`,
    });
    const before = framework(["migrate", "status"], { cwd });
    assert.equal(before.code, 0);
    assert.match(before.stdout, new RegExp(`^${name} +pending$`, "m"));
    assert.match(before.stderr, /^\d+ pending\. Run `framework migrate up` to apply\.\n$/);

    await writeFile(join(cwd, "migrations", name), "CREATE TABLE posts (title TEXT);\n");
    const others = (await readdir(join(cwd, "migrations"))).filter((file) =>
      file.endsWith(".sql") && file !== name
    );
    await Promise.all(others.map((file) => rm(join(cwd, "migrations", file))));
    assert.deepEqual(framework(["migrate", "up"], { cwd }), {
      code: 0,
      stdout: "",
      stderr: `✓ Applied ${name}\n`,
    });
    assert.deepEqual(framework(["migrate", "up", "--local"], { cwd }), {
      code: 0,
      stdout: "",
      stderr: "Nothing to do: all migrations have been applied.\n",
    });
    const after = framework(["migrate", "status"], { cwd });
    assert.match(
      after.stdout,
      new RegExp(`^${name}  applied  \\d{4}-\\d\\d-\\d\\d [\\d:]+ UTC\n$`),
    );
    assert.equal(after.stderr, "");

    await writeFile(join(cwd, "migrations", name), "CREATE TABLE posts (body TEXT);\n");
    assert.deepEqual(framework(["migrate", "up"], { cwd }), {
      code: 1,
      stdout: "",
      stderr: `error: ${name} was changed after it was applied.\n` +
        "hint: Restore the file and put the change into a new migration. Or recreate the local database " +
        "without its data: `framework migrate reset --local --force`, then `framework migrate up`.\n",
    });
    assert.match(framework(["migrate", "status"], { cwd }).stdout, / {2}changed {2}/);

    const again = framework(["init", "My App"], { cwd: folder });
    assert.equal(again.code, 1);
    assert.match(again.stderr, /^error: .*\/My App is not empty: it holds .*\nhint: Name a new or/);
  }));

Deno.test("framework init --name names the application, or refuses what cannot be a name", () =>
  withFolder(async (folder) => {
    const refused = framework(["init", "x", "--name", "My App"], { cwd: folder });
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /^error: "My App" cannot be used as the name of an application\.\nhint: /,
    );
    assert.deepEqual(await readdir(folder), []);
    assert.equal(framework(["init", "x", "--name", "my-app"], { cwd: folder }).code, 0);
    const manifest = await readFile(join(folder, "x", "package.json"), "utf8");
    assert.equal(JSON.parse(manifest).name, "my-app");
  }));

Deno.test("framework migrate up says where the SQL is wrong", () =>
  withFolder(async (folder) => {
    await writeFile(
      join(folder, "wrangler.jsonc"),
      JSON.stringify({
        name: "app",
        compatibility_date: "2026-07-01",
        compatibility_flags: ["nodejs_compat"],
        d1_databases: [{ binding: "DB" }],
      }),
    );
    await mkdir(join(folder, "migrations"));
    await writeFile(join(folder, "migrations", "0001_a.sql"), "SELECT 1;\nCRATE TABLE a (x);\n");
    assert.deepEqual(framework(["migrate", "up"], { cwd: folder }), {
      code: 1,
      stdout: "",
      stderr: 'error: 0001_a.sql:2: near "CRATE": syntax error (statement 2 of 2)\n' +
        "  2 | CRATE TABLE a (x);\n" +
        "hint: Nothing of this file was applied. Correct it and run the command again.\n",
    });
  }));

Deno.test("framework without a project, as in a folder of one, is exit 2 and writes nothing", () =>
  withFolder(async (folder) => {
    for (const args of [["migrate", "status"], ["types"], ["typecheck"], ["test"]]) {
      assert.deepEqual(framework(args, { cwd: folder }), {
        code: 2,
        stdout: "",
        stderr: "error: wrangler.jsonc, the platform's file, cannot be read.\n" +
          "hint: Run the command in the folder that contains wrangler.jsonc, or create a new application " +
          "with `framework init <dir>`.\n",
      });
    }
    assert.deepEqual(await readdir(folder), []);
  }));

// Tracks: R158
Deno.test("framework migrate create refuses names that would leave the folder", () =>
  withFolder(async (folder) => {
    for (const name of ["../../x", "a;b", "größe", "x".repeat(300)]) {
      assert.equal(framework(["migrate", "create", name], { cwd: folder }).code, 1);
    }
    assert.deepEqual(await readdir(folder), []);
  }));

function nodeOnPath(): string | undefined {
  const { status, stdout } = spawnSync("node", ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

const node = nodeOnPath();
const oldNode = node !== undefined && /^v(1\d|20|21)\./.test(node);

Deno.test({
  name: `framework as npm bin on an old Node (found: ${node}) is exit 2 and names both ways out`,
  ignore: !oldNode,
  fn: () =>
    withFolder(async (folder) => {
      const bundle = spawnSync(findEsbuildBinary(dirname(main)), [
        main,
        "--bundle",
        "--splitting",
        "--format=esm",
        "--platform=node",
        "--packages=external",
        `--outdir=${join(folder, "dist")}`,
        "--out-extension:.js=.mjs",
      ]);
      assert.equal(bundle.status, 0, String(bundle.stderr));
      await symlink(join(folder, "dist", "main.mjs"), join(folder, "framework"));
      const { status, stderr } = spawnSync("node", [join(folder, "framework"), "dev"], {
        encoding: "utf8",
        env: { PATH: Deno.env.get("PATH") ?? "", NO_COLOR: "1" },
      });
      assert.equal(status, 2);
      assert.match(stderr, /^error: framework needs Node 22\.13 or newer, or Deno; this is Node /);
      assert.match(
        stderr,
        /^hint: Install Node 22\.13 or newer, or run `npx -y deno@2\.9\.6 run -A/m,
      );
    }),
});
