/** `framework typecheck` of the starter with each generation of TypeScript that is supported, as npm installs it. */
import assert from "node:assert/strict";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { capture, type Finished, run } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { startChild } from "../support/child.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { createStarter, type Starter } from "../support/starter.ts";
import { newest, replaceTypescript } from "./other_typescript.ts";

// lone_node_test.ts and lone_deno_test.ts have the starter's own, and packages/types_test.ts the oldest.
const versions = inMatrix ? [newest, "6.0.3", "5.9.3"] : [newest];

/** Leaves nothing but what is tried here, and the pages that it links to: generate_test.ts has the starter's own files read. */
async function keepProbe({ root }: Starter): Promise<void> {
  const app = join(root, "app");
  for (const { name } of Deno.readDirSync(app)) {
    if (name !== "probe") await rm(join(app, name), { recursive: true });
  }
  await rm(join(root, "tests"), { recursive: true });
  await mkdir(join(app, "contact"));
  for (const folder of ["", "contact"]) {
    await writeFile(join(app, folder, "page.tsx"), "export default () => null;\n");
  }
}

/**
 * Renames a folder: an editor sees it before any command runs, `typecheck` names every file, and the
 * types know the new name.
 */
async function renameFolder({ root, framework }: Starter): Promise<void> {
  const [before, after] = ["[id]", "[name]"].map((name) => join(root, "app/probe/(group)", name));
  await rename(before!, after!);
  // An editor lets imports follow, but no text.
  const client = join(root, "app/probe/_api.ts");
  const source = await readFile(client, "utf8");
  await writeFile(client, source.replace("/(group)/[id]/", "/(group)/[name]/"));
  const editor = await capture(join(root, "node_modules/typescript/bin/tsc"), ["--noEmit"], {
    cwd: root,
  });
  assert.match(editor.stdout, /TS2307: Cannot find module '[^']*\/\[id\]\/page\.tsx'/);
  const { code, stdout } = await framework("typecheck");
  assert.equal(code, 1);
  assert.match(
    stdout,
    /\[name\]\/page\.tsx\(\d+,\d+\): error TS2344: .*"\/probe\/\(group\)\/\[id\]"/,
  );
  assert.match(stdout, /\[name\]\/page\.tsx\(\d+,\d+\): error TS2345: .*"\/probe\/\[id\]"/);
  assert.match(
    stdout,
    /probe\/_api\.ts\(5,36\): error TS2344: [^]*'"\/probe\/\[id\]\/\[\.\.\.rest\]"'/,
  );
  assert.match(
    stdout,
    /app\.ts\(\d+,\d+\): error TS2344: .*PageFile<"\/probe\/\(group\)\/\[name\]">/,
  );
  await rename(after!, before!);
  await writeFile(client, source);
}

async function onNode({ root }: Starter, ...args: string[]): Promise<Finished> {
  const nodes = await findNodes();
  const main = join(root, "node_modules/@framework/cli/main.js");
  return await capture(nodes.newest, [main, ...args], { cwd: root });
}

Deno.test("typecheck works with TypeScript itself", async (t) => {
  const starter = await createStarter();
  const { root } = starter;
  const config = join(root, "tsconfig.json");
  const strict = await readFile(config, "utf8");
  // Where only the checker's answer counts, it reads one file and not the application with all its packages.
  const { compilerOptions } = JSON.parse(strict);
  const small = JSON.stringify({
    compilerOptions: { ...compilerOptions, lib: ["es2024"], types: [] },
    files: ["app/_count.ts"],
  });
  const lax = small.replace('"strict":true', '"strict":true,"noImplicitAny":false');
  assert.notEqual(lax, small);
  const page = join(root, "app/_count.ts");
  const right = "export const count: number = 1;\n";
  const wrong = 'export const count: number = "text";\n';
  // What must compile, and what must not: each `@ts-expect-error` without an error is one.
  const typed = join(repositoryRoot, "tests/cli/typed");
  await run("cp", ["-R", join(typed, "probe"), join(root, "app/probe")]);
  await run("cp", ["-R", `${join(typed, "migrations")}/.`, join(root, "migrations")]);
  try {
    await starter.framework("types");
    if (!inMatrix) await keepProbe(starter);
    // The TypeScript in Deno is between those below.
    if (inMatrix) {
      await t.step("deno check", async () => {
        const files = [
          "layout.tsx",
          "(group)/layout.tsx",
          "(group)/[id]/page.tsx",
          "(group)/[id]/error.tsx",
          "list/page.tsx",
          "columns/route.ts",
          "_components/events.tsx",
          "_api.ts",
        ];
        const args = ["check", "-q", ...files.map((file) => `app/probe/${file}`)];
        const { code, stderr } = await capture(Deno.execPath(), args, { cwd: root });
        assert.equal(code, 0, stderr);
      });
    }
    for (const version of versions) {
      await t.step(version, async () => {
        await replaceTypescript(root, version);
        await rm(join(root, ".framework"), { recursive: true, force: true });
        const good = await starter.framework("typecheck");
        assert.deepEqual([good.code, good.stdout, good.stderr], [0, "", "✓ No type errors\n"]);
        const types = await readFile(join(root, ".framework/types/app.ts"), "utf8");
        assert.match(types, /^ {2}DB: /m, "the types of the bindings are written before");

        if (version === newest) await renameFolder(starter);
        await writeFile(config, small);
        await writeFile(page, wrong);
        const bad = await starter.framework("typecheck");
        assert.equal(bad.code, 1, bad.stderr);
        assert.match(bad.stdout, /^app\/_count\.ts\(1,14\): error TS2322: /m);
        if (nodeIsAvailable) {
          const same = await onNode(starter, "typecheck");
          assert.deepEqual([same.code, same.stdout], [1, bad.stdout], same.stderr);
        }

        await writeFile(page, "export const twice = (value) => value;\n");
        await writeFile(config, lax);
        const allowed = await starter.framework("typecheck");
        assert.equal(allowed.code, 0, allowed.stdout);
        const again = await starter.framework("typecheck", "--strict");
        assert.equal(again.code, 1, again.stderr);
        assert.match(again.stdout, /error TS7006/);
      });
      await writeFile(config, small);
      await writeFile(page, right);

      await t.step(`${version} --watch`, async () => {
        const main = join(root, "node_modules/@framework/cli/main.js");
        const child = startChild(Deno.execPath(), ["run", "-A", main, "typecheck", "--watch"], {
          cwd: root,
        });
        await child.waitFor(/Found 0 errors/);
        await writeFile(page, wrong);
        await child.waitFor(/app\/_count\.ts.*TS2322[\s\S]*Found 1 error/);
        await writeFile(page, right);
        await child.waitFor(/Found 1 error[\s\S]*Found 0 errors/);
        assert.equal(await child.stop(), 130);
        await rm(page);
        await writeFile(config, strict);
      });
    }
  } finally {
    await starter.remove();
  }
});
