import assert from "node:assert/strict";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { framework, withProject } from "../../tests/support/command_line.ts";

const page = "export default function Page() {\n  return null;\n}\n";

Deno.test("lint of an application in order is exit 0 and one line", () =>
  withProject({
    "app/layout.tsx": page,
    "app/page.tsx": page,
    "app/not-found.tsx": page,
    "app/api/route.ts": "export const session = false;\nexport const GET = () => null;\n",
    "app/_drafts/page.tsx": "export const draft = 1;\n",
    "app/auth/config.ts": "export default {};\n",
    "app/auth/providers/google.ts": "export { provider as default } from '../../provider.ts';\n",
    "app/provider.ts": "export const provider = {};\n",
    // Both are ignored: they are written by other commands.
    "dist/worker.js": "var unused = 1;\n",
    ".framework/entry.ts": "var unused = 1;\n",
  }, async (root) => {
    assert.deepEqual(await framework(root, "lint"), {
      code: 0,
      stdout: "",
      stderr: "✓ No problems (conventions and deno lint).\n",
    });
  }));

Deno.test("lint reports conventions and the linter's findings in one list, by file and place", () =>
  withProject({
    "app/page.tsx": `import styles from "./page.module.css";
export const loaders = styles;
export const GET = () => null;
export const helper = 1;
`,
    "app/lonely/layout.tsx": page,
    "app/api/route.ts": "export const get = () => null;\nexport default 1;\n",
    "app/auth/config.ts": "export const config = {};\n",
    "app/error.tsx": "export const loader = 1;\n",
    "app/middleware.ts": "export default () => null;\nvar unused = 1;\n",
    "app/cron/nightly.ts": 'export const schedule = ["0 3 * * *", "99 3 * * *"];\n',
  }, async (root) => {
    const { code, stdout, stderr } = await framework(root, "lint");
    assert.equal(code, 1);
    assert.equal(stderr, "");
    const lines = stdout.split("\n").map((line) => line.trim().replace(/ +/g, " "));
    for (
      const expected of [
        "1:1 error This file has no default export: a page is a component. missing-export",
        '2:14 error A page does not use an export named "loaders". Did you mean "loader"? unknown-export',
        "3:14 error A page exports no GET. Move it to a route.ts of another folder, or write an action. unknown-export",
        '4:14 warning A page does not use an export named "helper". unknown-export',
        "1:1 warning This layout applies to no page. unused-layout",
        '1:14 error A route does not use an export named "get". Did you mean "GET"? unknown-export',
        '2:8 warning A route does not use an export named "default". unknown-export',
        "1:1 error This file has no default export, so that its configuration would not be read. missing-export",
        "1:1 error This file has no default export: an error page is a component. missing-export",
        "1:1 error This file does not export a function named middleware. missing-export",
        '1:14 error The schedule "99 3 * * *" names "99" as its minute, which does not exist. schedule',
        "2:1 error `var` keyword is not allowed. no-var",
      ]
    ) assert.ok(lines.includes(expected), `${expected}\n${stdout}`);
    assert.match(stdout, /\n\d+ problems \(\d+ errors, 5 warnings\)\n$/);
    const files = lines.filter((line) => /^app\/\S+$/.test(line));
    assert.deepEqual(files, [...files].sort());
  }));

Deno.test("lint reports a tree that cannot be routed at the file that is in the way", () =>
  withProject({
    "app/a b/page.tsx": page,
    "app/users/[id]/page.tsx": page,
    "app/users/[name]/page.tsx": page,
  }, async (root) => {
    const { code, stdout } = await framework(root, "lint", "--format", "json");
    assert.equal(code, 1);
    const { problems } = JSON.parse(stdout);
    assert.deepEqual(
      problems.map(({ file, rule }: { file: string; rule: string }) => [file, rule]),
      [["app/a b", "route-tree"], ["app/users/[id]/page.tsx", "route-tree"]],
    );
  }));

Deno.test("lint with warnings alone is exit 0", () =>
  withProject({ "app/page.tsx": `${page}export const helper = 1;\n` }, async (root) => {
    const { code, stdout } = await framework(root, "lint");
    assert.equal(code, 0);
    assert.match(stdout, /1 problem \(1 warning\)\n$/);
  }));

Deno.test("lint --fix lets the linter correct what it can", () =>
  withProject(
    { "app/page.tsx": page, "app/a.ts": "export const fixed = window.name;\n" },
    async (root) => {
      assert.equal((await framework(root, "lint")).code, 1);
      assert.equal((await framework(root, "lint", "--fix")).code, 0);
      assert.match(
        readFileSync(join(root, "app/a.ts"), "utf8"),
        /^export const fixed = globalThis\.name;/,
      );
    },
  ));

/** A stand-in that writes down its arguments and answers as the real linter does. */
function standIn(name: string, answer: string, code: number): Record<string, string> {
  const bin = name.split("/").at(-1);
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify({
      name,
      type: "module",
      bin: { [bin === "biome" ? "biome" : bin!]: "./bin.js" },
    }),
    [`node_modules/${name}/bin.js`]: `import { writeFileSync } from "node:fs";
writeFileSync("arguments.json", JSON.stringify(process.argv.slice(2)));
console.log(${JSON.stringify(answer)});
console.error("a word on stderr");
process.exitCode = ${code};
`,
  };
}

const eslintAnswer = JSON.stringify([{
  filePath: "app/page.tsx",
  messages: [{ ruleId: "r", severity: 1, message: "m", line: 1, column: 1 }],
}]);

Deno.test.each([
  ["eslint", { "eslint.config.js": "" }, eslintAnswer, [
    ".",
    "--format",
    "json",
    "--ignore-pattern",
    "dist/",
    "--ignore-pattern",
    ".framework/",
    "--ignore-pattern",
    ".wrangler/",
    "--fix",
  ]],
  ["@biomejs/biome", { "biome.json": "{}" }, '{"diagnostics":[]}', [
    "lint",
    "--reporter=json",
    "--max-diagnostics=none",
    "--write",
    "app",
    "biome.json",
  ]],
  ["oxlint", { "package.json": '{"devDependencies":{"oxlint":"1"}}' }, '{"diagnostics":[]}', [
    "--format",
    "json",
    "--ignore-pattern",
    "dist/",
    "--ignore-pattern",
    ".framework/",
    "--ignore-pattern",
    ".wrangler/",
    "--ignore-pattern",
    "node_modules/",
    "--fix",
  ]],
])("lint runs the project's %s", (name, files, answer, expected) =>
  withProject(
    { "app/page.tsx": page, ...(files as Record<string, string>), ...standIn(name, answer, 0) },
    async (root) => {
      const { code, stderr } = await framework(root, "lint", "--fix", "--format=json");
      assert.equal(code, 0, stderr);
      const given = JSON.parse(readFileSync(join(root, "arguments.json"), "utf8"));
      assert.deepEqual(given, expected);
    },
  ));

Deno.test("lint is exit 2 when the linter cannot do its work, and shows what it said", () =>
  withProject({
    "app/page.tsx": "export const nothing = 1;\n",
    "eslint.config.js": "",
    ...standIn("eslint", "Oops!", 2),
  }, async (root) => {
    const { code, stdout, stderr } = await framework(root, "lint");
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^error: eslint failed \(exit code 2\)\.\na word on stderr/,
    );
    assert.match(stdout, /missing-export/);
    const json = await framework(root, "lint", "--format", "json");
    assert.equal(JSON.parse(json.stdout).error.code, "config");
  }));

Deno.test("lint is exit 2 with the command that installs a linter that is configured only", () =>
  withProject(
    { "app/page.tsx": page, "biome.json": "{}", "package-lock.json": "" },
    async (root) => {
      const { code, stderr } = await framework(root, "lint");
      assert.equal(code, 2);
      assert.equal(
        stderr,
        "error: The package @biomejs/biome is not installed in this project.\n" +
          "hint: Run `npm install -D @biomejs/biome`.\n",
      );
    },
  ));

// Tracks: F45
Deno.test("lint ends in a folder of loops, byte order marks and texts that cannot be read", () =>
  withProject({ "app/page.tsx": `\ufeff${page.replaceAll("\n", "\r\n")}` }, async (root) => {
    symlinkSync(join(root, "app"), join(root, "app", "_loop"));
    writeFileSync(join(root, "app", "nested.ts"), "`${".repeat(30));
    const { code, stdout } = await framework(root, "lint", "--format", "json");
    assert.equal(code, 1);
    const { problems } = JSON.parse(stdout);
    assert.deepEqual(
      problems.map(({ file, rule }: { file: string; rule: string }) => [file, rule]),
      [["app/nested.ts", null]],
    );
  }));
