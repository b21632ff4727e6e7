import assert from "node:assert/strict";
import { join } from "node:path";
import { capture } from "../../scripts/run_command.ts";
import { framework } from "../support/command_line.ts";
import { inMatrix } from "../support/matrix.ts";
import { createStarter } from "../support/starter.ts";
import { newest, replaceTypescript } from "./other_typescript.ts";

// The bundler's own process ends a moment after what it was started for.
Deno.test.sanitizer({ ops: false, resources: false });

/** The full template is the subject of the tests of the starter. */
for (const template of ["bare", "api"]) {
  Deno.test(`the template ${template} has its types, lints, passes its tests and builds`, async () => {
    const starter = await createStarter(template);
    try {
      const files = [...Deno.readDirSync(starter.root)].map(({ name }) => name);
      assert.ok(files.includes(".vscode") && files.includes("AGENTS.md"));
      // As installing packages with npm does: an editor then finds no errors, before any command has run.
      const prepared = await starter.script("prepare");
      assert.equal(prepared.code, 0, prepared.stderr);
      // A bare application has few types, which docs/languages.md has its reader check.
      if (template !== "bare" || inMatrix) {
        // The template's own is asked by the matrix.
        if (!inMatrix) await replaceTypescript(starter.root, newest);
        const tsc = join(starter.root, "node_modules/typescript/bin/tsc");
        const editor = await capture(tsc, ["--noEmit"], { cwd: starter.root });
        assert.deepEqual([editor.code, editor.stdout], [0, ""]);
      }
      // Of the second template a day sees the tests, which compile every route of it.
      const isBrief = template === "api" && !inMatrix;
      // The editor above has checked the types.
      const rest = [...inMatrix ? ["typecheck"] : [], "lint", "test", "build"];
      for (const command of isBrief ? ["test"] : rest) {
        const { code, stdout, stderr } = ["lint", "build"].includes(command)
          ? await framework(starter.root, command)
          : await starter.framework(command);
        assert.equal(code, 0, `${command}\n${stdout}${stderr}`);
      }
      if (isBrief) return;
      const doctor = await framework(starter.root, "doctor");
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
