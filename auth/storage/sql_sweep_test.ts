import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createTestApplication, inVisit } from "../tests/application.ts";
import { createFaultyDatabase } from "../tests/faulty_database.ts";
import { NOW, secret } from "../../testing/storage/records.ts";
import { createSqlRateLimitStorage } from "../rate_limit/sql.ts";
import { authSchema } from "./schema.ts";
import { secretGroup } from "./secrets.ts";
import { groupOf } from "./storage.ts";
import type { SqlDatabase, SqlStatement } from "./sql_database.ts";
import { sqlite } from "./sqlite.ts";
import { createSqlStorage } from "./sql.ts";
import { sweepText } from "./sql_executor.ts";
import { ENDING } from "./statements.ts";

// A moment at which one in a hundred sweeps.
const SWEEPING = NOW + 7;

function withEnded(count: number): DatabaseSync {
  const file = new DatabaseSync(":memory:");
  file.exec(`${authSchema.up};
    INSERT INTO users (id) VALUES ('ada');
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO sessions SELECT 's' || i, 'h' || i, 'ada', NULL, NULL, 1, 1, 1, i, NULL FROM n;
    INSERT INTO rate_limits SELECT id, '', expires_at FROM sessions;
    INSERT INTO verifications (purpose, hash, created_at, expires_at)
      SELECT 'email', id, 1, expires_at FROM sessions;`);
  return file;
}

// Tracks: F21, OP-05
Deno.test("every sweep goes by the index of the end", () => {
  using file = withEnded(1);
  const sweeps = ENDING.map((table) => sweepText(table, undefined));
  for (const sql of [...sweeps, sweepText("account_activity", undefined, "at")]) {
    const steps = file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(1, 1).map(({ detail }) =>
      String(detail)
    );
    assert.ok(steps.some((step) => /USING COVERING INDEX \w+_by_(?:end|time)/.test(step)), sql);
    assert.ok(!steps.some((step) => /^SCAN|TEMP B-TREE/.test(step)), steps.join("\n"));
  }
});

// Tracks: F21, OP-05
Deno.test("a sweep of a database in the process removes a few rows at a time, and lets others have their turn", async () => {
  using file = withEnded(1000);
  const count = () => Number(file.prepare("SELECT count(*) AS n FROM sessions").get()!.n);
  const storage = createSqlStorage(sqlite(file));
  const seen = [count()];
  let over = false;
  const removed = storage.sweep(NOW, 400).finally(() => over = true);
  while (!over) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    seen.push(count());
  }
  assert.equal(await removed, 1200);
  assert.equal(count(), 600);
  for (const [index, rows] of seen.entries()) {
    assert.ok(index === 0 || seen[index - 1]! - rows <= 40, seen.join());
  }
});

/** The database of a double, but for sweeps, which never come to an end. */
function sweepingForever(database: SqlDatabase): SqlDatabase {
  const forever = () => new Promise<never>(() => {});
  function slow(statement: SqlStatement): SqlStatement {
    return { ...statement, bind: (...values) => slow(statement.bind(...values)), run: forever };
  }
  return {
    batch: (statements) => database.batch(statements),
    prepare: (sql) =>
      /^DELETE/.test(sql) && /LIMIT/.test(sql)
        ? slow(database.prepare(sql))
        : database.prepare(sql),
  };
}

// Tracks: OP-05
Deno.test("nobody waits for a sweep: who counts an attempt or stores a secret is answered before it is over", async () => {
  using file = withEnded(5);
  const database = sweepingForever(sqlite(file));
  const limits = createSqlRateLimitStorage(database);
  const rule = { limit: 5, window: 1000, now: SWEEPING };
  assert.equal((await limits.takeRateLimit("k", rule)).allowed, true);
  const secrets = groupOf(createSqlStorage(database), secretGroup);
  await secrets.putSecret(secret("h", { createdAt: SWEEPING }));
  assert.equal((await secrets.readSecret("email", "h", SWEEPING))?.hash, "h");
});

// Tracks: OP-05
Deno.test("a sweep that fails is reported by the request that began it, and by no other way", async () => {
  using file = withEnded(5);
  const faulty = createFaultyDatabase(sqlite(file));
  const limits = createSqlRateLimitStorage(faulty);
  const rule = { limit: 5, window: 1000, now: SWEEPING };
  const overloaded = { when: "before", message: "D1 DB is overloaded" } as const;
  const application = createTestApplication();
  const background: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void background.push(work);
  await inVisit(application, async () => {
    faulty.faults.push(overloaded);
    assert.equal((await limits.takeRateLimit("k", rule)).allowed, true);
    return new Response();
  }, { info: { waitUntil } });
  await Promise.all(background);
  assert.deepEqual(application.log.map(({ event }) => event), ["background-work-failed"]);
  faulty.faults.push(overloaded);
  assert.equal((await limits.takeRateLimit("k", rule)).allowed, true);
  application.close();
});
