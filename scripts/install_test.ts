import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installLocked } from "./install.ts";
import { exists } from "./workspace.ts";

/** Makes a folder with a configuration that installs by hand, as this repository has one. */
async function project(imports: Record<string, string>, lock: object) {
  const root = await mkdtemp(join(tmpdir(), "install-"));
  const lockSettings = { path: "./deno.lock", frozen: true };
  await writeFile(
    join(root, "deno.json"),
    JSON.stringify({ nodeModulesDir: "manual", imports, lock: lockSettings }),
  );
  await writeFile(join(root, "deno.lock"), JSON.stringify(lock));
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}

const JOSE = "npm:jose@6.2.17";

/** The lock with the one package, as this repository's has it. */
async function lockOfJose(): Promise<object> {
  const lock = JSON.parse(await Deno.readTextFile(new URL("../deno.lock", import.meta.url)));
  return {
    version: lock.version,
    specifiers: { [JOSE]: lock.specifiers[JOSE] },
    npm: { "jose@6.2.17": lock.npm["jose@6.2.17"] },
    workspace: { dependencies: [JOSE] },
  };
}

Deno.test("installLocked() installs what the lock lists, once, and again when the lock is another", async () => {
  const lock = await lockOfJose();
  await using made = await project({ jose: JOSE }, lock);
  const manifest = join(made.root, "node_modules", "jose", "package.json");
  assert.equal(await installLocked(made.root), true);
  assert.equal(await exists(manifest), true);
  assert.equal(await installLocked(made.root), false);

  await rm(join(made.root, "node_modules", "jose"), { recursive: true });
  await writeFile(join(made.root, "deno.lock"), JSON.stringify(lock, null, 1));
  assert.equal(await installLocked(made.root), true);
  assert.equal(await exists(manifest), true);

  await rm(join(made.root, "node_modules"), { recursive: true });
  assert.equal(await installLocked(made.root), true);
  assert.equal(await exists(manifest), true);
});

Deno.test("installLocked() refuses a lock that does not fit, and tries again the next time", async () => {
  await using made = await project({ jose: JOSE }, { version: "5" });
  await mkdir(join(made.root, "node_modules"));
  await assert.rejects(installLocked(made.root), /"deno install --frozen" ended with exit code 1/);
  await assert.rejects(installLocked(made.root), /ended with exit code 1/);
});
