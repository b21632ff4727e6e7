// A worker whose platform file is TOML, in process and in workerd.
import { createTestContext } from "@framework/testing";
import assert from "node:assert/strict";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/workspace.ts";

const PLATFORM = `# As older projects have it.
name = "notes"
main = "worker.js"
compatibility_date = "2026-07-30"

[vars]
GREETING = """
Hello
"""

[[d1_databases]]
binding = "NOTES" # the only one
database_name = "notes"
database_id = "notes"
migrations_dir = "sql"

[[kv_namespaces]]
binding = "CACHE"
id = "cache"
`;

const WORKER = `export default {
  async fetch(request, { NOTES, CACHE, GREETING }) {
    if (request.method === "POST") await NOTES.prepare("INSERT INTO notes VALUES ('milk')").run();
    const count = await NOTES.prepare("SELECT count(*) AS count FROM notes").first("count");
    await CACHE.put("greeting", GREETING.trim());
    return Response.json([count, await CACHE.get("greeting")]);
  },
};`;

async function withProject(
  platform: string,
  work: (cwd: string) => Promise<void>,
): Promise<void> {
  const cwd = join(repositoryRoot, "tests", "output", `toml_${crypto.randomUUID()}`);
  await Deno.mkdir(join(cwd, "sql"), { recursive: true });
  try {
    await Deno.writeTextFile(join(cwd, "wrangler.toml"), platform);
    await Deno.writeTextFile(join(cwd, "worker.js"), WORKER);
    await Deno.writeTextFile(join(cwd, "sql/0001_notes.sql"), "CREATE TABLE notes (text TEXT);");
    await work(cwd);
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
}

// The emulator keeps sockets, and wrangler timers, of its own.
const sanitizers = { sanitizeOps: false, sanitizeResources: false };

Deno.test({
  name: "createTestContext() reads wrangler.toml as wrangler does, in process and in workerd",
  ...sanitizers,
  fn: async () => {
    await withProject(PLATFORM, async (cwd) => {
      for (const runtime of ["process", "workerd"] as const) {
        await using ctx = await createTestContext({ cwd, runtime });
        assert.deepEqual(await (await ctx.fetch("/")).json(), [0, "Hello"]);
        assert.deepEqual(await (await ctx.fetch("/", { method: "POST" })).json(), [1, "Hello"]);
      }
    });
  },
});

Deno.test({
  name: "createTestContext() says what is wrong with wrangler.toml, and where",
  ...sanitizers,
  fn: async () => {
    const wrong: [platform: string, message: RegExp][] = [
      [
        PLATFORM.replace('"notes"\ndatabase_id', "5\ndatabase_id"),
        /wrangler\.toml:13: d1_databases\[0\]\.database_name: expected a string/,
      ],
      [PLATFORM.replace("[vars]", "[vars"), /wrangler\.toml:6:2: Invalid TOML document/],
    ];
    for (const [platform, message] of wrong) {
      await withProject(platform, async (cwd) => {
        await assert.rejects(createTestContext({ cwd }), { code: "PROJECT", message });
      });
    }
  },
});
