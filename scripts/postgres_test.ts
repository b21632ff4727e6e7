import assert from "node:assert/strict";
import { join } from "node:path";
import { ensurePostgres, findPostgres } from "./postgres.ts";

/** Runs a test with POSTGRES_BIN naming a folder of its own, in which these programs are. */
async function withFolder(
  programs: string[],
  test: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-postgres-bin-" });
  const before = Deno.env.get("POSTGRES_BIN");
  try {
    for (const program of programs) await Deno.writeTextFile(join(folder, program), "");
    Deno.env.set("POSTGRES_BIN", folder);
    await test(folder);
  } finally {
    if (before === undefined) Deno.env.delete("POSTGRES_BIN");
    else Deno.env.set("POSTGRES_BIN", before);
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("findPostgres() gives the folder that POSTGRES_BIN names when the server is in it", async () => {
  await withFolder(["initdb", "postgres"], async (folder) => {
    assert.equal(await findPostgres(), folder);
  });
});

Deno.test("findPostgres() takes no other folder, and ensurePostgres() installs nothing, when one was chosen", async () => {
  await withFolder(["initdb"], async () => {
    const said: string[] = [];
    assert.equal(await findPostgres(), null);
    assert.equal(await ensurePostgres((line) => said.push(line), true), null);
    assert.deepEqual(said, []);
  });
});
