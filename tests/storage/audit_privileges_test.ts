import assert from "node:assert/strict";
import { join } from "node:path";
import {
  auditLog,
  auditTrail,
  createAuth,
  createUser,
  deleteUser,
  disableUser,
  exportAuditLog,
  sealAuditLog,
  setUserRoles,
} from "@framework/auth";
import { postgres } from "@framework/auth/postgres";
import pg from "pg";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { startPostgres } from "../support/postgres.ts";

const bin = await findPostgres();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The lines of the guide: the privileges, and what drops old hours. */
async function documentedLines(): Promise<[privileges: string, retention: string]> {
  const guide = await Deno.readTextFile(join(repositoryRoot, "docs/administration.md"));
  const [privileges, retention] = [...guide.matchAll(/```sql\n([\s\S]*?)```/g)]
    .map(([, sql]) => sql!);
  return [privileges!, retention!];
}

/** What somebody tries who has the connection of the application. */
const ATTEMPTS = [
  "UPDATE audit_entries SET text = '{}'",
  "DELETE FROM audit_entries",
  "TRUNCATE audit_entries CASCADE",
  "UPDATE audit_people SET text = '{}'",
  "DELETE FROM audit_people",
  "UPDATE audit_seals SET digest = ''",
  "DELETE FROM audit_seals",
  "TRUNCATE audit_seals",
  "INSERT INTO audit_entries SELECT * FROM audit_entries ON CONFLICT (id) DO UPDATE SET text = '{}'",
  "CREATE TRIGGER quiet BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION auth_write_user_roles()",
];
const OWNER_ONLY = [
  "DROP TABLE audit_seals",
  "ALTER TABLE audit_entries DISABLE TRIGGER ALL",
  "ALTER TABLE audit_people DROP CONSTRAINT audit_people_entry_id_fkey",
  "CREATE RULE quiet AS ON INSERT TO audit_entries DO INSTEAD NOTHING",
];

// Tracks: R187
Deno.test({
  name: "by the documented privileges the application can only add to the trail, and does" +
    (bin === null ? ` [unavoidable: ${postgresHint}]` : ""),
  ignore: bin === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const [privileges, retention] = await documentedLines();
    const server = await startPostgres(bin!);
    const { admin, port } = server;
    const serving = new pg.Pool({
      host: "127.0.0.1",
      port,
      user: "serving",
      database: "postgres",
    });
    const clock = { now: Date.now() - 500 * DAY };
    const failures: unknown[] = [];

    function application(keep: number) {
      const pending: Promise<unknown>[] = [];
      const auth = createAuth({
        database: postgres(serving),
        now: () => clock.now,
        logger: {
          info() {},
          warn: (...line) => void failures.push(line),
          error: (...line) => void failures.push(line),
        },
        providers: [auditTrail({ keep })],
      });
      return async function within<Result>(work: () => Promise<Result>): Promise<Result> {
        let result: Result;
        const info = { waitUntil: (promise: Promise<unknown>) => void pending.push(promise) };
        await auth.run(new Request("http://localhost/"), {}, info, async () => {
          result = await work();
          return new Response();
        });
        while (pending.length > 0) await Promise.all(pending.splice(0));
        return result!;
      };
    }

    /** Tries it as the application's role, and takes it back. */
    async function attempt(sql: string): Promise<string | undefined> {
      const client = await serving.connect();
      try {
        await client.query("BEGIN");
        await client.query(sql);
        return undefined;
      } catch (error) {
        return (error as { code?: string }).code;
      } finally {
        await client.query("ROLLBACK");
        client.release();
      }
    }

    const count = async (table: string) =>
      Number((await admin.query(`SELECT count(*) FROM ${table}`)).rows[0].count);

    try {
      await admin.query("CREATE ROLE serving LOGIN");
      await createAuth({ database: postgres(server.pool) }).migrate();
      await admin.query("GRANT ALL ON ALL TABLES IN SCHEMA public TO serving, PUBLIC");
      const within = application(Infinity);
      await within(() => createUser({ id: "first", name: "First" }));
      for (const sql of ATTEMPTS) assert.equal(await attempt(sql), undefined, sql);
      await admin.query(privileges);
      for (const sql of [...ATTEMPTS, ...OWNER_ONLY]) {
        assert.equal(await attempt(sql), "42501", sql);
      }

      // Whatever the application does is recorded, sealed, and told.
      for (const days of [0, 101, 200]) {
        clock.now += days * DAY;
        const id = `u${days}`;
        await within(() => createUser({ id, name: "Ada" }));
        await within(() => setUserRoles(id, { roles: ["editor"] }));
        await within(() => disableUser(id));
      }
      clock.now += 2 * HOUR;
      assert.ok(await within(() => sealAuditLog()) >= 1);
      const people = await count("audit_people");
      assert.equal(await within(() => deleteUser("u0")), true);
      assert.ok(await count("audit_people") < people);
      const { entries } = await within(() => auditLog({ user: "u0" }));
      assert.ok(entries.some(({ type, user }) => type === "user-disabled" && user === null));
      assert.deepEqual(failures, []);
      assert.equal(await count("audit_seals"), 3);

      // The owner drops what is older than 400 days: the seal of the first day, and its entries.
      await admin.query(retention);
      assert.equal(await count("audit_seals"), 2);
      const text = await within(() => new Response(exportAuditLog()).text());
      const lines = text.trim().split("\n").map((line) => JSON.parse(line));
      const oldest = Date.now() - 400 * DAY - HOUR;
      assert.deepEqual(lines.filter(({ hour }) => hour < oldest), []);
      assert.equal(lines[0].kind, "entry");
      assert.equal(lines.filter(({ kind }) => kind === "seal").length, 2);

      // A process that is to drop them is told that it may not, and records on.
      const limited = application(1);
      clock.now += 2 * HOUR;
      await limited(() => createUser({ id: "late", name: "Late" }));
      assert.match(JSON.stringify(failures), /event-listener-failed/);
      assert.equal((await within(() => auditLog({ user: "late" }))).entries.length, 1);
      assert.equal(await count("audit_seals"), 3);
    } finally {
      await serving.end();
      await server.stop();
    }
  },
});
