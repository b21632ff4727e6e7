import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installLocked } from "./install.ts";
import { exists } from "./workspace.ts";

/** Writes a configuration that leaves the installation to somebody else, as this repository has one. */
async function configure(root: string, imports: Record<string, string>, lock: object) {
  const settings = { path: "./deno.lock", frozen: true };
  const config = { nodeModulesDir: "manual", imports, lock: settings };
  await writeFile(join(root, "deno.json"), JSON.stringify(config));
  await writeFile(join(root, "deno.lock"), JSON.stringify(lock));
}

async function project(imports: Record<string, string>, lock: object) {
  const root = await mkdtemp(join(tmpdir(), "install-"));
  await configure(root, imports, lock);
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}

const JOSE = "npm:jose@6.2.17";
const POSTAL_MIME = "npm:postal-mime@4.0.0";

/** A lock of packages that depend on none, as this repository's has them. */
async function lockOf(specifiers: string[]): Promise<object> {
  const all = JSON.parse(await Deno.readTextFile(new URL("../deno.lock", import.meta.url)));
  const names = specifiers.map((specifier) => specifier.replace("npm:", ""));
  return {
    version: all.version,
    specifiers: Object.fromEntries(specifiers.map((each) => [each, all.specifiers[each]])),
    npm: Object.fromEntries(names.map((name) => [name, all.npm[name]])),
    workspace: { dependencies: specifiers },
  };
}

Deno.test("installLocked() installs what the lock lists, once, and again when the lock is another", async () => {
  await using made = await project({ jose: JOSE }, await lockOf([JOSE]));
  const installed = (name: string) => exists(join(made.root, "node_modules", name, "package.json"));
  assert.equal(await installLocked(made.root), true);
  assert.equal(await installed("jose"), true);
  assert.equal(await installLocked(made.root), false);

  await configure(
    made.root,
    { jose: JOSE, "postal-mime": POSTAL_MIME },
    await lockOf([JOSE, POSTAL_MIME]),
  );
  assert.equal(await installLocked(made.root), true);
  assert.equal(await installed("postal-mime"), true);

  await rm(join(made.root, "node_modules"), { recursive: true });
  assert.equal(await installLocked(made.root), true);
  assert.equal(await installed("jose"), true);
});

Deno.test("installLocked() refuses a lock that does not fit, and tries again the next time", async () => {
  await using made = await project({ jose: JOSE }, { version: "5" });
  await mkdir(join(made.root, "node_modules"));
  await assert.rejects(installLocked(made.root), /"deno install --frozen" ended with exit code 1/);
  await assert.rejects(installLocked(made.root), /ended with exit code 1/);
});
