import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createAuth } from "../app/create_auth.ts";
import type { SqlDatabase, SqlStatement } from "../storage/sql_database.ts";
import { sqlite } from "../storage/sqlite.ts";
import { deadLetters, sendAgain } from "./dead_letters.ts";
import { outbox } from "./outbox.ts";
import { removeTenantWebhook, rotateTenantWebhook, tenantWebhooks } from "./tenant_webhooks.ts";

/** A database that fails at texts with NUL and at what is neither text nor a number, as PostgreSQL does. */
function strict(real: SqlDatabase): SqlDatabase {
  const bindStrictly = (statement: SqlStatement): SqlStatement["bind"] => (...values) => {
    for (const value of values) {
      const isFine = typeof value === "string" ? !value.includes("\0") : typeof value !== "object";
      if (!isFine && value !== null) throw new Error("invalid byte sequence for encoding");
    }
    return statement.bind(...values);
  };
  return {
    prepare(text) {
      const statement = real.prepare(text);
      const bind = bindStrictly(statement);
      return new Proxy(statement, {
        get: (target, key) => key === "bind" ? bind : Reflect.get(target, key, target).bind(target),
      });
    },
    batch: (statements) => real.batch(statements),
  };
}

Deno.test("an id that no database holds is the id of nothing, whatever a form says", async () => {
  const file = new DatabaseSync(":memory:");
  const auth = createAuth({
    database: strict(sqlite(file)),
    secret: "a secret of at least thirty-two bytes",
    providers: [outbox({
      destinations: [{ id: "crm", deliver: () => Promise.resolve() }],
      tenants: tenantWebhooks({ fetch }),
    })],
  });
  await sqlite(file).migrate!();
  const post = new Request("http://localhost/", { method: "POST" });
  const response = await auth.run(post, {}, {}, async () => {
    for (const id of ["evt_\0", {}, null, undefined, 7] as string[]) {
      assert.equal(await sendAgain({ id, destination: "crm" }), false);
      assert.equal(await sendAgain({ id: "evt_1", destination: id }), false);
      assert.equal(await removeTenantWebhook("acme", id), false);
      assert.equal(await rotateTenantWebhook("acme", id), null);
    }
    const none = { letters: [], after: null };
    assert.deepEqual(await deadLetters({ destination: "c\0m" }), none);
    return new Response();
  });
  // A database that fails is answered, and thrown to nobody.
  assert.equal(response.status, 200, await response.text());
  file.close();
});
