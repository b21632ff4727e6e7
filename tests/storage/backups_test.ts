// Backups that are taken while the application is used, and restored, as docs/scaling.md says it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { mariadb } from "@framework/auth/mariadb";
import { postgres } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import { authSchema, type SqlDatabase, upgradeTables } from "@framework/auth/storage";
import { createPool, type RowDataPacket } from "mysql2/promise";
import pg from "pg";
import { findProgram } from "../../scripts/apt.ts";
import { findMariadb, mariadbHint } from "../../scripts/mariadb.ts";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { run } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { startMariadb } from "../support/mariadb.ts";
import { postgresProgram, startPostgres } from "../support/postgres.ts";
import { createScaledApplication, documentedStatements } from "../support/scaled_application.ts";
import { until } from "../support/until.ts";

const bin = await findPostgres();
const CLIENTS = 4;

/** A copy that was restored. */
interface Restored {
  database: SqlDatabase;
  /** Runs statements of the administrator. */
  execute(statements: string): Promise<void>;
}

/** Takes a backup among sign-ups, ends a session after it, and looks at what is restored. */
async function assertRestored(database: SqlDatabase, backUp: () => Promise<Restored>) {
  await upgradeTables(database);
  const { signUp, signOut, userOf, redeem, lastError } = createScaledApplication(database);
  const before = await Promise.all(["ada", "eve"].map(async (id) => ({ id, ...await signUp(id) })));
  const [ada, eve] = before as [typeof before[0], typeof before[0]];
  let made = 0;
  let over = false;
  const using = Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    for (let round = 0; !over; round++) {
      assert.equal((await signUp(`user-${client}-${round}`)).status, 200, lastError());
      made++;
      // A storage without waiting would leave no time to the timers.
      await pause(0);
    }
  }));
  async function backUpInUse(): Promise<Restored> {
    try {
      await until(() => Promise.resolve(made > CLIENTS), () => "Nobody signs up");
      return await backUp();
    } finally {
      over = true;
    }
  }
  const [restored] = await Promise.all([backUpInUse(), using]);
  assert.equal(await signOut(ada.cookie), true, lastError());
  assert.equal(await userOf(ada.cookie), null);

  const { from, to } = await upgradeTables(restored.database);
  assert.equal(from, to);
  const again = createScaledApplication(restored.database);
  // The backup is of one moment: each user in it has its session.
  const { results } = await restored.database.prepare(
    "SELECT id FROM users WHERE id NOT IN (SELECT user_id FROM sessions)",
  ).all();
  assert.ok(results.length <= CLIENTS, JSON.stringify(results));
  assert.equal(await again.userOf(eve.cookie), "eve");
  // It ended after the backup.
  assert.equal(await again.userOf(ada.cookie), "ada");
  await restored.execute(await documentedStatements());
  assert.equal(await again.userOf(ada.cookie), null);
  assert.equal(await again.redeem(eve.token), null);
  assert.equal(await redeem(eve.token), "eve", lastError());
  await again.isBack();
}

const hint = bin === null ? `: ${postgresHint}` : "";

// Tracks: F20
Deno.test({
  name: `a backup by pg_dump of a database in use is restored by pg_restore${hint}`,
  ignore: bin === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const { pool, admin, port, stop } = await startPostgres(bin!);
    const address = { host: "127.0.0.1", port, user: "framework", database: "restored" };
    const other = new pg.Pool(address);
    const folder = await Deno.makeTempDir({ prefix: "framework-backup-" });
    try {
      await assertRestored(postgres(pool), async () => {
        const file = join(folder, "backup");
        const connection = ["-h", "127.0.0.1", "-p", String(port), "-U", "framework"];
        const dump = await postgresProgram(bin!, "pg_dump");
        await run(dump, [...connection, "-Fc", "-f", file, "postgres"], { cwd: folder });
        await admin.query("CREATE DATABASE restored");
        const restore = await postgresProgram(bin!, "pg_restore");
        await run(restore, [...connection, "-d", "restored", file], { cwd: folder });
        return {
          database: postgres(other),
          execute: async (statements) => void await other.query(statements),
        };
      });
    } finally {
      await other.end();
      await stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

const programs = await findMariadb();
// Debian has them in a package that comes with the server.
const [dump, restore] = await Promise.all(
  ["mariadb-dump", "mariadb"].map((name) => findProgram([name])),
);
const hasMariadb = programs !== null && dump !== null && restore !== null;
const noMariadb = hasMariadb ? "" : ` [unavoidable: ${mariadbHint}]`;

// Tracks: F20
Deno.test({
  name: `a backup by mariadb-dump of a database in use is restored by mariadb${noMariadb}`,
  ignore: !hasMariadb,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const options = "--single-transaction --routines --triggers";
    const guide = await Deno.readTextFile(join(repositoryRoot, "docs", "databases.md"));
    assert.ok(guide.replaceAll(/\s+/g, " ").includes(`mariadb-dump ${options}`));
    const { pool, port, ask, stop } = await startMariadb(programs!);
    const address = { host: "127.0.0.1", port, user: "root" };
    const other = createPool({ ...address, database: "restored", multipleStatements: true });
    const folder = await Deno.makeTempDir({ prefix: "framework-backup-" });
    try {
      await assertRestored(mariadb(pool), async () => {
        const file = join(folder, "backup.sql");
        const connection = ["--no-defaults", "-h", "127.0.0.1", "-P", String(port), "-u", "root"];
        await run(dump!, [...connection, ...options.split(" "), `--result-file=${file}`, "app"], {
          cwd: folder,
        });
        await ask("CREATE DATABASE restored");
        await run(restore!, [...connection, "restored", "-e", `source ${file}`], { cwd: folder });
        return {
          database: mariadb(other),
          execute: async (statements) => void await other.query(statements),
        };
      });
      // The triggers came with it.
      await other.query("INSERT INTO users (id, roles) VALUES ('late', '[\"admin\"]')");
      const [roles] = await other.query<RowDataPacket[]>(
        "SELECT role FROM user_roles WHERE user_id = 'late'",
      );
      assert.deepEqual(roles.map(({ role }) => role), ["admin"]);
    } finally {
      await other.end();
      await stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

// Tracks: F20
Deno.test("a backup by VACUUM INTO of a SQLite file in use is opened again", async () => {
  const folder = await Deno.makeTempDir({ prefix: "framework-backup-" });
  const backup = join(folder, "backup.db");
  using file = new DatabaseSync(join(folder, "app.db"));
  let copy: DatabaseSync | undefined;
  try {
    await assertRestored(sqlite(file), () => {
      file.prepare("VACUUM INTO ?").run(backup);
      const opened = copy = new DatabaseSync(backup);
      return Promise.resolve({
        database: sqlite(opened),
        execute: (statements) => Promise.resolve(opened.exec(statements)),
      });
    });
  } finally {
    copy?.close();
    await Deno.remove(folder, { recursive: true });
  }
});

/** Tables that the documented statements leave, with the guide's words for what comes back in them. */
const LEFT: [table: string, words: RegExp][] = [
  ["users", /disabled users and roles/],
  ["password_hashes", /changed\s+passwords/],
  ["accounts", /accounts at\s+providers/],
  ["api_keys", /API keys/],
  ["passkeys", /passkeys/],
  ["recovery_codes", /recovery codes/],
  ["second_factors", /second factors/],
  ["tenant_members", /memberships/],
  ["webhook_endpoints", /addresses\s+of\s+webhooks/],
  ["revocations", /replace the `secret`/],
];

/** Tables in which nothing lets anybody in; the proofs of `session_factors` end with their session. */
const HARMLESS = [
  ...["account_activity", "audit_entries", "audit_people", "audit_seals", "auth_outbox"],
  ...["auth_schema"],
  ...["known_browsers", "rate_limits", "session_factors", "tenants", "user_roles"],
];

// Tracks: F20
Deno.test("the guide to scaling says of each table what comes back after a failover that lost something", async () => {
  const statements = await documentedStatements();
  const ended = [...statements.matchAll(/DELETE FROM (\w+);/g)].map(([, table]) => table!);
  const tables = authSchema.up.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g);
  assert.deepEqual(
    [...ended, ...LEFT.map(([table]) => table), ...HARMLESS].sort(),
    [...new Set([...tables].map(([, table]) => table!))].sort(),
  );
  const guide = await Deno.readTextFile(join(repositoryRoot, "docs", "scaling.md"));
  for (const [table, words] of LEFT) assert.match(guide, words, table);
});
