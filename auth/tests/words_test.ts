import assert from "node:assert/strict";
import { readSettings } from "../app/settings.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { storageError } from "../storage/sql_executor.ts";

const database = createMemoryStorage();

/** Configurations by code that are wrong where an application by convention has a file or a command. */
const WRONG: Record<string, unknown> = {
  "no database": {},
  "a strategy that is a word": { database, session: { strategy: "jwt" } },
  "a strategy that is none": { database, session: { strategy: "jwts" } },
  "no secret": { session: { strategy: jwtSessions } },
  "a list of proxies": { database, trustedProxies: ["10.0.0.0/8"] },
  "a provider that is none": { database, providers: [{}] },
  "callbacks that are none": { database, callbacks: { signin() {} } },
  "roles that are none": { database, rbac: { roles: [] } },
  "tenants that are none": { database, tenancy: {} },
  "no theme": { database, pages: { theme: {} } },
};

// Tracks: AU-14
Deno.test("errors of a configuration by code speak of no file and no command that is not there", () => {
  for (const [name, options] of Object.entries(WRONG)) {
    assert.throws(() => readSettings(options as never, undefined), (error: Error) => {
      assert.doesNotMatch(error.message, /app\/auth|framework [a-z]+ |wrangler/, name);
      return true;
    }, name);
  }
  const cause = new Error("no such table: users");
  const error = storageError(cause, { failure: "tables-missing", operation: "read the session" });
  assert.doesNotMatch((error as Error).message, /framework (?!\/)|wrangler/);
});
