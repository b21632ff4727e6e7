/** `framework lint` with the linters themselves, each in a project that configures it as its users do. */
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildPackages } from "../../scripts/npm.ts";
import { capture, type Finished } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { framework, withProject } from "../support/command_line.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { linkFolder, linkNpmPackages } from "../support/npm_packages.ts";

// Node loads the packed program in half the time that it needs for the sources.
const main = join(repositoryRoot, "npm", "cli", "main.js");

Deno.test.beforeAll(async () => {
  await buildPackages({ gate: false });
});

interface Linter {
  name: string;
  versions: Record<string, string>;
  files: Record<string, string>;
  /** Findings in `app/page.tsx`: severity, line and rule. */
  finds: [string, number, string][];
  /** A configuration that it cannot read. */
  broken: Record<string, string>;
}

const page = `export const helper = 1;
export default function Page() {
  let text = "a";
  debugger;
  return <p>{text}</p>;
}
`;
const fixed = page.replace("let text", "const text");

const linters: Linter[] = [
  {
    name: "eslint",
    versions: { eslint: "10.15.0", "typescript-eslint": "8.73.0", typescript: "6.0.3" },
    files: {
      "eslint.config.js": `import { defineConfig } from "eslint/config";
import typescript from "typescript-eslint";
export default defineConfig(typescript.configs.recommended, {
  rules: { "no-debugger": "warn" },
});
`,
    },
    finds: [["error", 3, "prefer-const"], ["warning", 4, "no-debugger"]],
    broken: { "eslint.config.js": "export default [{ rules: { nowhere: 3 } }];\n" },
  },
  {
    name: "biome",
    versions: { "@biomejs/biome": "2.6.8" },
    files: {
      "biome.json": JSON.stringify({
        linter: { rules: { style: { useConst: "error" }, suspicious: { noDebugger: "warn" } } },
      }),
    },
    finds: [
      ["error", 3, "lint/style/useConst"],
      ["warning", 4, "lint/suspicious/noDebugger"],
    ],
    broken: { "biome.json": '{ "linter": { "rules": 1 } }' },
  },
  {
    name: "oxlint",
    versions: { oxlint: "1.94.0" },
    files: {
      ".oxlintrc.json": JSON.stringify({
        rules: { "prefer-const": "error", "no-debugger": "warn" },
      }),
    },
    finds: [["error", 3, "eslint(prefer-const)"], ["warning", 4, "eslint(no-debugger)"]],
    broken: { ".oxlintrc.json": "{ rules" },
  },
];

/** Files that other commands write, which nobody should lint, let alone fix. */
const generated = [
  "dist/worker.js",
  "dist/part/more.js",
  ".framework/entry.tsx",
  ".wrangler/tmp/worker.js",
];

interface Problem {
  file: string;
  line: number;
  severity: string;
  rule: string | null;
  message: string;
  tool: string;
}

/** Writes the project as it was at first. */
async function reset(root: string, files: Linter["files"]): Promise<void> {
  const all = {
    "package.json": JSON.stringify({ private: true, type: "module" }),
    "app/page.tsx": page,
    ...Object.fromEntries(generated.map((path) => [path, page])),
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

async function runOnNode(root: string, ...args: string[]): Promise<Finished> {
  const { newest } = await findNodes();
  return await capture(newest, [main, ...args], {
    cwd: root,
    env: { NO_COLOR: "1", PATH: `${dirname(newest)}:${Deno.env.get("PATH")}` },
  });
}

for (const { name, versions, files, finds, broken } of linters) {
  Deno.test(`lint works with ${name} itself`, (t) =>
    withProject({}, async (root) => {
      // No symbolic link: a runtime asks the folder where a program really lies what kind of project it is in.
      await linkFolder(await linkNpmPackages(versions), join(root, "node_modules"));
      let asJson = "";
      const step = (what: string, check: () => Promise<void>): Promise<boolean> =>
        t.step(what, async () => {
          await reset(root, files);
          await check();
        });

      await step("and says what it finds", async () => {
        const found = await framework(root, "lint", "--format", "json");
        assert.equal(found.code, 1, found.stderr);
        asJson = found.stdout;
        const { linter, problems } = JSON.parse(asJson) as { linter: string; problems: Problem[] };
        assert.equal(linter, name);
        const expected = finds.map((each) => [...each, name]);
        assert.deepEqual(
          problems.map((
            { severity, line, rule, file, tool },
          ) => [severity, line, rule, file, tool]),
          [["warning", 1, "unknown-export", "framework"], ...expected]
            .map(([severity, line, rule, tool]) => [severity, line, rule, "app/page.tsx", tool]),
        );
        // Formats are made of the problems, which are alike whoever finds them; this linter is the quickest.
        if (name === "oxlint") await sayInEveryFormat(root, problems);
      });
      // The rest is the framework's own, whoever the linter is, of which one on each push is enough.
      if (name !== "oxlint" && !inMatrix) return;
      await step("which corrects the application, and nothing that is generated", async () => {
        const { code, stdout, stderr } = await framework(root, "lint", "--fix");
        assert.equal(code, 0, stdout + stderr);
        assert.equal(await readFile(join(root, "app/page.tsx"), "utf8"), fixed);
        assert.match(stdout, /\n2 problems \(2 warnings\)\n$/);
        for (const path of generated) {
          assert.equal(await readFile(join(root, path), "utf8"), page, path);
        }
      });
      await step("which tells the place of what it cannot parse", async () => {
        await writeFile(join(root, "app/page.tsx"), "export default function Page() {\n  (\n");
        const { code, stdout, stderr } = await framework(root, "lint", "--format", "json");
        assert.equal(code, 1, stderr);
        const { problems } = JSON.parse(stdout) as { problems: Problem[] };
        const found = problems.filter(({ tool }) => tool === name);
        assert.ok(found.length > 0, stdout);
        for (const { file, severity, line } of found) {
          assert.deepEqual([file, severity], ["app/page.tsx", "error"]);
          assert.ok(line >= 2, stdout);
        }
      });
      await step("which says why it cannot read its configuration", async () => {
        await reset(root, broken);
        const { code, stderr } = await framework(root, "lint");
        assert.equal(code, 2, stderr);
        assert.match(
          stderr,
          new RegExp(`^error: ${name} failed \\(exit code \\d+\\)\\.\\n.*\\w`),
        );
        assert.match(stderr, /\nhint: /);
      });
      if (!nodeIsAvailable) return;
      await step("on Node as on Deno", async () => {
        const { code, stdout, stderr } = await runOnNode(root, "lint", "--format", "json");
        assert.equal(code, 1, stderr);
        assert.deepEqual(JSON.parse(stdout), JSON.parse(asJson));
      });
    }));
}

async function sayInEveryFormat(root: string, problems: readonly Problem[]): Promise<void> {
  const stylish = await framework(root, "lint");
  assert.equal(stylish.code, 1);
  assert.match(stylish.stdout, /^app\/page\.tsx\n {2}1:14 +warning /);
  assert.match(stylish.stdout, /\n3 problems \(1 error, 2 warnings\)\n$/);
  for (const { message, rule } of problems) {
    assert.ok(stylish.stdout.includes(`${message}  ${rule}\n`), stylish.stdout);
  }

  const github = await framework(root, "lint", "--format", "github");
  assert.deepEqual(
    github.stdout.trimEnd().split("\n")
      .map((line) => /^::(\w+) file=app\/page\.tsx,line=(\d+),col=\d+,title=/.exec(line))
      .map((match) => [match?.[1], Number(match?.[2])]),
    problems.map(({ severity, line }) => [severity, line]),
  );

  const junit = await framework(root, "lint", "--format", "junit");
  assert.match(junit.stdout, /^<\?xml[^>]*\?>\n<testsuites [^>]* failures="3">/);
  assert.equal(junit.stdout.match(/<failure /g)?.length, 3);

  const { runs } = JSON.parse((await framework(root, "lint", "--format", "sarif")).stdout) as {
    runs: { tool: { driver: { name: string } }; results: { ruleId: string }[] }[];
  };
  assert.deepEqual(
    runs.flatMap(({ tool, results }) => results.map(({ ruleId }) => [tool.driver.name, ruleId])),
    problems.map(({ tool, rule }) => [tool, rule]),
  );
}

// Tracks: AB-02, SP-W5
Deno.test({
  name: "without a linter and without Deno the conventions are checked, which lint and doctor say",
  ignore: !nodeIsAvailable,
  fn: () =>
    withProject({ "package-lock.json": "", "app/page.tsx": page }, async (root) => {
      const { newest } = await findNodes();
      const alone = (...args: string[]) =>
        capture(newest, [main, ...args], { cwd: root, env: { NO_COLOR: "1", PATH: root } });
      const warned = await alone("lint");
      assert.equal(warned.code, 0, warned.stderr);
      assert.match(warned.stdout, /unknown-export/);
      assert.match(
        warned.stderr,
        /^warning: This project has no linter, so only the framework's conventions were checked\.\nRun `npm install -D oxlint`/,
      );
      const json = await alone("lint", "--format", "json");
      assert.equal(json.code, 0, json.stderr);
      assert.equal(JSON.parse(json.stdout).linter, null);
      if (inMatrix) {
        const sarif = await alone("lint", "--format", "sarif");
        assert.equal(JSON.parse(sarif.stdout).runs.length, 1);
      }
      const clean = page.replace("export const helper = 1;\n", "");
      await writeFile(join(root, "app/page.tsx"), clean);
      assert.match((await alone("lint")).stderr, /✓ No problems \(conventions\)\.\n$/);
      await writeFile(join(root, "app/page.tsx"), "export const nothing = 1;\n");
      assert.equal((await alone("lint")).code, 1, "an error of the conventions still counts");

      const doctor = await alone("doctor");
      assert.match(
        doctor.stdout,
        /^! linter +none: framework lint checks only the framework's conventions\n +Run `npm install -D oxlint`\.$/m,
      );
      await writeFile(join(root, "package.json"), '{ "devDependencies": { "oxlint": "1" } }');
      assert.match(
        (await alone("doctor")).stdout,
        /^! linter +oxlint is not installed\n +Run `npm install`\.$/m,
      );
    }),
});
