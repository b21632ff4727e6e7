import assert from "node:assert/strict";
import { inMatrix } from "../support/matrix.ts";
import { createStarter } from "../support/starter.ts";

/** The full template is the subject of the tests of the starter. */
for (const template of inMatrix ? ["bare", "api"] : ["bare"]) {
  Deno.test(`the template ${template} type-checks, lints, passes its tests and builds`, async () => {
    const starter = await createStarter(template);
    try {
      const files = [...Deno.readDirSync(starter.root)].map(({ name }) => name);
      assert.ok(files.includes(".vscode") && files.includes("AGENTS.md"));
      for (const command of ["typecheck", "lint", "test", "build"]) {
        const { code, stdout, stderr } = await starter.framework(command);
        assert.equal(code, 0, `${command}\n${stdout}${stderr}`);
      }
      const doctor = await starter.framework("doctor");
      assert.doesNotMatch(doctor.stdout, /^✗/m);
      if (template !== "api") return;
      assert.equal((await starter.framework("migrate", "up")).code, 0);
      const seed = await starter.framework("seed");
      assert.deepEqual(
        [seed.code, seed.stderr],
        [0, "✓ Wrote seeds/development.ts to the local database\n"],
      );
    } finally {
      await starter.remove();
    }
  });
}
