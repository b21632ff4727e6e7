// docs/roles.md, "The first owner": its script and its command, as readers run them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Miniflare } from "miniflare";
import { createAuth, createUser } from "@framework/auth";
import { sqlite } from "@framework/auth/sqlite";
import { authSchema, type SqlDatabase } from "@framework/auth/storage";
import { capture } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { inMatrix } from "../support/matrix.ts";
import { codeBlocks, readDocument } from "./markdown.ts";

const text = await readDocument("docs/roles.md");
const [, section] = text.split("\n## The first owner\n");
const blocks = codeBlocks("docs/roles.md", section!.split("\n## ")[0]!);

/** Users of the tests: one who has proved the address, and one who has not. */
async function fill(auth: ReturnType<typeof createAuth>): Promise<void> {
  await auth.run(new Request("http://localhost/", { method: "POST" }), {}, undefined, async () => {
    const emailVerified = new Date();
    await createUser({ id: "ada", email: "Ada@example.com", emailVerified, roles: ["author"] });
    await createUser({ id: "eve", email: "eve@example.com" });
    return new Response();
  });
}

Deno.test("the documented script makes who has proved an address an owner, and nobody else", async () => {
  const folder = await Deno.makeTempDir({ prefix: "framework-owner-" });
  try {
    const script = blocks.find(({ language }) => language === "ts")!.text;
    await Deno.writeTextFile(join(folder, "make_owner.ts"), script);
    using database = new DatabaseSync(join(folder, "app.db"));
    const auth = createAuth({ database: sqlite(database) });
    await auth.migrate();
    await fill(auth);
    const rolesOf = (id: string) =>
      database.prepare("SELECT roles FROM users WHERE id = ?").get(id)?.roles;
    const make = (...args: string[]) =>
      capture(Deno.execPath(), [
        "run",
        "-A",
        "--no-check",
        `--config=${join(repositoryRoot, "deno.json")}`,
        "make_owner.ts",
        ...args,
      ], { cwd: folder });
    const others = inMatrix ? [[], ["nobody@example.com"]] : [];
    for (const args of [...others, ["eve@example.com"], ["no address"]]) {
      const { code, stderr } = await make(...args);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /Nobody has proved this address/);
    }
    assert.deepEqual([rolesOf("ada"), rolesOf("eve")], ['["author"]', "[]"]);
    const { code, stdout, stderr } = await make("ada@example.com");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /ada@example\.com is an owner\./);
    assert.equal(rolesOf("ada"), '["author","owner"]');
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test({
  name: "the documented command does the same in D1",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const command = blocks.find(({ text }) => text.includes("d1 execute"))!.text.trim();
    const [, typed] = /^npx wrangler d1 execute DB --local --command "(.*)"$/.exec(command)!;
    // As a shell hands it over.
    const statement = typed!.replaceAll('\\"', '"');
    const miniflare = new Miniflare({
      modules: true,
      script: "export default { fetch: () => new Response() };",
      d1Databases: { DB: "app" },
    });
    try {
      const database = await miniflare.getD1Database("DB");
      const auth = createAuth({ database: database as unknown as SqlDatabase });
      const statements = authSchema.up.split(/;\n/).map((sql) => sql.trim()).filter(Boolean);
      await database.batch(statements.map((sql) => database.prepare(sql)));
      await fill(auth);
      const { meta } = await database.prepare(statement).run();
      // The user, and the row by which the role is found.
      assert.ok(meta.changes > 0);
      const nobody = await database.prepare(statement.replace("ada@", "eve@")).run();
      assert.equal(nobody.meta.changes, 0);
      const { results } = await database.prepare("SELECT id, roles FROM users ORDER BY id").all();
      assert.deepEqual(results, [{ id: "ada", roles: '["owner"]' }, { id: "eve", roles: "[]" }]);
      const found = await database.prepare("SELECT user_id, role FROM user_roles").all();
      assert.deepEqual(found.results, [{ user_id: "ada", role: "owner" }]);
    } finally {
      await miniflare.dispose();
    }
  },
});
