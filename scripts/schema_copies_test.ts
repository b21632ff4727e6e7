import assert from "node:assert/strict";
import { join } from "node:path";
import { schemaCopies } from "./schema_copies.ts";
import { repositoryRoot } from "./workspace.ts";

Deno.test("migrations that repeat the schema of @framework/auth are current: run `deno task templates`", async () => {
  for (const [path, text] of Object.entries(schemaCopies())) {
    assert.equal(await Deno.readTextFile(join(repositoryRoot, path)), text, path);
  }
});
