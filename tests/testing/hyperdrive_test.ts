// A worker that reads PostgreSQL by the address of its Hyperdrive binding and its own driver.
import { createTestContext, type TestContextOptions } from "@framework/testing";
import assert from "node:assert/strict";
import { join } from "node:path";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { startPostgres } from "../support/postgres.ts";

const bin = await findPostgres();

const WORKER = `import pg from "pg";
export default {
  async fetch(_request, { BOOKS }, ctx) {
    const client = new pg.Client({ connectionString: BOOKS.connectionString });
    await client.connect();
    const { rows } = await client.query("SELECT title FROM books WHERE id = $1", [1]);
    ctx.waitUntil(client.end());
    return Response.json([BOOKS.database, rows]);
  },
};`;

/** Writes the project below the repository, where it finds the driver. */
async function withProject(
  address: string | undefined,
  work: (options: TestContextOptions) => Promise<void>,
): Promise<void> {
  const cwd = join(repositoryRoot, "tests", "output", `hyperdrive_${crypto.randomUUID()}`);
  await Deno.mkdir(cwd, { recursive: true });
  try {
    const platform = {
      name: "books",
      main: "worker.js",
      ["compatibility_date"]: "2026-07-30",
      ["compatibility_flags"]: ["nodejs_compat"],
      hyperdrive: [{
        binding: "BOOKS",
        id: "books",
        ...(address === undefined ? {} : { localConnectionString: address }),
      }],
    };
    await Deno.writeTextFile(join(cwd, "wrangler.json"), JSON.stringify(platform));
    await Deno.writeTextFile(join(cwd, "worker.js"), WORKER);
    await work({ cwd });
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
}

let server: Awaited<ReturnType<typeof startPostgres>> | undefined;

Deno.test.beforeAll(async () => {
  if (bin === null) return;
  server = await startPostgres(bin);
  await server.admin.query("CREATE TABLE books (id INTEGER, title TEXT)");
  await server.admin.query("INSERT INTO books VALUES (1, 'Emma')");
});
Deno.test.afterAll(() => server?.stop());

for (const runtime of ["process", "workerd"] as const) {
  Deno.test({
    name: `a worker reads PostgreSQL by Hyperdrive, ${runtime}${bin ? "" : `: ${postgresHint}`}`,
    ignore: bin === null,
    // The emulator and the driver keep sockets and timers of their own.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      const address = `postgres://framework:secret@127.0.0.1:${server!.port}/postgres`;
      await withProject(address, async (options) => {
        await using ctx = await createTestContext({ ...options, runtime });
        assert.deepEqual(await (await ctx.fetch("/")).json(), ["postgres", [{ title: "Emma" }]]);
      });
    },
  });
}

Deno.test({
  name: "a Hyperdrive binding without an address says how to give one",
  // Modules of the project are imported.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await withProject(undefined, async (options) => {
      await using ctx = await createTestContext(options);
      await assert.rejects(ctx.fetch("/"), {
        code: "NOT_EMULATED",
        message:
          /localConnectionString.*CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_BOOKS.*env: \{ BOOKS: \{ connectionString \} \}/,
      });
      const given = { BOOKS: { connectionString: "postgres://127.0.0.1:1/none" } };
      await using other = await createTestContext({ ...options, env: given });
      await assert.rejects(other.fetch("/"), { code: "ECONNREFUSED" });
    });
  },
});
