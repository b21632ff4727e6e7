import { readSession } from "@framework/auth";
import { authSchema } from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { endedStatement, fillStatements, knownVisitors, SQLITE_ROWS } from "./many_sessions.ts";
import { scaleAuth } from "./programs/scale.ts";

const ORIGIN = "https://app.example";

function requestWith(cookie: string): Request {
  return new Request(ORIGIN, { headers: { cookie } });
}

Deno.test("knownVisitors() signs people in by sessions of the many, and adds none", async () => {
  using file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  for (const sql of fillStatements({ users: 20, sessions: 100 }, SQLITE_ROWS)) file.exec(sql);
  const database = sqlite(file);
  const auth = scaleAuth(database);
  const visitors = await knownVisitors(auth, database, { users: 20, count: 10 });
  assert.deepEqual(visitors.map(({ userId }) => userId).slice(0, 3), ["u1", "u3", "u5"]);
  for (const { userId, cookie } of visitors) {
    assert.equal((await readSession(auth, requestWith(cookie), {}))?.user.id, userId);
  }
  const count = () => file.prepare("SELECT count(*) AS count FROM sessions").get()!.count;
  assert.equal(count(), 100);
  file.exec(endedStatement(30, { users: 20 }, SQLITE_ROWS));
  assert.equal(await auth.storage({}).sweep(Date.now(), 500), 30);
  assert.equal(count(), 100);
});
