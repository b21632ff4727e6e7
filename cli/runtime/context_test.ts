import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createContext } from "./context.ts";
import { createCookieJar } from "./cookies.ts";
import type { RequestContext } from "./types.ts";

/** The shape of a D1 binding over SQLite, as far as Kysely asks for it. */
function openBinding(): { prepare: (sql: string) => unknown; prepared: number; close(): void } {
  const database = new DatabaseSync(":memory:");
  const binding = {
    prepared: 0,
    prepare(sql: string) {
      binding.prepared++;
      const statement = database.prepare(sql);
      return {
        bind: (...values: string[]) => ({
          all: () => {
            const results = statement.all(...values);
            const meta = database.prepare("SELECT changes() AS changes, last_insert_rowid() AS id")
              .get() as { changes: number; id: number };
            return Promise.resolve({
              results,
              meta: { changes: meta.changes, last_row_id: meta.id },
            });
          },
        }),
      };
    },
    close: () => database.close(),
  };
  return binding;
}

function context(env: Record<string, unknown>): RequestContext {
  return createContext({
    jar: createCookieJar(new Request("http://localhost/")),
    env,
    database: "DB",
    auth: null as never,
    params: {},
    requestId: "1",
    waitUntil: () => {},
    isPrefetch: false,
  }) as RequestContext;
}

Deno.test("createContext() gives a query builder over the binding that the project names", async () => {
  const binding = openBinding();
  const { db } = context({ DB: binding });
  await db.schema.createTable("notes").addColumn("id", "integer", (id) => id.primaryKey())
    .addColumn("text", "text").execute();
  const inserted = await db.insertInto("notes").values({ text: "a'b" }).executeTakeFirstOrThrow();
  assert.equal(inserted.insertId, 1n);
  const updated = await db.updateTable("notes").set({ text: "c" }).executeTakeFirstOrThrow();
  assert.equal(updated.numUpdatedRows, 1n);
  const rows = await db.selectFrom("notes").selectAll().execute();
  assert.deepEqual(rows.map((row) => [row["id"], row["text"]]), [[1, "c"]]);
  binding.close();
});

Deno.test("createContext() looks for the binding only when the database is asked for", () => {
  let asked = 0;
  const made = context({
    get DB() {
      asked++;
      return openBinding();
    },
  });
  assert.equal(asked, 0);
  assert.equal(made.db, made.db);
  assert.equal(asked, 1);
});

Deno.test("createContext() says which binding is missing when the database is asked for", () => {
  assert.throws(() => context({}).db, /database binding "DB", which does not exist/);
});

Deno.test("createContext() refuses an interactive transaction instead of running without one", async () => {
  const binding = openBinding();
  const { db } = context({ DB: binding });
  let ran = false;
  const transaction = db.transaction().execute(() => {
    ran = true;
    return Promise.resolve();
  });
  await assert.rejects(transaction, /does not support interactive transactions/);
  assert.equal(ran, false);
  binding.close();
});

Deno.test("createContext() keeps values for what runs later in the same request only", () => {
  const first = context({});
  first.set("user", 1);
  assert.equal(first.get("user"), 1);
  assert.equal(context({}).get("user"), undefined);
});
