import assert from "node:assert/strict";
import { join } from "node:path";
import { authSchema } from "../auth/storage.ts";
import { addTables, cleanSource, copySource } from "./rehearse_source.ts";
import { run } from "./run_command.ts";
import { exists, readWorkspace, repositoryRoot } from "./workspace.ts";

let root: string;
Deno.test.beforeAll(async () => {
  root = await Deno.makeTempDir({ prefix: "framework-source-" });
  await copySource(root);
});
Deno.test.afterAll(() => Deno.remove(root, { recursive: true }));

/** Has the library of a copy make tables anew, or upgrade those of a file; gives what it says and the columns of users. */
async function tablesOf(file: string): Promise<unknown> {
  const program = `import { sqlite } from "./auth/sqlite.ts";
    import { upgradeTables } from "./auth/storage.ts";
    import { DatabaseSync } from "node:sqlite";
    const file = new DatabaseSync(${JSON.stringify(file)});
    const said = await upgradeTables(sqlite(file));
    const columns = file.prepare("SELECT name FROM pragma_table_info('users')").all();
    const marker = file.prepare("SELECT compatible FROM auth_schema").get();
    console.log(JSON.stringify([said, columns.map(({ name }) => name), marker.compatible]));`;
  await Deno.writeTextFile(join(root, "tables.ts"), program);
  const flags = ["run", "-A", "--no-lock", "--no-check", "--no-config", "tables.ts"];
  return JSON.parse((await run(Deno.execPath(), flags, { cwd: root })).stdout);
}

Deno.test("addTables() adds versions of the tables that a fresh database has, and an older one gets", async () => {
  const [old, fresh] = ["old.db", "fresh.db"].map((name) => join(root, name)) as [string, string];
  const { version } = authSchema;
  const [made, before, oldest] = await tablesOf(old) as [unknown, string[], number];
  assert.deepEqual(made, { from: null, to: version });
  assert.equal(await addTables(root, { column: "locale", endsSupport: false }), version + 1);
  const upgraded = [{ from: version, to: version + 1 }, [...before, "locale"], oldest];
  assert.deepEqual(await tablesOf(old), upgraded);

  assert.equal(await addTables(root, { column: "pronouns", endsSupport: true }), version + 2);
  const [said, columns, compatible] = await tablesOf(fresh) as [unknown, string[], number];
  assert.deepEqual(said, { from: null, to: version + 2 });
  assert.deepEqual(columns.toSorted(), [...before, "locale", "pronouns"].toSorted());
  assert.equal(compatible, version + 1);
  assert.deepEqual(
    await tablesOf(old),
    [{ from: version + 1, to: version + 2 }, [...before, "locale", "pronouns"], version + 1],
  );
});

Deno.test("copySource() takes what git knows, and cleanSource() leaves nothing else but what is installed", async () => {
  const names = async (folder: string) =>
    (await readWorkspace(folder)).members.map(({ name, version }) => `${name} ${version}`);
  assert.deepEqual(await names(root), await names(repositoryRoot));
  assert.equal(await exists(join(root, "node_modules")), false);
  for (const folder of ["node_modules", "npm/auth"]) {
    await Deno.mkdir(join(root, folder));
    await Deno.writeTextFile(join(root, folder, "left.txt"), "");
  }
  await cleanSource(root);
  assert.equal(await exists(join(root, "npm", "auth")), false);
  assert.ok(await exists(join(root, "node_modules", "left.txt")));
});
