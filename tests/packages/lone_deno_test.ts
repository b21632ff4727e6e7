import assert from "node:assert/strict";
import { join } from "node:path";
import { inMatrix } from "../support/matrix.ts";
import {
  onMachine,
  runEverything,
  showTests,
  STARTER_TESTS,
  useAuthAlone,
  useStarter,
} from "./first_use.ts";
import { readFiveMinutes, type } from "./five_minutes.ts";
import { onlyDeno, succeed } from "./lone_runtime.ts";

Deno.test("with Deno alone, an application is made, migrated, served, changed, tested, checked and built, as the README says", () =>
  onMachine(onlyDeno, async (machine) => {
    const { folder, runtime } = machine;
    const tool = join(folder, "tool");
    await Deno.mkdir(tool);
    await succeed(runtime, "deno add --quiet npm:@framework/cli", tool);
    await succeed(runtime, "deno run -A npm:@framework/cli --version", tool);

    const { commands } = await readFiveMinutes("cli/README.md", "deno");
    assert.deepEqual(await readFiveMinutes("README.md", "deno"), { commands, files: new Map() });
    const { commands: toTest } = await readFiveMinutes("testing/README.md", "deno");
    assert.deepEqual(toTest, [...commands.slice(0, 3), "deno test -A"]);
    const dev = commands.pop()!;
    assert.equal(dev, "deno task dev");
    const app = await type(runtime, commands, folder);
    const generate = "deno run -A npm:@framework/cli generate page notes --loader";
    await useStarter(machine, app, { dev, generate });
    // Of the starter's own tests, which a push runs with Node alone, those that read every route; their types are checked
    // in the matrix.
    const [more, least] = inMatrix ? ["", STARTER_TESTS] : [" --no-check tests/guarded.test.ts", 1];
    const { stdout } = await succeed(runtime, `deno test -A${more}`, app);
    assert.ok(Number(/ok \| (\d+) passed .*0 failed/.exec(stdout)?.[1]) >= least, stdout);
    const framework = "deno run -A npm:@framework/cli";
    // tests/usage/usage_test.ts runs the first two, for more than the starter has, and tests/cli/transcripts_test.ts
    // the others; the database is migrated already.
    const elsewhere = inMatrix ? [] : ["test", "typecheck", "deploy", "doctor", "migrate"];
    await runEverything(machine, app, { script: "deno task", framework, elsewhere });
    // What vitest shows of them is the same under Node, where a push sees it.
    if (inMatrix) await showTests(machine, app, framework);
  }));

Deno.test("with Deno alone, the application of the authentication's README signs up, in and out", () =>
  onMachine(onlyDeno, (machine) => useAuthAlone(machine, "deno", "deno run -A app.ts")));
