import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importModule } from "./module.ts";

Deno.test("importModule() imports TypeScript by path, with stylesheets as empty modules", async () => {
  // Characters that mean something in an address.
  const folder = await mkdtemp(join(tmpdir(), "import module #%20 "));
  try {
    await writeFile(join(folder, "page.css"), "body { color: red }");
    await writeFile(
      join(folder, "page.ts"),
      'import "./page.css";\nimport sheet from "./page.css";\n' +
        "export const value: unknown[] = [1, sheet];\n",
    );
    const { value } = await importModule(join(folder, "page.ts"));
    assert.deepEqual(value, [1, {}]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

Deno.test("importModule() leaves JSON that a package requires what it is", async () => {
  const folder = await mkdtemp(join(tmpdir(), "import-module-"));
  try {
    await writeFile(join(folder, "data.json"), '{ "a": 1 }');
    await writeFile(join(folder, "package.cjs"), 'module.exports = require("./data.json");');
    const { default: data } = await importModule(join(folder, "package.cjs"));
    assert.deepEqual(data, { a: 1 });
  } finally {
    await rm(folder, { recursive: true });
  }
});

Deno.test("importModule() has the platform's own module", async () => {
  const folder = await mkdtemp(join(tmpdir(), "import-module-"));
  try {
    await writeFile(
      join(folder, "object.ts"),
      'import { DurableObject } from "cloudflare:workers";\n' +
        "export class Room extends DurableObject {}\n",
    );
    const { Room } = await importModule(join(folder, "object.ts"));
    const room = new (Room as new (ctx: unknown, env: unknown) => { ctx: unknown })("ctx", "env");
    assert.equal(room.ctx, "ctx");
  } finally {
    await rm(folder, { recursive: true });
  }
});

Deno.test("importModule() names the runners where Node itself cannot read a file of the application", async () => {
  const folder = await mkdtemp(join(tmpdir(), "import-module-"));
  try {
    // What Node throws for a file of JSX.
    const code = '{ code: "ERR_UNKNOWN_FILE_EXTENSION" }';
    await writeFile(
      join(folder, "page.ts"),
      `throw Object.assign(new TypeError("Unknown"), ${code});`,
    );
    await assert.rejects(importModule(join(folder, "page.ts")), {
      code: "RUNNER",
      message: /page\.ts could not be loaded.*vitest or `deno test`/,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
